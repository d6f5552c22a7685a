"""Codec of the messages, beside Scapy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import VERSION_2_TYPES
from protocol.scapy_layers import Nodectl
from protocol.wire import (
    MAX_RTT_US,
    MESSAGE_BYTES,
    Adjustment,
    ErrorReason,
    Flags,
    Message,
    MessageError,
    MessageType,
    Negotiation,
    TransmissionId,
    decode,
)

IDS = st.builds(TransmissionId, st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
RATES = st.integers(1, 2**32 - 1)
FLAGS = st.integers(0, 3).map(Flags)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    kind = draw(st.sampled_from([kind for kind in MessageType if kind not in VERSION_2_TYPES]))
    if kind in (MessageType.REQUEST, MessageType.SUCCESS, MessageType.FAILURE):
        max_kbps = draw(RATES)
        return Negotiation(kind, draw(IDS), max_kbps, draw(st.integers(0, max_kbps)), draw(st.integers(1, MAX_RTT_US)), flags=draw(FLAGS))
    return Adjustment(kind, draw(IDS), draw(RATES), draw(FLAGS))


@given(messages())
def test_round_trip(message: Message) -> None:
    data = message.encode()
    assert len(data) == MESSAGE_BYTES
    assert decode(data) == message


@given(messages())
def test_scapy_reads_the_same(message: Message) -> None:
    packet = Nodectl(message.encode())
    assert packet.type == message.type
    assert (packet.content_id, packet.destination_id, packet.subflow) == (
        message.id.content_id,
        message.id.destination_id,
        message.id.subflow,
    )
    rate = message.max_kbps if isinstance(message, Negotiation) else message.speed_kbps
    assert packet.max_kbps == rate
    assert bytes(packet) == message.encode()


@given(st.one_of(st.binary(max_size=64), st.binary(min_size=28, max_size=28).map(lambda tail: b"\x00\x11\x01\x00" + tail)))
def test_noise_is_a_message_or_has_a_reason(data: bytes) -> None:
    outcome: Message | ErrorReason | None
    try:
        outcome = decode(data)
    except MessageError as error:
        outcome = error.reason
    assert outcome is not None
    assert isinstance(outcome, ErrorReason) or outcome.encode() == data


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 0, 0, 1), ErrorReason.MAX_ZERO),
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 1, 2, 1), ErrorReason.MIN_ABOVE_MAX),
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 1, 0, 0), ErrorReason.RTT),
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 1, 0, 2**24), ErrorReason.RTT),
        (Negotiation(MessageType.REDUCE, TransmissionId(1, 2), 1, 0, 1), ErrorReason.TYPE),
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 1, 0, 1, flags=Flags(4)), ErrorReason.FLAGS),
        (Negotiation(MessageType.REQUEST, TransmissionId(1, 2), 2**32, 0, 1), None),
        (Negotiation(MessageType.REQUEST, TransmissionId(2**64, 2), 1, 0, 1), None),
        (Adjustment(MessageType.REDUCE, TransmissionId(1, 2), 0), ErrorReason.SPEED_ZERO),
        (Adjustment(MessageType.REDUCE, TransmissionId(1, 2), -1), None),
        (Adjustment(MessageType.REQUEST, TransmissionId(1, 2), 1), ErrorReason.TYPE),
    ],
)
def test_what_must_not_be_sent(message: Message, reason: ErrorReason | None) -> None:
    with pytest.raises(MessageError) as caught:
        message.encode()
    assert caught.value.reason == reason


def test_new_transmissions_have_random_ids() -> None:
    assert TransmissionId.new() != TransmissionId.new()
