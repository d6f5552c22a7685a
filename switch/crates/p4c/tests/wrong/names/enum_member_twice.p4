enum colour { RED, GREEN, RED }
