"""What the protocol and differential tests stand on: switches to drive frame by frame, and frames to drive them with."""
