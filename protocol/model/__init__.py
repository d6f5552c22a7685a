"""The reference models: what the P4 programs do, in plain integers."""
