"""Multicast of another switch of BMv2's, which ``simple_switch`` does not serve: clients of both look for its names."""
