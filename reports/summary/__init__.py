"""The output of `make run` for a scenario: a table with notes on its numbers, and a picture."""
