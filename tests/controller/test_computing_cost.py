"""The controller's cost of computing: events wait for one processor, packet-outs for their computing. Exact, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from controller.computing_cost import AT_ONCE, ComputingCost, Processor
from controller.session import SwitchSession
from protocol.wire import Flags
from tests.controller.near_switch import CAPACITY_BPS, PORT, NearSwitch, session_with
from tests.harness.simulated_time import SimulatedClock, run_simulated

CLOCK = SimulatedClock()
READ = 1
"""Entry that reads the port's totals; it follows all reduces."""
SLOW = ComputingCost(event_s=0.1, record_s=0.01)


def test_who_comes_first_computes_first_and_all_others_wait() -> None:
    ended: list[tuple[str, float]] = []

    async def job(name: str, processor: Processor, at_s: float, events: int, entries: int) -> None:
        await CLOCK.until(at_s)
        async with processor.turn(events):
            await processor.compute_entries(entries)
            ended.append((name, round(CLOCK.now_s(), 9)))

    async def main() -> None:
        processor = Processor(SLOW, CLOCK)
        assert processor.takes_time
        await asyncio.gather(
            job("late", processor, 3.0, 1, 0),
            job("second", processor, 1.02, 0, 5),
            job("first", processor, 1.0, 1, 3),
            job("third", processor, 1.05, 1, 0),
        )

    run_simulated(main())
    assert ended == [("first", 1.13), ("second", 1.18), ("third", 1.28), ("late", 3.1)]


def test_a_turn_that_is_broken_off_frees_the_processor() -> None:
    async def main() -> float:
        processor = Processor(SLOW, CLOCK)

        async def job() -> None:
            async with processor.turn(events=1):
                raise AssertionError("it was cancelled before")

        task = asyncio.create_task(job())
        await CLOCK.until(0.05)
        task.cancel()
        async with processor.turn(events=1):
            return CLOCK.now_s()

    assert run_simulated(main()) == pytest.approx(0.15)


@pytest.mark.parametrize("cost", [ComputingCost(), ComputingCost(channel_s=0.1)])
def test_without_costs_nobody_waits(cost: ComputingCost) -> None:
    async def main() -> None:
        processor = Processor(cost, CLOCK)
        assert not processor.takes_time
        async with processor.turn(events=1), processor.turn(events=1):  # nobody is kept out
            await processor.compute_entries(1000)
        assert processor.turn(events=1) is AT_ONCE
        assert CLOCK.now_s() == 0

    run_simulated(main())
    assert [bool(cost), bool(SLOW), bool(ComputingCost())] == [cost.channel_s > 0, True, False]


def with_session(
    cost: ComputingCost, monkeypatch: pytest.MonkeyPatch, story: Callable[[NearSwitch, SwitchSession], Awaitable[None]]
) -> NearSwitch:
    """The switch after a story that happened to it while a session served it."""

    async def main() -> NearSwitch:
        switch = NearSwitch(CLOCK)
        session = session_with(switch, Processor(cost, CLOCK), monkeypatch)
        serving = asyncio.create_task(session.run())
        await story(switch, session)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return switch

    return run_simulated(main())


def test_packet_outs_come_after_what_their_event_and_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(switch: NearSwitch, session: SwitchSession) -> None:
        await CLOCK.until(1.0)
        switch.request(1)  # computed at 1.1; nobody is reduced
        await CLOCK.until(2.0)
        switch.request(2)  # 2.1, and one reduce and a read are ready at 2.12; the totals come back then and are computed at 2.22
        await CLOCK.until(2.15)
        switch.request(3)  # its turn is at 2.22; 2.32, and two reduces and a read at 2.35
        await CLOCK.until(3.0)
        assert session.latency.summary().count == 2
        assert session.latency.summary().max_ms == pytest.approx(130)  # from its turn on: until then it waits in the stream

    switch = with_session(SLOW, monkeypatch, story)
    assert switch.sent_since(1.0) == [(2.12, 1 + READ), (2.35, 2 + READ)]


def test_at_no_cost_they_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(switch: NearSwitch, session: SwitchSession) -> None:
        await CLOCK.until(1.0)
        switch.request(1)
        await CLOCK.until(2.0)
        switch.request(2)
        await CLOCK.until(3.0)

    assert with_session(ComputingCost(), monkeypatch, story).sent_since(1.0) == [(2.0, 1 + READ)]


def test_refreshes_are_events_that_others_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(switch: NearSwitch, session: SwitchSession) -> None:
        await CLOCK.until(1.0)
        switch.request(1)
        await CLOCK.until(2.0)
        for _ in range(5):
            switch.request(1, Flags.REFRESH)
        switch.request(2)
        await CLOCK.until(3.0)

    assert with_session(SLOW, monkeypatch, story).sent_since(1.0) == [(2.62, 1 + READ)]


def test_a_new_capacity_is_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(switch: NearSwitch, session: SwitchSession) -> None:
        await CLOCK.until(1.0)
        switch.request(1)
        await CLOCK.until(2.0)
        assert await session.set_capacity(PORT, CAPACITY_BPS // 2) == (1, 0)
        assert CLOCK.now_s() == pytest.approx(2.1)
        await CLOCK.until(3.0)

    switch = with_session(SLOW, monkeypatch, story)
    assert switch.written == [2.0]
    assert switch.sent_since(1.0) == [(2.12, 1 + READ)]


def test_a_takeover_pays_for_every_slot_and_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(switch: NearSwitch, session: SwitchSession) -> None:
        switch.request(1)
        switch.events.get_nowait()  # it was told to a controller that is no more
        while not session.state.reconciler.is_synchronised:
            await CLOCK.sleep(0.001)

    switch = with_session(ComputingCost(event_s=0.01, record_s=0.0001), monkeypatch, story)
    # The totals at once; they differ, and a tick later 1024 slots are read, and the totals again.
    batches = [(0.0001, 1)] + [(0.2025, 64)] * 16 + [(0.2025, READ)]
    assert switch.sent_since(0.0)[: len(batches)] == batches
