"""Packet-ins and packet-outs: reading and writing, beside Scapy's."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import EntryType
from protocol.constants import MAX_BATCH_ENTRIES, PACKET_OUT_MAGIC
from protocol.events import EVENT_FIELDS, EventError, decode_event, event_from_metadata
from protocol.headers import EVENT_BYTES, Entry, Event
from protocol.packet_out import PacketOutError, decode_packet_out, encode_packet_out_frames, encode_packet_outs
from protocol.scapy_layers import NodectlEntry, NodectlEvent, NodectlPacketOut
from protocol.wire import TransmissionId
from tests.harness.header_values import headers


@given(headers(Event), st.binary(max_size=20))
def test_event_round_trip_and_scapy(event: Event, frame: bytes) -> None:
    data = event.encode()
    assert len(data) == EVENT_BYTES
    assert decode_event(data + frame) == (event, frame)
    packet = NodectlEvent(data)
    assert packet.share_kbps == event.share_kbps
    assert packet.last_seen_us == event.last_seen_us
    values = {name: getattr(packet, name) for name in EVENT_FIELDS}
    for name in ("sender_ip", "receiver_ip"):
        values[name] = int(IPv4Address(values[name]))
    assert event_from_metadata(values) == event


@given(st.lists(headers(Entry), max_size=150))
def test_batches_round_trip(entries: list[Entry]) -> None:
    frames = encode_packet_out_frames(entries)
    assert [entry for frame in frames for entry in decode_packet_out(frame)] == entries
    assert all(1 <= metadata["count"] <= MAX_BATCH_ENTRIES for metadata, _ in encode_packet_outs(entries))
    for frame in frames:
        assert bytes(NodectlPacketOut(frame)) == frame


def test_scapy_reads_entries() -> None:
    (frame,) = encode_packet_out_frames([Entry(EntryType.REDUCE, 3, TransmissionId(1, 2, 3), 4, 5, 6)])
    packet = NodectlPacketOut(frame)
    assert packet.magic == PACKET_OUT_MAGIC
    assert packet[NodectlEntry].value == 6
    assert packet[NodectlEntry].receiver_ip == "0.0.0.5"


def test_what_is_no_event() -> None:
    with pytest.raises(EventError, match="shorter"):
        decode_event(bytes(EVENT_BYTES - 1))
    with pytest.raises(EventError, match="unknown event"):
        decode_event(bytes(EVENT_BYTES))
    with pytest.raises(EventError, match="no metadata field"):
        event_from_metadata({"event": 1})


@pytest.mark.parametrize("frame", [b"", bytes(50), encode_packet_out_frames([Entry(EntryType.READ_PORT, 1)])[0][:-1]])
def test_what_is_no_packet_out(frame: bytes) -> None:
    with pytest.raises(PacketOutError):
        decode_packet_out(frame)
