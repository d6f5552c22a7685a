"""Nodectl in Wireshark: a dissector whose fields are those of protocol/ (docs/wireshark.md)."""
