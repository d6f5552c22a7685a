"""Measurements of the embedded toolchain, side by side with p4c and BMv2 where they are installed (`make bench`)."""
