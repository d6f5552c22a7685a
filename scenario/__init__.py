"""Scenario files: which network, which transmissions, which schemes, which events; and the network description the controller reads."""
