"""Telemetry questions and their echoes on the wire: encoding, decoding, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.receiver_negotiation import reply_to
from protocol.any_message import decode_any
from protocol.telemetry import HEADER_BYTES, HOP_BYTES, MOST_HOPS, Hop, Telemetry, TelemetryType
from protocol.wire import MessageError, MessageType, Negotiation, TransmissionId

IDS = st.builds(TransmissionId, st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
U32 = st.integers(0, 2**32 - 1)
HOPS = st.builds(Hop, link_kbps=U32, queue_packets=U32, sent_bytes=st.integers(0, 2**64 - 1), left_us=U32)
TELEMETRY = st.builds(Telemetry, st.sampled_from(TelemetryType), IDS, st.lists(HOPS, max_size=MOST_HOPS).map(tuple))
HOP = Hop(link_kbps=36_000, queue_packets=3, sent_bytes=1066, left_us=5)


@given(TELEMETRY)
def test_what_is_encoded_is_decoded(telemetry: Telemetry) -> None:
    data = telemetry.encode()
    assert len(data) == HEADER_BYTES + HOP_BYTES * len(telemetry.hops)
    assert decode_any(data) == telemetry


@given(st.binary(max_size=HEADER_BYTES + HOP_BYTES * (MOST_HOPS + 1)), st.sampled_from([b"", b"\x00\x41\x01", b"\x00\x42\x01\x02"]))
def test_no_bytes_are_taken_for_something_else(data: bytes, head: bytes) -> None:
    try:
        message = decode_any(head + data)
    except MessageError:
        return
    assert message.encode() == head + data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-1], "with 1 records"),
        (lambda data: data + b"x", "with 1 records"),
        (lambda data: data[:10], "less than 20"),
        (lambda data: data[:2] + b"\x02" + data[3:], "version is 2"),
        (lambda data: data[:3] + b"\x09" + data[4:], "with 9 records"),
    ],
)
def test_malformed_telemetry_is_refused(change: object, said: str) -> None:
    assert callable(change)
    with pytest.raises(MessageError, match=said):
        decode_any(change(Telemetry(TelemetryType.QUESTION, TransmissionId(1, 2), (HOP,)).encode()))


def test_too_many_records_cannot_be_encoded() -> None:
    with pytest.raises(MessageError, match="9 records; 8 fit"):
        Telemetry(TelemetryType.QUESTION, TransmissionId(1, 2), (HOP,) * 9).encode()
    with pytest.raises(MessageError, match="queue_packets"):
        Telemetry(TelemetryType.QUESTION, TransmissionId(1, 2), (Hop(link_kbps=1, queue_packets=-1, sent_bytes=0, left_us=0),)).encode()


def test_a_receiver_echoes_questions_alone() -> None:
    question = Telemetry(TelemetryType.QUESTION, TransmissionId(1, 2), (HOP,))
    echo = reply_to(question)
    assert echo == Telemetry(TelemetryType.ECHO, TransmissionId(1, 2), (HOP,))
    assert reply_to(echo) is None
    request = Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 5, 0, 1000)
    assert reply_to(request) == Negotiation(MessageType.SUCCESS, TransmissionId(1, 2), 5, 0, 1000)
