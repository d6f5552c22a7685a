"""The sender's negotiation: its reaction in each case, and the invariants whatever messages come in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hosts.sender_negotiation import Action, AskElsewhere, CarryOnAlone, Pause, Phase, Send, SenderNegotiation, SetRate
from hosts.variants.paper import PaperSender
from protocol.wire import Adjustment, Flags, Message, MessageType, Negotiation, TransmissionId

ID = TransmissionId(0x1234, 0x0A000004)
OTHER_ID = TransmissionId(0x1235, 0x0A000004)
MAX_KBPS = 200_000
RTT_S = 0.06


def new(minimum_kbps: int = 0) -> SenderNegotiation:
    return SenderNegotiation(PaperSender(), ID, MAX_KBPS, minimum_kbps, round(RTT_S * 1e6))


def success(kbps: int, flags: Flags = Flags.NONE, identity: TransmissionId = ID) -> Negotiation:
    return Negotiation(MessageType.SUCCESS, identity, kbps, 0, 60_000, flags=flags)


def failure(flags: Flags = Flags.NONE) -> Negotiation:
    return Negotiation(MessageType.FAILURE, ID, MAX_KBPS, 0, 60_000, flags=flags)


def reduce(kbps: int) -> Adjustment:
    return Adjustment(MessageType.REDUCE, ID, kbps)


def increase(kbps: int) -> Adjustment:
    return Adjustment(MessageType.INCREASE, ID, kbps)


def sent(actions: list[Action]) -> list[Message]:
    return [action.message for action in actions if isinstance(action, Send)]


def request(kbps: int, flags: Flags = Flags.NONE, minimum_kbps: int = 0) -> Negotiation:
    return Negotiation(MessageType.REQUEST, ID, kbps, minimum_kbps, 60_000, flags=flags)


def allocated(kbps: int = 36_000, minimum_kbps: int = 0) -> SenderNegotiation:
    negotiation = new(minimum_kbps)
    negotiation.start(0.0)
    assert negotiation.on_message(success(kbps), RTT_S) == [SetRate(kbps)]
    return negotiation


def test_first_request_asks_for_all_it_can_send() -> None:
    assert new(500).start(0.0) == [Send(request(MAX_KBPS, minimum_kbps=500))]


def test_success_sets_the_rate() -> None:
    negotiation = allocated(12_000)
    assert negotiation.phase is Phase.ALLOCATED
    assert negotiation.rate_kbps == 12_000


def test_success_above_the_request_is_cut() -> None:
    negotiation = new()
    negotiation.start(0.0)
    assert negotiation.on_message(success(MAX_KBPS + 1), RTT_S) == [SetRate(MAX_KBPS)]


def test_silence_repeats_with_back_off_and_then_gives_up() -> None:
    negotiation = new()
    negotiation.start(0.0)
    times = []
    while negotiation.phase is Phase.REQUESTING:
        assert negotiation.deadline_s is not None
        times.append(negotiation.deadline_s)
        actions = negotiation.on_time(negotiation.deadline_s)
    assert len(times) == negotiation.timing.tries
    gaps = [later - earlier for earlier, later in zip([0.0, *times], times, strict=False)]
    assert gaps[0] == pytest.approx(3 * RTT_S)
    assert gaps == pytest.approx(sorted(gaps))
    assert max(gaps) == pytest.approx(negotiation.timing.timeout_max_s)
    assert times[-1] < 4
    assert actions[-1] == CarryOnAlone()
    assert sent(actions) == [Adjustment(MessageType.TERMINATE, ID, 0)]
    assert negotiation.phase is Phase.UNANSWERED
    assert negotiation.deadline_s is None


def test_late_answer_after_giving_up_is_ignored() -> None:
    negotiation = new()
    negotiation.start(0.0)
    while negotiation.deadline_s is not None:
        negotiation.on_time(negotiation.deadline_s)
    assert negotiation.on_message(success(1000), 100.0) == []
    assert negotiation.phase is Phase.UNANSWERED


def test_failure_waits_and_asks_again() -> None:
    negotiation = new()
    negotiation.start(0.0)
    assert negotiation.on_message(failure(), 0.1) == []
    assert negotiation.deadline_s == pytest.approx(0.6)
    assert negotiation.on_time(0.6) == [Send(request(MAX_KBPS))]
    negotiation.on_message(failure(), 0.7)
    assert negotiation.deadline_s == pytest.approx(1.7)


def test_failure_where_there_is_another_path_ends_it_here() -> None:
    negotiation = new()
    negotiation.has_other_path = True
    negotiation.start(0.0)
    *terminates, last = negotiation.on_message(failure(), RTT_S)
    assert last == AskElsewhere()
    assert [message.type for message in sent(terminates)] == [MessageType.TERMINATE] * 2
    assert (negotiation.phase, negotiation.deadline_s, negotiation.counters.failures) == (Phase.REFUSED, None, 1)
    assert negotiation.on_message(success(1_000), 2 * RTT_S) == []
    assert negotiation.end() == []


def test_who_has_had_a_rate_stays_on_its_path() -> None:
    negotiation = allocated()
    negotiation.has_other_path = True
    negotiation.on_message(increase(40_000), 1.0)
    assert negotiation.on_message(failure(Flags.RENEGOTIATION), 1.1) == [Pause()]
    assert negotiation.phase is Phase.WAITING


def test_failure_of_a_renegotiation_pauses() -> None:
    negotiation = allocated(12_000)
    negotiation.on_message(increase(18_000), 1.0)
    assert negotiation.on_message(failure(Flags.RENEGOTIATION), 1.06) == [Pause()]
    assert negotiation.rate_kbps is None
    assert negotiation.deadline_s is not None
    assert negotiation.on_time(negotiation.deadline_s) == [Send(request(MAX_KBPS, Flags.RENEGOTIATION))]
    assert negotiation.on_message(success(9_000, Flags.RENEGOTIATION), 3.0) == [SetRate(9_000)]


def test_reduce_takes_the_smaller_and_refreshes_soon() -> None:
    negotiation = allocated(36_000)
    assert negotiation.on_message(reduce(18_000), 1.0) == [SetRate(18_000)]
    assert negotiation.on_message(reduce(20_000), 1.01) == []
    assert negotiation.deadline_s == pytest.approx(1.0 + RTT_S)
    assert negotiation.on_time(1.0 + RTT_S) == [Send(request(18_000, Flags.REFRESH))]
    negotiation.on_message(success(18_000, Flags.REFRESH), 1.0 + 2 * RTT_S)
    assert negotiation.deadline_s == pytest.approx(6.0 + 2 * RTT_S)


def test_refresh_every_five_seconds_with_a_minimum_that_fits() -> None:
    negotiation = allocated(36_000, minimum_kbps=20_000)
    negotiation.on_message(reduce(12_000), 1.0)
    assert negotiation.on_time(2.0) == [Send(request(12_000, Flags.REFRESH, minimum_kbps=12_000))]
    negotiation.on_message(success(12_000, Flags.REFRESH), 2.0)
    assert negotiation.on_time(6.9) == []
    assert len(negotiation.on_time(7.0)) == 1


def test_an_unanswered_refresh_is_repeated_a_few_times() -> None:
    negotiation = allocated(36_000)
    negotiation.on_message(reduce(12_000), 1.0)
    times = []
    for _ in range(negotiation.timing.refresh_tries + 1):
        assert negotiation.deadline_s is not None
        times.append(negotiation.deadline_s)
        assert sent(negotiation.on_time(times[-1])) == [request(12_000, Flags.REFRESH)]
    assert [later - earlier for earlier, later in pairwise(times)] == pytest.approx([3 * RTT_S] * 3 + [5.0])


def test_answer_to_a_refresh_lowers_and_never_raises() -> None:
    negotiation = allocated(12_000)
    negotiation.on_time(6.0)
    assert negotiation.on_message(success(18_000, Flags.REFRESH), 6.06) == []
    assert negotiation.on_message(success(9_000, Flags.REFRESH), 6.07) == [SetRate(9_000)]


def test_increase_renegotiates_with_the_speed() -> None:
    negotiation = allocated(12_000)
    assert negotiation.on_message(increase(18_000), 1.0) == [Send(request(18_000, Flags.RENEGOTIATION))]
    assert negotiation.rate_kbps == 12_000
    assert negotiation.on_message(increase(18_000), 1.01) == []
    assert negotiation.on_message(success(17_000, Flags.RENEGOTIATION), 1.06) == [SetRate(17_000)]


def test_increase_below_the_rate_or_above_its_own_maximum() -> None:
    negotiation = allocated(MAX_KBPS)
    assert negotiation.on_message(increase(MAX_KBPS * 2), 1.0) == []
    assert negotiation.on_message(increase(5), 1.0) == []
    assert negotiation.counters.ignored == 2


def test_unanswered_renegotiation_keeps_the_rate_and_refreshes() -> None:
    negotiation = allocated(12_000)
    negotiation.on_message(increase(18_000), 1.0)
    actions: list[Action] = []
    for _ in range(negotiation.timing.tries):
        assert negotiation.deadline_s is not None
        actions = negotiation.on_time(negotiation.deadline_s)
    assert actions == [Send(request(12_000, Flags.REFRESH))]
    assert negotiation.rate_kbps == 12_000
    assert negotiation.phase is Phase.ALLOCATED


def test_no_refresh_while_a_renegotiation_is_under_way() -> None:
    negotiation = allocated(12_000)
    negotiation.on_message(increase(18_000), 5.0)
    assert negotiation.on_time(5.07) == []
    negotiation.on_message(reduce(10_000), 5.08)
    assert negotiation.on_time(5.17) == []
    assert negotiation.on_message(success(10_000, Flags.RENEGOTIATION), 5.175) == [SetRate(10_000)]
    assert sent(negotiation.on_time(5.3)) == [request(10_000, Flags.REFRESH)]


def test_repeated_answer_to_a_repeated_request_only_lowers() -> None:
    negotiation = allocated(12_000)
    assert negotiation.on_message(success(18_000), 0.2) == []
    assert negotiation.on_message(success(11_000), 0.2) == [SetRate(11_000)]


def test_end_terminates_twice_and_hears_no_more() -> None:
    negotiation = allocated()
    assert sent(negotiation.end()) == [Adjustment(MessageType.TERMINATE, ID, 0)] * 2
    assert negotiation.deadline_s is None
    assert negotiation.on_message(reduce(1), 2.1) == []
    assert negotiation.end() == []


def test_messages_of_others_are_ignored() -> None:
    negotiation = allocated(12_000)
    assert negotiation.on_message(success(1, identity=OTHER_ID), 1.0) == []
    assert negotiation.on_message(request(5), 1.0) == []
    assert negotiation.on_message(Adjustment(MessageType.TERMINATE, ID, 0), 1.0) == []
    assert negotiation.rate_kbps == 12_000
    assert negotiation.counters.ignored == 3


@pytest.mark.parametrize(("maximum", "minimum"), [(0, 0), (5, 6), (5, -1)])
def test_impossible_rates_are_refused(maximum: int, minimum: int) -> None:
    with pytest.raises(ValueError, match="rates must be"):
        SenderNegotiation(PaperSender(), ID, maximum, minimum, 1)


@dataclass(frozen=True)
class Event:
    """Time passes by ``wait_s``, then ``message`` comes in (None: only the clock)."""

    wait_s: float
    message: Message | None


FLAGS = st.sampled_from([Flags.NONE, Flags.RENEGOTIATION, Flags.REFRESH, Flags.RENEGOTIATION | Flags.REFRESH])
RATES = st.integers(1, 2**32 - 1) | st.integers(1, 40_000)
IDS = st.sampled_from([ID, ID, ID, OTHER_ID])
MESSAGES = st.builds(
    Negotiation, st.sampled_from([MessageType.REQUEST, MessageType.SUCCESS, MessageType.FAILURE]), IDS, RATES,
    st.integers(0, 1000), st.integers(0, 2**32 - 1), flags=FLAGS,
) | st.builds(
    Adjustment, st.sampled_from([MessageType.REDUCE, MessageType.INCREASE, MessageType.TERMINATE]), IDS, RATES, FLAGS
)  # fmt: skip
EVENTS = st.lists(st.builds(Event, st.floats(0, 7), st.none() | MESSAGES), max_size=40)


@settings(max_examples=400)
@given(events=EVENTS, minimum_kbps=st.integers(0, 20_000))
def test_whatever_comes_in(events: list[Event], minimum_kbps: int) -> None:
    negotiation = new(minimum_kbps)
    now_s = 0.0
    actions = negotiation.start(now_s)
    paused = True
    for event in events:
        now_s += event.wait_s
        rate_before = negotiation.rate_kbps
        awaited = negotiation.outstanding
        if event.message is None:
            actions = negotiation.on_time(now_s)
            assert not any(isinstance(action, SetRate) for action in actions), "time alone never changes a rate"
        else:
            actions = negotiation.on_message(event.message, now_s)
            if event.message.id != ID:
                assert actions == []
            if event.message.type is MessageType.REDUCE and event.message.id == ID and rate_before is not None:
                assert isinstance(event.message, Adjustment)
                assert negotiation.rate_kbps is not None
                assert negotiation.rate_kbps <= event.message.speed_kbps
        for action in actions:
            match action:
                case Send(message):
                    message.encode()  # raises if malformed
                case SetRate(rate_kbps):
                    paused = False
                    assert 1 <= rate_kbps <= MAX_KBPS
                    if rate_before is not None and rate_kbps > rate_before:
                        assert awaited is not None, "only the answer to a request of ours raises the rate"
                        assert rate_kbps <= awaited.message.max_kbps
                case Pause():
                    paused = True
        assert len(sent(actions)) <= 2, "no storms: what comes in and what is due sends a message or two"
        assert (negotiation.phase is Phase.ALLOCATED) == (not paused)
        assert (negotiation.rate_kbps is not None) == (negotiation.phase is Phase.ALLOCATED)
        live = (Phase.REQUESTING, Phase.WAITING, Phase.ALLOCATED)
        assert (negotiation.deadline_s is not None) == (negotiation.phase in live), "it never waits for nothing"
    for action in negotiation.end():
        assert isinstance(action, Send)
    assert negotiation.deadline_s is None


@given(events=EVENTS)
def test_time_always_makes_progress(events: list[Event]) -> None:
    negotiation = new()
    negotiation.start(0.0)
    now_s = 0.0
    for event in events:
        now_s += event.wait_s
        if event.message is not None:
            negotiation.on_message(event.message, now_s)
        negotiation.on_time(now_s)
        assert negotiation.deadline_s is None or negotiation.deadline_s > now_s
