"""The same packets through the embedded switch and through BMv2: the hosts' received frames, byte for byte, and TCP at the links' rates."""
