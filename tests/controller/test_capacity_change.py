"""A link gets another rate while it is shared: the core, the command on the status socket, and the new rate after a reconnection."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from bench.studies.controller_bed.controller_process import PORT, Controller, Setup
from bench.studies.controller_bed.fake_p4runtime import FakeSwitch
from bench.studies.controller_bed.model_switch import PORT as MODEL_PORT
from bench.studies.controller_bed.model_switch import ModelSwitch
from controller import capacity_change
from protocol.codes import EntryType
from protocol.constants import REFRESH_INTERVAL_S
from protocol.variant import Decision, Variant
from protocol.wire import MessageType
from tests.controller.test_controller import request, until, until_shares

REDUCE, INCREASE = EntryType.REDUCE, EntryType.INCREASE


def three(switch: ModelSwitch) -> ModelSwitch:
    """A, B and C at 12 Mbit/s each."""
    for number in (1, 2, 3):
        switch.join(number)
    switch.pass_time(4.0)
    switch.adjustments.clear()
    return switch


def test_a_slower_link_reduces_all_to_what_it_can_carry() -> None:
    switch = three(ModelSwitch())
    assert switch.set_capacity(24_000) == (3, 0)
    switch.deliver()
    assert switch.rates == {1: 8_000, 2: 8_000, 3: 8_000}
    assert switch.adjustments == [(REDUCE, number, 8_000) for number in (1, 2, 3)]
    assert "s1 port 4: capacity 36.0 → 24.0 Mbit/s, A reduced 12.0 → 8.0, B reduced 12.0 → 8.0, C reduced 12.0 → 8.0" in switch.lines
    switch.pass_time(10.0)
    assert len(switch.adjustments) == 3
    switch.assert_in_step()


def test_who_takes_less_than_the_new_share_keeps_it() -> None:
    switch = ModelSwitch()
    switch.join(1, 2_000)
    switch.join(2)
    switch.pass_time(4.0)
    switch.set_capacity(20_000)
    switch.deliver()
    assert switch.rates == {1: 2_000, 2: 18_000}
    switch.assert_in_step()


def test_a_slower_link_with_room_left_changes_nobody() -> None:
    switch = ModelSwitch()
    switch.join(1, 2_000)
    switch.adjustments.clear()
    assert switch.set_capacity(20_000) == (0, 0)
    switch.deliver()
    assert switch.adjustments == []


def test_a_faster_link_is_handed_out() -> None:
    switch = three(ModelSwitch())
    assert switch.set_capacity(60_000) == (0, 3)
    switch.deliver()
    assert switch.adjustments == [(INCREASE, number, 20_000) for number in (1, 2, 3)]
    switch.take_offers()
    assert switch.rates == {1: 20_000, 2: 20_000, 3: 20_000}
    switch.pass_time(10.0)
    assert len(switch.adjustments) == 3
    switch.assert_in_step()


def test_without_d3_a_faster_link_waits_for_the_next_request() -> None:
    switch = three(ModelSwitch(variant=Variant.lacking(Decision.HANDED_OUT_AT_ONCE)))
    assert switch.set_capacity(60_000) == (0, 0)
    switch.deliver()
    switch.pass_time(REFRESH_INTERVAL_S)
    assert switch.adjustments == []


def test_without_d4_a_slower_link_reduces_all_the_same() -> None:
    switch = three(ModelSwitch(variant=Variant.lacking(Decision.CALLED_BACK)))
    assert switch.set_capacity(24_000) == (3, 0)
    switch.deliver()
    assert switch.rates == {1: 8_000, 2: 8_000, 3: 8_000}


def test_down_and_up_again_ends_where_it_began() -> None:
    switch = three(ModelSwitch())
    switch.set_capacity(6_000)
    switch.deliver()
    switch.set_capacity(36_000)
    switch.deliver()
    switch.take_offers()
    switch.pass_time(REFRESH_INTERVAL_S)
    assert switch.rates == {1: 12_000, 2: 12_000, 3: 12_000}
    switch.assert_in_step()


def test_a_request_answered_by_the_old_capacity_is_put_right() -> None:
    """The pipeline admits D by 36 Mbit/s just before the table changes; its event comes after the controller has worked out the reduces."""
    switch = three(ModelSwitch())
    assert switch.request(4) == 9_000
    switch.set_capacity(24_000)
    switch.deliver()
    switch.pass_time(1.0)
    assert sum(switch.rates.values()) <= 24_000
    assert len(set(switch.rates.values())) == 1
    switch.assert_in_step()


def test_a_newcomer_gets_its_share_of_the_new_capacity() -> None:
    switch = three(ModelSwitch())
    switch.set_capacity(24_000)
    switch.deliver()
    switch.join(4)
    assert switch.rates == dict.fromkeys((1, 2, 3, 4), 6_000)
    assert switch.state.ports[MODEL_PORT].free_kbps() == 0


async def told(controller: Controller, **command: Any) -> dict[str, Any]:
    return await controller.ask("set_capacity", **command)


def test_the_command_changes_table_and_records_and_outlives_the_connection(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        address = await switch.start()
        setup = Setup(tmp_path, {"s1": address})
        async with setup.controller() as controller:
            await controller.ready()
            request(switch, 1)
            request(switch, 2)
            await until_shares(controller, {"A": 18_000_000, "B": 18_000_000})
            assert await told(controller, switch="s1", port=PORT, capacity_bps=20_000_000) == {"reduced": 2, "offered": 0}
            await until_shares(controller, {"A": 10_000_000, "B": 10_000_000})
            assert switch.capacities_kbps == {PORT: 20_000}
            await until(lambda: switch.model.ports[PORT].sum_kbps == 20_000)
            assert await told(controller, switch="s1", port=PORT, capacity_bps=30_000_999) == {"reduced": 0, "offered": 2}
            await until(lambda: switch.adjusted[-2:] == [(MessageType.INCREASE, 1, 15_000), (MessageType.INCREASE, 2, 15_000)])

            await switch.stop()
            switch = FakeSwitch({PORT: 36_000})
            await switch.start(address)
            await until(lambda: switch.capacities_kbps == {PORT: 30_000})
            assert await controller.finish(signal.SIGTERM) == 0
        await switch.stop()

    asyncio.run(scenario())


def test_a_switch_that_is_away_is_told_when_it_is_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        address = await switch.start()
        setup = Setup(tmp_path, {"s1": address})
        async with setup.controller() as controller:
            await controller.ready()
            await switch.stop()
            async with asyncio.timeout(20):
                while (await controller.ask("switches"))["switches"][0]["is_connected"]:
                    await asyncio.sleep(0.02)
            assert "error" not in await told(controller, switch="s1", port=PORT, capacity_bps=5_000_000)
            switch = FakeSwitch({PORT: 36_000})
            await switch.start(address)
            await until(lambda: switch.capacities_kbps == {PORT: 5_000})
        await switch.stop()

    asyncio.run(scenario())


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"switch": "s9", "port": PORT, "capacity_bps": 1_000_000}, "there is no switch 's9'; known: s1"),
    ({"switch": "s1", "port": 7, "capacity_bps": 1_000_000}, "s1 has no port 7 with rate control; it has 4"),
    ({"switch": "s1", "port": PORT, "capacity_bps": 0}, "s1 port 4 cannot have a capacity of 0 bit/s; it may be 1000 to"),
    ({"switch": "s1", "port": PORT, "capacity_bps": 10**15}, "cannot have a capacity"),
    ({"switch": "s1", "port": PORT, "capacity_bps": "fast"}, "capacity_bps: Input should be a valid integer"),
    ({"switch": "s1", "port": PORT}, "capacity_bps: Field required"),
    ({"switch": "s1", "port": PORT, "capacity_bps": 1_000_000, "colour": "red"}, "colour: Extra inputs are not permitted"),
]


def test_wrong_commands_are_answered_and_change_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller() as controller:
            await controller.ready()
            updates = switch.table_updates
            for command, message in WRONG:
                assert message in (await told(controller, **command))["error"]
            assert switch.table_updates == updates
            assert (await controller.ask("ports"))["ports"][0]["capacity_bps"] == 36_000_000
        await switch.stop()

    asyncio.run(scenario())


def test_the_command_line_says_what_came_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert capacity_change.main(["--socket", str(tmp_path / "nobody.sock"), "s1", "4", "1000000"]) == 2
    assert "no controller answers there" in capsys.readouterr().err

    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller() as controller:
            await controller.ready()
            request(switch, 1)
            await until_shares(controller, {"A": 36_000_000})
            status = await asyncio.to_thread(capacity_change.main, ["--socket", str(setup.socket), "s1", str(PORT), "10000000"])
            assert status == 0
        await switch.stop()

    asyncio.run(scenario())
    assert capsys.readouterr().out == "1 reduced, 0 offered more\n"
