"""Modules that all parts of the testbed share, besides the protocol: errors, units, clocks, files, ends of command lines."""
