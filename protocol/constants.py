"""Numbers that several parts agree on, and that no header's layout gives.

p4src/ has some of them under names of its own; tests/protocol/test_p4_constants.py compares them.
"""

from __future__ import annotations

from typing import Final

# Messages.

UDP_PORT: Final = 4747
"""Messages go from this port to this port."""
VERSION: Final = 1
MAX_RTT_US: Final = 2**24 - 1
"""Longest RTT that a request may carry, about 16.8 s."""
MAX_RATE_KBPS: Final = 2**32 - 1
NEW_MESSAGE_TTL: Final = 64
"""TTL of a message that a switch makes, or turns round."""
ERROR_REASONS: Final = 16
"""Size of the counter `nodectl_errors`, which ErrorReason indexes."""

# Times.

REFRESH_INTERVAL_S: Final = 5.0
"""Senders refresh their records this often (decision "refreshes")."""
MISSED_REFRESHES: Final = 3
RECORD_TIMEOUT_S: Final = REFRESH_INTERVAL_S * MISSED_REFRESHES
"""A record that nobody refreshed for so long is gone."""

# Ports of a switch.

PORTS: Final = 512
"""Port numbers that a v1model switch has: 9 bits."""
DROP_PORT: Final = 511
CPU_PORT: Final = 510
CLONE_SESSION: Final = 100
"""The clone session that the controller must point to CPU_PORT: events and batches go through it."""

# The store of records.

WAYS: Final = 4
WAY_BITS: Final = 12
"""Of an index into a way, unless the P4 program was compiled for another number (``NODECTL_WAY_BITS``, protocol/variant.py)."""
MAX_WAY_BITS: Final = 16
SLOTS_PER_WAY: Final = 1 << WAY_BITS
SLOTS: Final = WAYS * SLOTS_PER_WAY
"""Places for records in one switch, over all its ports. Slot = way · SLOTS_PER_WAY + hash."""
NO_SLOT: Final = 0xFFFFFFFF
IN_USE: Final = 0x8000
"""In the port of a slot that is taken."""

# Algorithm 1.

FRACTION_BITS: Final = 8
"""Fraction bits of expected_arrivals_q8 (Q_T)."""
ONE_ARRIVAL_Q8: Final = 1 << FRACTION_BITS
ARRIVAL_WINDOW_BITS: Final = 20
ARRIVAL_WINDOW_US: Final = 1 << ARRIVAL_WINDOW_BITS
MAX_ARRIVALS: Final = 2**24 - 1
MAX_EXPECTED_Q8: Final = 2**31 - 1

# Packet-outs.

PACKET_OUT_MAGIC: Final = 0x014E6F646563
"""First 48 bits of every packet-out ("Nodec" after a group address bit), by which the parser tells it from a frame."""
MAX_BATCH_ENTRIES: Final = 64

# Hosts.

TCP_DATA_PORT: Final = 5001
"""Where a receiver takes data unless told otherwise."""
