"""Of queues whose controller does something at each tick of a timer, and whose packets are that timer (p4src/queue_ticks.p4)."""

FORGOTTEN_TICKS_SHIFT = 6
FORGOTTEN_TICKS = 1 << FORGOTTEN_TICKS_SHIFT
"""A queue of so many ticks without a packet is as new."""
