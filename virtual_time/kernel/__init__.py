"""Builds the user-mode Linux kernel in which runs have virtual time."""
