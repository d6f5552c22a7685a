"""Seed 003, section 6: the tables and figures of the Nodectl paper."""
