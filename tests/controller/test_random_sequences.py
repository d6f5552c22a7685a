"""Random sequences of messages, losses and delays through the reference model and the core."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.studies.controller_bed.model_switch import PORT, ModelSwitch, identity
from protocol.codes import EntryType
from protocol.wire import Adjustment, Flags, MessageType, Negotiation

CAPACITY_KBPS = 36_000
NUMBERS = st.integers(1, 8)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("request"), NUMBERS, st.sampled_from([100, 5_000, 18_000, 200_000])),
        st.tuples(st.just("renegotiate"), NUMBERS, st.sampled_from([100, 5_000, 18_000, 200_000])),
        st.tuples(st.just("refresh"), NUMBERS, st.sampled_from([0, 100, 5_000])),
        st.tuples(st.just("success"), NUMBERS, st.sampled_from([0, 100, 5_000, 18_000])),
        st.tuples(st.just("passing reduce"), NUMBERS, st.integers(1, 20_000)),
        st.tuples(st.just("failure"), NUMBERS, st.just(0)),
        st.tuples(st.just("terminate"), NUMBERS, st.just(0)),
        st.tuples(st.just("time"), st.just(0), st.sampled_from([1, 5, 30, 200])),
        st.tuples(st.just("events come"), st.just(0), st.integers(1, 3)),
        st.tuples(st.just("entries arrive"), st.just(0), st.just(0)),
        st.tuples(st.just("events get lost"), st.just(0), st.just(0)),
        st.tuples(st.just("controller restarts"), st.just(0), st.just(0)),
        st.tuples(st.just("link changes"), st.just(0), st.sampled_from([1_000, 20_000, 72_000])),
    ),
    max_size=40,
)


class SlowSwitch(ModelSwitch):
    """Events and entries wait until a step lets them through, in order."""

    def __init__(self) -> None:
        super().__init__(CAPACITY_KBPS)
        self.under_way: list[list[object]] = []

    def step(self, what: str, number: int, value: int) -> None:
        rate = self.rates.get(number)
        match what:
            case "request":
                self.request(number, value)
            case "renegotiate":
                self.request(number, value, Flags.RENEGOTIATION)
            case "refresh":
                self.request(number, value or rate or 1, Flags.REFRESH)
            case "success":
                self.success(number, value or rate or 1)
            case "passing reduce":
                self.message(Adjustment(MessageType.REDUCE, identity(number), value))
            case "failure":
                self.message(Negotiation(MessageType.FAILURE, identity(number), 1, 0, 1000))
            case "terminate":
                self.message(Adjustment(MessageType.TERMINATE, identity(number), 0))
            case "time":
                self.now_s += value / 10
                self.state.tick(self.now_s)
            case "events come":
                for _ in range(min(value, len(self.events))):
                    event, message = self.events.popleft()
                    self.state.handle(event, message if isinstance(message, Negotiation) else None, self.now_s)
            case "entries arrive":
                self.carry_out(self.take())
            case "events get lost":
                self.events.clear()
            case "controller restarts":
                self.restart_controller()
            case "link changes":
                self.set_capacity(value)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_it_always_comes_back_into_step_and_within_the_capacity(steps: list[tuple[str, int, int]]) -> None:
    switch = SlowSwitch()
    for step in steps:
        switch.step(*step)
    switch.deliver()
    switch.pass_time(9.0)
    switch.assert_in_step()
    assert sum(switch.rates.values()) <= switch.model.ports[PORT].capacity_kbps
    switch.pass_time(20.0, step_s=0.5)
    assert switch.rates == {}
    assert not switch.state.ports[PORT].records


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), NUMBERS, st.integers(1_000, 200_000)), min_size=1, max_size=25))
def test_once_the_reduces_are_out_the_rates_fit(changes: list[tuple[bool, int, int]]) -> None:
    """With a controller that keeps up, after every single change."""
    switch = ModelSwitch(CAPACITY_KBPS)
    for joins, number, max_kbps in changes:
        if joins:
            switch.join(number, max_kbps)
        else:
            switch.message(Adjustment(MessageType.TERMINATE, identity(number), 0))
            switch.deliver()
        assert sum(switch.rates.values()) <= CAPACITY_KBPS
        switch.assert_in_step()
        switch.now_s += 0.01


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.integers(1_000, 200_000)), min_size=2, max_size=8, unique_by=lambda pair: pair[0]), st.data())
def test_after_a_departure_it_settles_with_few_messages(joining: list[tuple[int, int]], data: st.DataObject) -> None:
    """Senders that take every offer: a bounded number of offers, nothing left that a bottleneck record could use."""
    switch = ModelSwitch(CAPACITY_KBPS)
    wanted = dict(joining)
    for number, max_kbps in joining:
        switch.join(number, max_kbps)
        switch.now_s += 2.5
    leaving = data.draw(st.sampled_from(sorted(wanted)))
    del wanted[leaving]
    switch.adjustments.clear()
    switch.message(Adjustment(MessageType.TERMINATE, identity(leaving), 0))
    answered = 0
    for _ in range(100):
        switch.deliver()
        offers = switch.adjustments[answered:]
        if not offers:
            switch.pass_time(0.3)
            if answered == len(switch.adjustments):
                break
            continue
        answered += len(offers)
        for kind, number, speed_kbps in offers:
            if kind == EntryType.INCREASE and number in wanted and speed_kbps > switch.rates[number]:
                max_kbps = min(speed_kbps, wanted[number])
                if max_kbps > switch.rates[number]:
                    granted_kbps = switch.request(number, max_kbps, Flags.RENEGOTIATION)
                    switch.deliver()
                    switch.success(number, granted_kbps)
                    switch.deliver()
    else:
        raise AssertionError("it does not settle")
    per_record = max((sum(1 for _, number, _ in switch.adjustments if number == other) for other in wanted), default=0)
    assert per_record <= 8
    total = sum(switch.rates.values())
    assert total >= min(sum(wanted.values()), CAPACITY_KBPS) * 0.97
