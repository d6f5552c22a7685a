"""The sender that follows a level (decision "one level a port"): when it asks, for which rate, and how it takes the answers."""

from __future__ import annotations

import pytest

from hosts.sender_negotiation import Action, Pause, Phase, Send, SenderNegotiation, SetRate
from hosts.variants.fair_level import FOLLOW_MAX_S, FOLLOW_MIN_S, FairLevelSender
from protocol.deployable_headers import MessageExtension
from protocol.wire import Flags, MessageType, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation

ID = TransmissionId(0x1234, 0x0A000004)
MAX_KBPS = 200_000
RTT_S = 0.02


class Way:
    """A sender, and the answers of its network."""

    def __init__(self) -> None:
        self.sender = SenderNegotiation(FairLevelSender(40_000, 5_001), ID, MAX_KBPS, 0, round(RTT_S * 1e6))
        self.asked: list[ExtendedNegotiation] = []
        self.now_s = 0.0
        self.take(self.sender.start(0.0))

    def take(self, actions: list[Action]) -> list[Action]:
        """Keep the messages; returns the other actions."""
        for action in actions:
            if isinstance(action, Send):
                assert isinstance(action.message, ExtendedNegotiation)
                self.asked.append(action.message)
        return [action for action in actions if not isinstance(action, Send)]

    def answer(self, level_kbps: int, granted_kbps: int | None = None, kind: MessageType = MessageType.SUCCESS) -> list[Action]:
        """Answer its last request an RTT later; returns the actions that follow, besides messages."""
        self.now_s += RTT_S
        asked = self.asked[-1]
        extension = MessageExtension(
            sequence=asked.extension.sequence,
            current_kbps=asked.extension.current_kbps,
            granted_kbps=level_kbps if granted_kbps is None else granted_kbps,
        )
        flags = asked.flags if kind is MessageType.SUCCESS else Flags.NONE
        return self.take(
            self.sender.on_message(ExtendedNegotiation(kind, ID, level_kbps, 0, 20_000, flags=flags, extension=extension), self.now_s)
        )

    def next_question_s(self) -> float:
        """Let it ask again; returns how long after the answer it does."""
        before_s, before = self.now_s, len(self.asked)
        while len(self.asked) == before:
            assert self.sender.deadline_s is not None
            self.now_s = max(self.now_s, self.sender.deadline_s)
            assert self.take(self.sender.on_time(self.now_s)) == []
        return self.now_s - before_s


@pytest.mark.parametrize(("level_kbps", "pause_s"), [(36_000, FOLLOW_MIN_S), (1_000, 0.2007), (10, FOLLOW_MAX_S)])
def test_it_asks_again_for_all_that_it_can_use(level_kbps: int, pause_s: float) -> None:
    """Seldom enough that its messages take a small part of its rate."""
    way = Way()
    assert way.answer(level_kbps) == [SetRate(level_kbps)]
    assert way.next_question_s() == pytest.approx(pause_s, rel=1e-3)
    question = way.asked[-1]
    assert (question.max_kbps, question.extension.current_kbps, question.flags) == (MAX_KBPS, level_kbps, Flags.RENEGOTIATION)


def test_it_says_at_once_that_it_has_become_slower_since_others_wait_for_that() -> None:
    way = Way()
    way.answer(36_000)
    way.next_question_s()
    assert way.answer(18_000) == [SetRate(18_000)]
    assert way.next_question_s() == 0
    assert way.asked[-1].extension.current_kbps == 18_000
    assert way.answer(18_000) == [SetRate(18_000)]
    assert way.next_question_s() == pytest.approx(FOLLOW_MIN_S)


def test_what_is_not_free_yet_it_asks_for_an_rtt_later() -> None:
    way = Way()
    assert way.answer(12_000, granted_kbps=0) == []
    assert way.next_question_s() == pytest.approx(RTT_S)
    assert way.answer(12_000, granted_kbps=5_000) == [SetRate(5_000)]
    assert way.next_question_s() == pytest.approx(RTT_S)
    assert way.answer(12_000) == [SetRate(12_000)]


def test_a_higher_level_is_followed_too() -> None:
    way = Way()
    way.answer(12_000)
    way.next_question_s()
    assert way.answer(18_000) == [SetRate(18_000)]


def test_a_failure_that_ends_its_records_makes_it_wait() -> None:
    way = Way()
    way.answer(12_000)
    way.next_question_s()
    assert way.answer(12_000, kind=MessageType.FAILURE) == [Pause()]
    assert way.sender.phase is Phase.WAITING
    assert way.next_question_s() == pytest.approx(way.sender.timing.wait_first_s)


def test_a_failure_that_answers_an_earlier_message_changes_nothing() -> None:
    """Otherwise the rate in its messages would not be true any more."""
    way = Way()
    way.answer(12_000)
    way.next_question_s()
    late = way.asked[0].extension
    failure = ExtendedNegotiation(MessageType.FAILURE, ID, 12_000, 0, 20_000, extension=late)
    assert way.take(way.sender.on_message(failure, way.now_s)) == []
    assert way.sender.rate_kbps == 12_000


def test_without_an_answer_it_keeps_its_rate_and_goes_on_asking() -> None:
    way = Way()
    way.answer(12_000)
    for _ in range(3 * way.sender.timing.tries):
        way.next_question_s()
    assert way.sender.rate_kbps == 12_000
    assert way.answer(18_000) == [SetRate(18_000)]
