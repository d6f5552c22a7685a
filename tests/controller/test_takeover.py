"""A controller that starts beside switches that have records already: it finds them, puts right what the outage cost, and says so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bench.studies.controller_bed.controller_process import PORT, Controller, Setup
from bench.studies.controller_bed.fake_p4runtime import FakeSwitch
from bench.studies.controller_bed.model_switch import ModelSwitch, identity
from controller import timing
from protocol.constants import REFRESH_INTERVAL_S
from protocol.wire import Adjustment, MessageType
from tests.controller.test_controller import request, until_shares


def left_alone(switch: ModelSwitch) -> None:
    """The controller has died and no new one has connected yet: nobody sees the events of messages."""
    switch.events.clear()


def announced(switch: ModelSwitch) -> dict[str, float]:
    (event,) = switch.announcements
    assert (event["event"], event["switch"]) == ("took_over", "s1")
    return event


def test_who_joined_unseen_makes_the_others_go_down() -> None:
    switch = ModelSwitch()
    switch.join(1)
    switch.join(2)
    switch.announcements.clear()
    left_alone(switch)
    switch.success(3, switch.request(3))
    assert sum(switch.rates.values()) == 48_000
    switch.restart_controller()
    started_s = switch.now_s
    switch.pass_time(1.0)
    assert switch.rates == {1: 12_000, 2: 12_000, 3: 12_000}
    event = announced(switch)
    assert (event["records"], event["reduced"], event["offered"]) == (3, 2, 0)
    assert started_s == event["connected_at_s"] < event["records_known_at_s"] <= event["shares_right_at_s"] < started_s + 1.0
    switch.assert_in_step()


def test_what_was_left_unseen_is_handed_out() -> None:
    switch = ModelSwitch()
    for number in (1, 2, 3):
        switch.join(number)
    switch.pass_time(4.0)
    switch.adjustments.clear()
    switch.announcements.clear()
    switch.message(Adjustment(MessageType.TERMINATE, identity(2), 0))
    left_alone(switch)
    switch.restart_controller()
    switch.pass_time(1.0)
    assert announced(switch)["offered"] == 2
    switch.take_offers()
    assert switch.rates == {1: 18_000, 3: 18_000}
    switch.assert_in_step()


def test_a_switch_without_records_is_taken_over_at_once() -> None:
    switch = ModelSwitch()
    switch.deliver()
    assert announced(switch)["records"] == 0


def test_an_empty_switch_is_not_taken_over() -> None:
    switch = ModelSwitch()
    switch.state.connected(switch.now_s, is_empty=True)
    switch.deliver()
    assert switch.announcements == []


def test_many_records_in_several_ways_are_found() -> None:
    switch = ModelSwitch(1_000_000)
    switch.announcements.clear()
    switch.fill(9_000, 50)
    assert announced(switch)["records"] == 9_000
    assert max(record.slot for record in switch.model.records.values()) > 2 * 4096
    switch.assert_in_step()


@pytest.mark.parametrize("phases_s", [(0.3, 1.9, 4.6), (0.05, 0.1, 2.0), (3.1, 3.2, 4.9)])
def test_where_no_slot_can_be_read_the_refreshes_of_one_interval_are_enough(phases_s: tuple[float, float, float]) -> None:
    """BMv2, too busy to answer: each sender refreshes once an interval, at some time of its own."""
    switch = ModelSwitch()
    switch.join(1)
    switch.join(2)
    switch.announcements.clear()
    left_alone(switch)
    switch.success(3, switch.request(3))
    switch.answers_slot_reads = False
    switch.restart_controller()
    started_s = switch.now_s
    waiting = dict(zip(phases_s, (1, 2, 3), strict=True))
    while switch.now_s < started_s + REFRESH_INTERVAL_S + timing.RECHECK_S + 2.0 and not switch.announcements:
        switch.pass_time(0.1)
        for phase_s in [phase_s for phase_s in waiting if switch.now_s >= started_s + phase_s]:
            number = waiting.pop(phase_s)
            switch.refresh(number, switch.rates[number])
            switch.deliver()
    assert switch.rates == {1: 12_000, 2: 12_000, 3: 12_000}
    assert announced(switch)["shares_right_at_s"] <= started_s + REFRESH_INTERVAL_S + 0.5
    switch.assert_in_step()


def test_the_process_says_that_it_took_over_and_reads_no_register(tmp_path: Path) -> None:
    async def next_event(controller: Controller) -> dict[str, object]:
        assert controller.process.stdout is not None
        event = json.loads(await asyncio.wait_for(controller.process.stdout.readline(), 20))
        assert isinstance(event, dict)
        return event

    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller() as controller:
            await controller.ready()
            request(switch, 1)
            request(switch, 2)
            await until_shares(controller, {"A": 18_000_000, "B": 18_000_000})
            controller.process.kill()
            await controller.finish()
        request(switch, 3)
        async with setup.controller() as controller:
            await controller.ready()
            event = await next_event(controller)
            assert (event["event"], event["switch"], event["records"], event["reduced"]) == ("took_over", "s1", 3, 2)
            assert switch.model.ports[PORT].sum_kbps == 36_000
            assert (switch.pipeline_loads, switch.other_reads) == (1, 0)
        await switch.stop()

    asyncio.run(scenario())
