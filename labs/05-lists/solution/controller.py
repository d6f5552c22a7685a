"""Lab 5: the controller's lists. It is told of every change of a record, and tells others to slow down or speed up."""

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
        record = self.record
        return struct.pack(
            "!HHHQIIIII", self.kind, 0, record.data_port, *record.key, record.sender_ip, record.receiver_ip, self.rate
        )  # fmt: skip


class Lists:
    """The records of all ports of a switch."""

    def __init__(self, capacities: dict[int, int]) -> None:
        self.capacities = capacities
        self.records: dict[int, dict[Key, Record]] = {port: {} for port in capacities}

    def packet_in(self, event: dict[str, int]) -> list[Change]:
        """Keep the records in step with the switch's, and say who has to change."""
        if event["event"] not in (ADMITTED, REFUSED, CONFIRMED, REDUCED, REMOVED, REFRESHED):
            return []
        records = self.records[event["data_port"]]
        key = event["content_id"], event["destination_id"], event["subflow"]
        if event["event"] in (REFUSED, REMOVED):
            records.pop(key, None)
        else:
            records[key] = Record(
                key, event["data_port"], event["sender_ip"], event["receiver_ip"], event["rate_kbps"], bool(event["is_bottleneck"])
            )
        changes = []
        if event["event"] == ADMITTED:
            others = [record for record in records.values() if record.key != key]
            changes = self.after_admission(others, event["verdict"], event["share_kbps"])
        elif event["event"] == REMOVED:
            changes = self.after_departure(event["data_port"])
        for change in changes:
            if change.kind == REDUCE:  # no event tells of our own reduces
                change.record.rate = change.rate
                change.record.is_bottleneck = True
        return changes

    def after_admission(self, others: list[Record], verdict: int, share: int) -> list[Change]:
        """The lists of Algorithm 1, after the switch has admitted a transmission at B_c = share."""
        if verdict == REDUCE_OTHERS:
            return [Change(REDUCE, record, share) for record in others if record.rate > share]
        if verdict == INCREASE_OTHERS:
            return [
                Change(INCREASE if record.rate < share else REDUCE, record, share)
                for record in others
                if record.is_bottleneck and record.rate != share
            ]
        return []

    def after_departure(self, port: int) -> list[Change]:
        """Offer the freed capacity to the transmissions that this port holds back."""
        records = list(self.records[port].values())
        free = self.capacities[port] - sum(record.rate for record in records)
        held_back = [record for record in records if record.is_bottleneck]
        if free <= 0 or not held_back:
            return []
        share = (free + sum(record.rate for record in held_back)) // len(held_back)
        return [Change(INCREASE, record, share) for record in held_back if record.rate < share]


async def serve(switch: finsy.Switch, capacities: dict[int, int]) -> None:
    """Read the switch's packet-ins for ever, and answer each with the packet-outs that are due."""
    lists = Lists(capacities)
    async for packet in switch.read_packets():
        changes = lists.packet_in(packet.metadata)
        for start in range(0, len(changes), MOST_ENTRIES):
            batch = changes[start : start + MOST_ENTRIES]
            payload = b"".join(change.encode() for change in batch)
            await switch.write(finsy.P4PacketOut(payload, magic=MAGIC, count=len(batch), reserved=0))


if __name__ == "__main__":
    from frame import run

    run(serve)
