"""Layout of packet-ins and packet-outs, beside Scapy's and the P4 program's."""

from __future__ import annotations

import re
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.events import (
    ENTRY_BYTES,
    EVENT_BYTES,
    EVENT_FIELDS,
    PACKET_OUT_HEADER_BYTES,
    PACKET_OUT_MAGIC,
    Entry,
    EntryType,
    Event,
    EventError,
    EventType,
    decode_event,
    decode_packet_out,
    encode_packet_out_frames,
    encode_packet_outs,
    event_from_metadata,
)
from protocol.scapy_layers import NodectlEntry, NodectlEvent, NodectlPacketOut
from protocol.wire import TransmissionId
from tests.harness.switches import REPOSITORY

U8, U16, U32, U64 = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32, 64))
IDS = st.builds(TransmissionId, U64, U32, U32)
EVENTS = st.builds(
    Event,
    st.sampled_from(EventType),
    U8,
    U16,
    U32,
    U32,
    U64,
    U32,
    U64,
    U32,
    U32,
    U32,
    st.booleans(),
    IDS,
    U32,
    U32,
    st.integers(0, 2**48 - 1),
    U32,
)
ENTRIES = st.builds(Entry, st.sampled_from(EntryType), U16, IDS, U32, U32, U32)


@given(EVENTS, st.binary(max_size=20))
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


@given(st.lists(ENTRIES, max_size=150))
def test_batches_round_trip(entries: list[Entry]) -> None:
    frames = encode_packet_out_frames(entries)
    assert [entry for frame in frames for entry in decode_packet_out(frame)] == entries
    assert all(1 <= metadata["count"] <= 64 for metadata, _ in encode_packet_outs(entries))
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
    with pytest.raises(EventError):
        decode_packet_out(frame)


def p4_header(name: str) -> list[tuple[str, int]]:
    """Fields and widths of a header in headers.p4."""
    text = (REPOSITORY / "p4src" / "headers.p4").read_text(encoding="utf-8")
    body = re.search(rf"header {name} {{(.*?)\n}}", text, re.DOTALL)
    assert body is not None
    return [(field, int(width)) for width, field in re.findall(r"bit<(\d+)>\s+(\w+);", body.group(1))]


def test_the_p4_program_has_the_same_headers() -> None:
    event = p4_header("packet_in_t")
    assert tuple(field for field, _ in event) == EVENT_FIELDS
    assert sum(width for _, width in event) == 8 * EVENT_BYTES
    assert sum(width for _, width in p4_header("packet_out_t")) == 8 * PACKET_OUT_HEADER_BYTES
    assert sum(width for _, width in p4_header("entry_t")) == 8 * ENTRY_BYTES
