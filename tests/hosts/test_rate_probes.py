"""The sender's part of RCP and XCP: a question every round trip, and the last answer's rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hosts.hpcc_window import HpccWindow
from hosts.rate_probes import Ask, MeasuredLinks, RateProbes, ToldRate
from hosts.sender_negotiation import CarryOnAlone, Phase, Send, SetRate, Timing
from protocol.telemetry import Hop, Telemetry, TelemetryType
from protocol.wire import Adjustment, Flags, MessageType, Negotiation, TransmissionId

ID = TransmissionId(77, 5)
RTT_US = 60_000
MAX_KBPS = 200_000


def answer(rate_kbps: int) -> Negotiation:
    return Negotiation(MessageType.SUCCESS, ID, rate_kbps, 0, RTT_US)


@pytest.fixture
def probes() -> RateProbes:
    return RateProbes(ID, MAX_KBPS, RTT_US)


def test_it_asks_every_round_trip(probes: RateProbes) -> None:
    first = probes.start(10.0)
    assert first == [Send(Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 0, RTT_US, flags=Flags.NONE))]
    assert probes.on_message(answer(36_000), 10.05) == [SetRate(36_000)]
    assert probes.phase is Phase.ALLOCATED
    assert probes.deadline_s == pytest.approx(10.05), "the RTT is 50 ms by now, and as long ago it has asked"
    assert probes.on_time(10.04) == [], "too early"
    assert probes.on_time(10.05) == [Send(Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 0, 50_000, flags=Flags.RENEGOTIATION))]
    assert probes.on_message(answer(18_000), 10.13) == [SetRate(18_000)]
    assert probes.rtt_us == 80_000
    assert probes.on_message(answer(12_000), 10.14) == [SetRate(12_000)], "a late answer is the newest one all the same"
    assert (probes.counters.requests, probes.counters.successes) == (2, 3)


def test_it_may_say_its_rate() -> None:
    probes = RateProbes(ID, MAX_KBPS, RTT_US, ToldRate(says_its_rate=True))
    assert probes.start(0.0) == [Send(Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 0, RTT_US, flags=Flags.NONE))], "none so far"
    assert probes.on_message(answer(36_000), 0.06) == [SetRate(36_000)]
    (asked,) = probes.on_time(0.06)
    assert asked == Send(Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 36_000, RTT_US, flags=Flags.RENEGOTIATION))
    changed = replace(answer(20_000), min_kbps=20_000)
    assert probes.on_message(changed, 0.12) == [SetRate(20_000)]


def test_it_sends_no_more_than_it_can(probes: RateProbes) -> None:
    probes.start(0.0)
    assert probes.on_message(answer(MAX_KBPS + 1), 0.06) == [SetRate(MAX_KBPS)]


def test_what_is_lost_is_asked_again(probes: RateProbes) -> None:
    probes.start(0.0)
    assert probes.deadline_s == pytest.approx(0.18), "three RTTs"
    (again,) = probes.on_time(0.18)
    assert isinstance(again, Send)
    probes.on_message(answer(36_000), 0.20)
    assert probes.rtt_us == RTT_US, "which of the two was answered?"
    assert probes.deadline_s == pytest.approx(0.24)


def test_without_any_answer_it_goes_on_alone() -> None:
    probes = RateProbes(ID, MAX_KBPS, RTT_US, timing=Timing(tries=3))
    probes.start(0.0)
    said = [probes.on_time(at_s) for at_s in (0.18, 0.36, 0.54)]
    assert [type(action) for actions in said for action in actions] == [Send, Send, CarryOnAlone]
    assert probes.phase is Phase.UNANSWERED
    assert probes.deadline_s is None
    assert probes.on_message(answer(36_000), 1.0) == []


def test_a_rate_stays_while_answers_fail_to_come() -> None:
    probes = RateProbes(ID, MAX_KBPS, RTT_US, timing=Timing(tries=1))
    probes.start(0.0)
    probes.on_message(answer(36_000), 0.06)
    now_s = 0.06
    for _ in range(5):
        now_s = probes.deadline_s or now_s
        assert [type(action) for action in probes.on_time(now_s)] == [Send]
    assert (probes.phase, probes.rate_kbps) == (Phase.ALLOCATED, 36_000)


def test_others_messages_are_ignored(probes: RateProbes) -> None:
    probes.start(0.0)
    for message in (
        replace(answer(36_000), id=TransmissionId(78, 5)),
        replace(answer(36_000), type=MessageType.FAILURE),
        Adjustment(MessageType.REDUCE, ID, 1_000),
    ):
        assert probes.on_message(message, 0.06) == []
    assert probes.counters.ignored == 3


def test_the_end_is_nobodys_business(probes: RateProbes) -> None:
    probes.start(0.0)
    assert probes.end() == []
    assert probes.deadline_s is None
    with pytest.raises(ValueError, match="starts once"):
        probes.start(1.0)


def test_it_computes_its_rate_from_records() -> None:
    probes = RateProbes(ID, MAX_KBPS, RTT_US, MeasuredLinks(HpccWindow(1066, RTT_US)))
    question = Ask(Telemetry(TelemetryType.QUESTION, ID))
    assert probes.start(0.0) == [question]
    assert probes.on_message(answer(36_000), 0.05) == [], "nobody was asked for a rate"
    echo = Telemetry(TelemetryType.ECHO, ID, (Hop(link_kbps=36_000, queue_packets=0, sent_bytes=0, left_us=1_000),))
    assert probes.on_message(echo, 0.06) == [SetRate(36_000)]
    assert probes.on_time(0.06) == [question]
    assert probes.on_message(echo, 0.12) == [], "the same records say nothing new"
    assert probes.rate_kbps == 36_000
    assert probes.on_time(0.12) == [question]
    later = Hop(link_kbps=36_000, queue_packets=0, sent_bytes=2 * 36_000 * 120 // 8, left_us=121_000)
    (changed,) = probes.on_message(Telemetry(TelemetryType.ECHO, ID, (later,)), 0.18)
    assert isinstance(changed, SetRate)
    assert changed.rate_kbps == pytest.approx(36_000 * 0.95 / 2, rel=0.02)
    assert probes.on_message(Telemetry(TelemetryType.QUESTION, ID), 0.19) == []
    assert (probes.counters.requests, probes.counters.successes, probes.counters.ignored) == (3, 3, 2)


def test_on_a_way_without_managed_links_it_sends_as_fast_as_it_can() -> None:
    probes = RateProbes(ID, MAX_KBPS, RTT_US, MeasuredLinks(HpccWindow(1066, RTT_US)))
    probes.start(0.0)
    assert probes.on_message(Telemetry(TelemetryType.ECHO, ID), 0.06) == [SetRate(MAX_KBPS)]
