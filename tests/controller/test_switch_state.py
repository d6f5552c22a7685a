"""The core against the reference model: the entries it sends, the lines it writes, and that both stay in step."""

from __future__ import annotations

from bench.studies.controller_bed.model_switch import ModelSwitch, identity
from controller import timing
from protocol.codes import EntryType
from protocol.constants import REFRESH_INTERVAL_S
from protocol.variant import Decision, Variant
from protocol.wire import Adjustment, Flags, MessageType

REDUCE, INCREASE = EntryType.REDUCE, EntryType.INCREASE


def leave(switch: ModelSwitch, number: int) -> None:
    switch.message(Adjustment(MessageType.TERMINATE, identity(number), 0))


def test_three_join_and_get_a_third_each() -> None:
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
        switch.pass_time(REFRESH_INTERVAL_S)
        for other in range(1, number + 1):
            switch.refresh(other, switch.rates[other])
        switch.deliver()
    assert switch.rates == {1: 12_000, 2: 12_000, 3: 12_000}
    assert switch.adjustments == [(REDUCE, 1, 18_000), (REDUCE, 1, 12_000), (REDUCE, 2, 12_000)]
    assert "s1 port 4: A admitted at 36.0 Mbit/s" in switch.lines
    assert "s1 port 4: B admitted at 18.0 Mbit/s, A reduced 36.0 → 18.0" in switch.lines
    switch.assert_in_step()


def test_a_departure_is_offered_to_the_others_once_and_settles() -> None:
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
    switch.adjustments.clear()
    leave(switch, 2)
    switch.deliver()
    assert switch.adjustments == [(INCREASE, 1, 18_000), (INCREASE, 3, 18_000)]
    for number in (1, 3):
        switch.success(number, switch.request(number, 18_000, Flags.RENEGOTIATION))
        switch.deliver()
    switch.pass_time(REFRESH_INTERVAL_S)
    assert len(switch.adjustments) == 2
    assert switch.rates == {1: 18_000, 3: 18_000}
    assert "s1 port 4: B finished, 12.0 Mbit/s free again" in switch.lines
    assert "s1 port 4: A may go 12.0 → 18.0, C may go 12.0 → 18.0" in switch.lines
    switch.assert_in_step()


def test_without_d3_a_departure_changes_nothing() -> None:
    switch = ModelSwitch(variant=Variant.lacking(Decision.HANDED_OUT_AT_ONCE))
    for number in (1, 2):
        switch.join(number)
    switch.adjustments.clear()
    leave(switch, 2)
    switch.deliver()
    switch.pass_time(REFRESH_INTERVAL_S)
    assert switch.adjustments == []


def test_capacity_that_another_bottleneck_leaves_is_offered() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.join(2, success_kbps=6_000)
    assert switch.adjustments == [(REDUCE, 1, 18_000), (INCREASE, 1, 30_000)]
    switch.success(1, switch.request(1, 30_000, Flags.RENEGOTIATION))
    switch.deliver()
    assert switch.rates == {1: 30_000, 2: 6_000}
    switch.assert_in_step()


def test_what_a_newcomer_makes_free_is_shared_with_the_newcomer() -> None:
    """B_a counts the small ones as whole shares, so the newcomer gets less than is made free for it; A must not take all the rest."""
    switch = ModelSwitch(40_000)
    for number in (1, 2, 3):
        switch.join(number, 1_000)
    switch.pass_time(4.0)
    switch.join(4)
    switch.pass_time(4.0)
    assert switch.rates[4] == 37_000
    switch.adjustments.clear()
    granted_kbps = switch.request(5)
    switch.deliver()
    switch.pass_time(0.1)  # before the success is back
    assert granted_kbps == 8_000
    assert switch.adjustments == [(REDUCE, 4, 8_000), (INCREASE, 4, 18_500)]
    switch.success(5, granted_kbps)
    switch.success(4, switch.request(4, 18_500, Flags.RENEGOTIATION))
    switch.deliver()
    switch.pass_time(0.2)
    assert switch.adjustments[-1] == (INCREASE, 5, 18_500)
    switch.success(5, switch.request(5, 18_500, Flags.RENEGOTIATION))
    switch.deliver()
    assert (switch.rates[4], switch.rates[5]) == (18_500, 18_500)
    switch.assert_in_step()


def test_a_negotiation_that_never_ends_keeps_nothing_from_the_others() -> None:
    """B's success is lost: once it is given up waiting for, A is offered what B was being kept for."""
    switch = ModelSwitch(40_000)
    for number in (11, 12, 13):
        switch.join(number, 1_000)
    switch.pass_time(4.0)
    switch.join(1)
    switch.pass_time(4.0)
    switch.adjustments.clear()
    granted_kbps = switch.request(2)
    switch.deliver()
    switch.pass_time(0.1)
    switch.success(1, switch.request(1, 18_500, Flags.RENEGOTIATION))
    switch.deliver()
    switch.pass_time(1.0)
    assert switch.adjustments[-1] == (INCREASE, 1, 37_000 - granted_kbps)
    switch.assert_in_step()


def test_a_lost_offer_is_repeated_but_not_for_ever() -> None:
    switch = ModelSwitch()
    for number in (1, 2):
        switch.join(number)
    switch.adjustments.clear()
    leave(switch, 2)
    switch.deliver()
    switch.pass_time(10.0)
    assert switch.adjustments == [(INCREASE, 1, 36_000)] * timing.MAX_OFFER_TRIES


def test_an_outdated_offer_does_not_hold_its_sender_back() -> None:
    """B and C leave within a round trip: A asks for the rate of the first offer, and is offered the rest."""
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
    leave(switch, 2)
    switch.deliver()
    leave(switch, 3)
    switch.deliver()
    assert switch.adjustments[-1] == (INCREASE, 3, 18_000)
    switch.success(1, switch.request(1, 18_000, Flags.RENEGOTIATION))
    switch.deliver()
    assert switch.adjustments[-1] == (INCREASE, 1, 36_000)
    switch.success(1, switch.request(1, 36_000, Flags.RENEGOTIATION))
    switch.deliver()
    assert switch.rates == {1: 36_000}
    switch.assert_in_step()


def test_an_answer_to_an_offer_that_another_one_followed_does_not_hold_its_sender_back() -> None:
    """A's answer to the first offer comes after a second offer: the rate it asks for is still no wish of its own."""
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
    leave(switch, 2)
    switch.deliver()
    switch.pass_time(1.0)
    leave(switch, 3)
    switch.deliver()
    assert switch.adjustments[-1] == (INCREASE, 1, 36_000)
    switch.success(1, switch.request(1, 18_000, Flags.RENEGOTIATION))
    switch.deliver()
    switch.adjustments.clear()
    switch.pass_time(1.0)
    assert (INCREASE, 1, 36_000) in switch.adjustments
    switch.assert_in_step()


def test_an_unacknowledged_reduce_is_sent_again() -> None:
    switch = ModelSwitch()
    switch.acknowledge = False
    switch.join(1)
    switch.join(2)
    switch.pass_time(10.0)
    assert switch.adjustments.count((REDUCE, 1, 18_000)) == timing.MAX_REDUCE_TRIES


def test_a_refresh_acknowledges_a_reduce() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.join(2)
    switch.pass_time(10.0)
    assert switch.adjustments == [(REDUCE, 1, 18_000)]
    switch.assert_in_step()


def test_silent_records_expire_and_others_stay() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.join(2)
    for _ in range(4):
        switch.pass_time(REFRESH_INTERVAL_S)
        switch.request(2, switch.rates[2], Flags.REFRESH)
        switch.deliver()
    assert set(switch.rates) == {2}
    assert "s1 port 4: A timed out, 18.0 Mbit/s free again" in switch.lines
    switch.assert_in_step()


def test_expiry_leaves_a_record_alone_that_the_switch_has_seen() -> None:
    """The controller missed the refreshes (it was away), the switch did not."""
    switch = ModelSwitch()
    switch.join(1)
    switch.pass_time(14.0)
    switch.request(1, 36_000, Flags.REFRESH)
    switch.events.clear()
    switch.pass_time(3.0)
    assert switch.rates == {1: 36_000}
    switch.pass_time(20.0)
    assert switch.rates == {}


def test_a_restarted_controller_reads_the_records() -> None:
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
    switch.restart_controller()
    switch.pass_time(REFRESH_INTERVAL_S)
    assert len(switch.state.ports[4].records) == 3
    assert switch.state.reconciler.is_synchronised
    switch.assert_in_step()
    leave(switch, 1)
    switch.deliver()
    assert sorted(switch.adjustments[-2:]) == [(INCREASE, 2, 18_000), (INCREASE, 3, 18_000)]


def test_lost_events_are_found_and_mended() -> None:
    switch = ModelSwitch()
    switch.join(1)
    leave(switch, 1)
    switch.request(2)
    switch.request(3)
    switch.events.clear()
    switch.pass_time(12.0)
    switch.assert_in_step()
    assert any("differ" in line for line in switch.lines)


def test_a_switch_that_comes_back_empty_is_empty_here_too() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.model.records.clear()
    switch.model.ports[4].__init__(36_000)  # type: ignore[misc]
    switch.state.connected(switch.now_s, is_empty=True)
    switch.deliver()
    switch.assert_in_step()


def test_a_reduce_that_crosses_a_confirmation_is_not_forgotten() -> None:
    """C's success passes the switch before the reduce for it arrives: the view must end at the reduced rate."""
    switch = ModelSwitch()
    switch.request(1)
    switch.deliver()
    switch.request(2)
    event, message = switch.events.popleft()
    switch.success(1, 36_000)  # generated before the reduce reaches the switch
    switch.state.handle(event, message, switch.now_s)  # type: ignore[arg-type]
    entries = switch.take()
    assert (entries[0].type, entries[0].value) == (REDUCE, 18_000)
    while switch.events:
        event, message = switch.events.popleft()
        switch.state.handle(event, message, switch.now_s)  # type: ignore[arg-type]
    switch.carry_out(entries)
    switch.deliver()
    assert switch.rates == {1: 18_000, 2: 18_000}
    switch.assert_in_step()


def test_a_refusal_is_told_and_changes_nothing() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.request(2, 200_000, min_kbps=30_000)
    switch.deliver()
    assert switch.rates == {1: 36_000}
    assert "s1 port 4: B refused at 18.0 Mbit/s: below its minimum of 30.0 Mbit/s" in switch.lines


def test_a_thousand_records_go_out_in_full_batches() -> None:
    switch = ModelSwitch(1_000_000)
    switch.fill(1000, 1000)
    switch.assert_in_step()
    switch.request(1001)
    event, message = switch.events.popleft()
    switch.state.handle(event, message, switch.now_s)  # type: ignore[arg-type]
    batches = switch.state.take_batches(switch.now_s)
    assert [batch.count for batch in batches] == [64] * 15 + [41]  # 1,000 reduces and one port read
