"""What `make run` shows of a scenario: a table with what is to be known of it, and a picture."""
