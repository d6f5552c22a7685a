"""Lab 5: the controller's lists. It is told of every change of a record, and tells others to slow down or speed up.

Missing parts are marked "Your part".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import finsy

# `event` of a packet-in
ADMITTED, REFUSED, CONFIRMED, REDUCED, REMOVED, REFRESHED = 1, 2, 3, 4, 5, 6
# `verdict` of ADMITTED: which case of Algorithm 1 it was
SHARE, REDUCE_OTHERS, INCREASE_OTHERS = 1, 2, 3
# `type` of an entry of a packet-out
REDUCE, INCREASE = 0x0021, 0x0022

MAGIC = 0x014E6F646563
MOST_ENTRIES = 64
"""Of a packet-out."""

Key = tuple[int, int, int]
"""content_id, destination_id, subflow."""


@dataclass
class Record:
    """The known state of one transmission on one port. Rates are kbit/s."""

    key: Key
    data_port: int
    sender_ip: int
    receiver_ip: int
    rate: int
    is_bottleneck: bool


@dataclass
class Change:
    """A message for a sender: REDUCE or INCREASE, to this rate."""

    kind: int
    record: Record
    rate: int

    def encode(self) -> bytes:
        """The entry of a packet-out (docs/protocol/wire-format.md)."""
        # Your part 2: 34 bytes, big-endian, as docs/protocol/wire-format.md has them ("Packet-out: batches"); struct.pack will do.
        return bytes(34)


class Lists:
    """The records of all ports of a switch."""

    def __init__(self, capacities: dict[int, int]) -> None:
        self.capacities = capacities
        self.records: dict[int, dict[Key, Record]] = {port: {} for port in capacities}

    def packet_in(self, event: dict[str, int]) -> list[Change]:
        """Keep the records in step with the switch's, and say who has to change."""
        # Your part 3: which record does the event tell of, what has become of it, and is anything due after it?
        # Which events tell of no record at all? And who tells you of the reduces that you send yourself?
        return []

    def after_admission(self, others: list[Record], verdict: int, share: int) -> list[Change]:
        """The lists of Algorithm 1, after the switch has admitted a transmission at B_c = share."""
        # Your part 4: the reduce list of the second case; both lists of the third one (docs/decisions/calling-back.md).
        return []

    def after_departure(self, port: int) -> list[Change]:
        """Offer the freed capacity to the transmissions that this port holds back."""
        # Your part 5: each could have (B_v + B_ctl) / Q_ctl now (docs/decisions/freed-capacity-is-handed-out-at-once.md).
        return []


async def serve(switch: finsy.Switch, capacities: dict[int, int]) -> None:
    """Read the switch's packet-ins for ever, and answer each with the packet-outs that are due."""
    lists = Lists(capacities)
    async for packet in switch.read_packets():
        changes = lists.packet_in(packet.metadata)
        # Your part 1: send them, by `await switch.write(finsy.P4PacketOut(payload, magic=…, count=…, reserved=0))`.
        print(changes)


if __name__ == "__main__":
    from frame import run

    run(serve)
