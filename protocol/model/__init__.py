"""The reference models: the behaviour of the P4 programs, in plain integers."""
