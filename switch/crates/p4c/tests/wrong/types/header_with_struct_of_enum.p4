enum colour { RED, GREEN }
header h_t { colour c; }
