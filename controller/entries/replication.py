"""Multicast groups and clone sessions as P4Runtime updates."""

from __future__ import annotations

from collections.abc import Sequence

from finsy.proto import p4r

from controller.entries.entry import PlacedUpdate
from controller.entries.place import Place

Replica = tuple[int, int]
"""A port and its instance."""


def multicast_group(place: Place, group: int, replicas: Sequence[Replica]) -> PlacedUpdate:
    """A multicast group: packets to it leave by all these ports.

    Raises:
        UserError: there is no such group.
    """
    _check(place, "multicast group", group, 0xFFFF)
    made = p4r.MulticastGroupEntry(multicast_group_id=group, replicas=_replicas(replicas))
    return _inserted(place, p4r.PacketReplicationEngineEntry(multicast_group_entry=made))


def clone_session(place: Place, session: int, replicas: Sequence[Replica], packet_bytes: int = 0) -> PlacedUpdate:
    """A clone session: clones of it leave by these ports, cut to ``packet_bytes`` unless that is 0.

    Raises:
        UserError: there is no such session.
    """
    _check(place, "clone session", session, 0xFFFF)
    made = p4r.CloneSessionEntry(session_id=session, replicas=_replicas(replicas), packet_length_bytes=packet_bytes)
    return _inserted(place, p4r.PacketReplicationEngineEntry(clone_session_entry=made))


def _check(place: Place, what: str, number: int, most: int) -> None:
    if not 0 < number <= most:
        raise place.wrong(f"there is no {what} {number}: they go from 1 to {most}")


def _replicas(replicas: Sequence[Replica]) -> list[p4r.Replica]:
    return [p4r.Replica(egress_port=port, instance=instance) for port, instance in replicas]


def _inserted(place: Place, entry: p4r.PacketReplicationEngineEntry) -> PlacedUpdate:
    return PlacedUpdate(place, p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(packet_replication_engine_entry=entry)))
