"""The receiver's answers (Algorithm 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.receiver_negotiation import answer
from protocol.codes import KNOWN_FLAGS
from protocol.deployable_headers import MessageExtension
from protocol.wire import Adjustment, Flags, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation

ID = TransmissionId(7, 8, 9)


def request(maximum: int, minimum: int, flags: Flags = Flags.NONE) -> Negotiation:
    return Negotiation(MessageType.REQUEST, ID, maximum, minimum, 40_000, flags=flags)


@given(
    maximum=st.integers(1, 2**32 - 1), share=st.floats(0, 1), provide=st.integers(0, 2**32 - 1),
    flags=st.sampled_from([flag for flag in Flags if flag & KNOWN_FLAGS]),
)  # fmt: skip
def test_success_with_the_smaller_rate_or_failure_below_min(maximum: int, share: float, provide: int, flags: Flags) -> None:
    minimum = int(maximum * share)
    reply = answer(request(maximum, minimum, flags), provide)
    assert reply is not None
    reply.encode()
    assert (reply.id, reply.flags, reply.min_kbps, reply.rtt_us) == (ID, flags, minimum, 40_000)
    if provide >= max(minimum, 1):
        assert (reply.type, reply.max_kbps) == (MessageType.SUCCESS, min(maximum, provide))
    else:
        assert reply.type is MessageType.FAILURE


def test_only_requests_are_answered() -> None:
    for message_type in (MessageType.SUCCESS, MessageType.FAILURE):
        assert answer(Negotiation(message_type, ID, 1, 0, 1)) is None
    assert answer(Adjustment(MessageType.TERMINATE, ID, 0)) is None


@pytest.mark.parametrize(("flags", "granted_kbps"), [(Flags.NONE, 30), (Flags.RENEGOTIATION | Flags.AGAIN, 30), (Flags.REFRESH, 20)])
def test_how_much_is_granted_is_said_on_the_way_back(flags: Flags, granted_kbps: int) -> None:
    """Nobody waits for a free rate. A refresh keeps the rate that it has."""
    extension = MessageExtension(sequence=3, current_kbps=20, granted_kbps=20, token=7)
    reply = answer(ExtendedNegotiation(MessageType.REQUEST, ID, 50, 0, 40_000, flags=flags, extension=extension), 30)
    assert isinstance(reply, ExtendedNegotiation)
    assert reply.max_kbps == 30
    assert reply.extension == MessageExtension(sequence=3, current_kbps=20, granted_kbps=granted_kbps, token=7)
