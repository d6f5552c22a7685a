"""The same packets through the embedded switch and through BMv2: what hosts receive, byte for byte, and TCP at the links' rates."""
