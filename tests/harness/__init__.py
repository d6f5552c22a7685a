"""The base of the protocol and differential tests: switches to drive frame by frame, and frames to drive them with."""
