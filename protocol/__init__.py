"""What every part of the testbed shares: wire format, events, allocation rules, reference model."""
