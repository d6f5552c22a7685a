"""The whole controller process against P4Runtime servers on loopback: start, restart, mistakes, shutdown."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from pathlib import Path

from bench.studies.controller_bed.controller_process import LIMIT_S, PORT, RTT_US, Controller, Setup, ends
from bench.studies.controller_bed.fake_p4runtime import FakeSwitch
from protocol.constants import CLONE_SESSION, CPU_PORT
from protocol.wire import Adjustment, Flags, MessageType, Negotiation, TransmissionId
from tests.harness.free_port import free_port
from tests.harness.waiting import wait_for_async


async def until(condition: Callable[[], bool]) -> None:
    async def holds() -> bool:
        return condition()

    await wait_for_async("what the controller should do at the switch", holds, LIMIT_S)


async def until_shares(controller: Controller, shares: dict[str, int]) -> None:
    async def are_so() -> bool:
        return await controller.shares() == shares

    await wait_for_async(f"the shares {shares}", are_so, LIMIT_S)


def request(switch: FakeSwitch, number: int, max_kbps: int = 200_000, flags: Flags = Flags.NONE) -> None:
    """A whole negotiation, success included."""
    identity = TransmissionId(number, number, 0)
    answer = switch.inject(Negotiation(MessageType.REQUEST, identity, max_kbps, 0, RTT_US, flags=flags), *ends(number), PORT)
    assert isinstance(answer, Negotiation)
    switch.inject(Negotiation(MessageType.SUCCESS, identity, answer.max_kbps, 0, RTT_US, flags=flags), *ends(number), PORT)


def terminate(switch: FakeSwitch, number: int) -> None:
    switch.inject(Adjustment(MessageType.TERMINATE, TransmissionId(number, number, 0), 0), *ends(number), PORT)


def test_it_configures_adjusts_and_stops(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller() as controller:
            await controller.ready()
            assert (switch.pipeline_loads, len(switch.entries)) == (1, 4)
            replica = switch.clone_sessions[CLONE_SESSION].replicas[0]
            assert (replica.egress_port or int.from_bytes(replica.port, "big")) == CPU_PORT
            request(switch, 1)
            request(switch, 2)
            await until_shares(controller, {"A": 18_000_000, "B": 18_000_000})
            # The message has a way to go to the switch after the controller has made up its mind.
            await until(lambda: switch.adjusted == [(MessageType.REDUCE, 1, 18_000)])
            terminate(switch, 1)
            await until(lambda: len(switch.adjusted) == 2)
            assert switch.adjusted[1] == (MessageType.INCREASE, 2, 36_000)
            assert (await controller.ask("nonsense"))["error"].startswith("unknown op")
            records = (await controller.ask("records"))["records"]
            assert [(record["name"], record["offer_bps"]) for record in records] == [("B", 36_000_000)]
            assert await controller.finish(signal.SIGTERM) == 0
            log = await controller.log()
        assert "s1 port 4: B admitted at 18.0 Mbit/s, A reduced 36.0 → 18.0" in log
        assert "Traceback" not in log
        assert not setup.socket.exists()
        await switch.stop()

    asyncio.run(scenario())


def test_a_restart_keeps_the_pipeline_and_finds_the_records(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller() as controller:
            await controller.ready()
            request(switch, 1)
            request(switch, 2)
            await until_shares(controller, {"A": 18_000_000, "B": 18_000_000})
            controller.process.kill()
        updates = switch.table_updates
        setup.network["switches"][0]["routes"].pop()
        request(switch, 3)  # while nobody is in charge
        async with setup.controller() as controller:
            await controller.ready()
            assert switch.pipeline_loads == 1
            assert switch.table_updates == updates + 1  # the route that is gone
            # The reduces that the third one's admission should have caused were lost: they are made up for.
            await until_shares(controller, {"A": 12_000_000, "B": 12_000_000, "10.0.0.3→10.128.0.3": 12_000_000})
            await until(lambda: len(switch.adjusted) == 3)
            assert switch.model.ports[PORT].sum_kbps == 36_000
            assert await controller.finish(signal.SIGINT) == 0
            log = await controller.log()
        assert "pipeline kept, 1 table entry written" in log
        assert "3 records read from the switch" in log
        assert "s1 port 4: 12.0 Mbit/s more than there is" in log
        await switch.stop()

    asyncio.run(scenario())


def test_a_switch_that_restarts_empty_is_configured_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        address = await switch.start()
        setup = Setup(tmp_path, {"s1": address})
        async with setup.controller() as controller:
            await controller.ready()
            request(switch, 1)
            await until_shares(controller, {"A": 36_000_000})
            await switch.stop()
            switch = FakeSwitch({PORT: 36_000})
            await switch.start(address)
            await until(lambda: switch.pipeline_loads == 1 and len(switch.clone_sessions) == 1)
            await until_shares(controller, {})
            request(switch, 1, 36_000, Flags.REFRESH)  # lost state comes back: the sender's refresh brings its record back
            await until_shares(controller, {"A": 36_000_000})
            assert await controller.finish(signal.SIGTERM) == 0
            assert "s1 lost" in await controller.log()
        await switch.stop()

    asyncio.run(scenario())


def test_computing_and_the_channel_take_the_time_they_are_given(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})
        async with setup.controller("--event-ms", "50", "--record-us", "25000", "--channel-ms", "100") as controller:
            await controller.ready()
            request(switch, 1)
            await until_shares(controller, {"A": 36_000_000})
            started_s = time.monotonic()
            request(switch, 2)
            await until(lambda: len(switch.adjusted) == 1)
            # The channel twice, the event, and two entries: a reduce and a read.
            assert switch.last_packet_out_s - started_s >= 2 * 0.1 + 0.05 + 2 * 0.025
            assert await controller.finish(signal.SIGTERM) == 0
        await switch.stop()

    asyncio.run(scenario())


def test_impossible_costs_are_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        setup = Setup(tmp_path, {"s1": "127.0.0.1:1"})
        for option in ("--event-ms", "--record-us", "--channel-ms"):
            async with setup.controller(f"{option}=-1") as controller:
                assert await controller.finish() == 2
                assert "'-1' is not a number from 0 upwards" in await controller.log()

    asyncio.run(scenario())


def test_two_switches_and_one_that_comes_late(tmp_path: Path) -> None:
    async def scenario() -> None:
        first, second = FakeSwitch({PORT: 36_000}), FakeSwitch({PORT: 36_000})
        late = f"127.0.0.1:{free_port()}"
        setup = Setup(tmp_path, {"s1": await first.start(), "s2": late})
        async with setup.controller() as controller:
            await until(lambda: first.pipeline_loads == 1)
            await second.start(late)
            await controller.ready()
            assert second.pipeline_loads == 1
            switches = (await controller.ask("switches"))["switches"]
            assert [switch["is_connected"] for switch in switches] == [True, True]
        await first.stop()
        await second.stop()

    asyncio.run(scenario())


def one_line(text: str) -> str:
    """The last line of the log, which must be the only one that is not the log's own."""
    lines = [line for line in text.splitlines() if not line[:2].isdigit()]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


async def failure(setup: Setup, *options: str) -> str:
    async with setup.controller(*options) as controller:
        assert await controller.finish() == 2
        return one_line(await controller.log())


def test_wrong_input_is_one_clear_line(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        setup = Setup(tmp_path, {"s1": await switch.start()})

        setup.network["colour"] = "red"
        assert "colour: unknown key" in await failure(setup)
        del setup.network["colour"]

        text = setup.p4info.read_text()
        setup.p4info.write_text("tables {")
        assert "not a P4Info text file" in await failure(setup)
        setup.p4info.write_text("")
        assert "there is no table ipv4_lpm" in await failure(setup)
        setup.p4info.unlink()
        assert "No such file or directory; compile p4src/nodectl.p4 first" in await failure(setup)
        setup.p4info.write_text(text)

        program = setup.pipeline.read_text()
        setup.pipeline.write_text("nonsense")
        assert "not a compiled program" in await failure(setup)
        setup.pipeline.write_text(program)

        switch.refuse_entries = True
        assert "writing the tables: " in (line := await failure(setup))
        assert "Not a good entry" in line
        switch.refuse_entries = False

        setup.socket.write_text("a file")
        assert "exists and is not a socket" in await failure(setup)
        setup.socket.unlink()
        await switch.stop()
        assert "Connect call failed" in (line := await failure(setup, "--connect-timeout", "0.3"))
        assert "is the switch running?" in line

    asyncio.run(scenario())


def test_a_second_controller_gives_way_or_takes_over(tmp_path: Path) -> None:
    async def scenario() -> None:
        switch = FakeSwitch({PORT: 36_000})
        address = await switch.start()
        (tmp_path / "second").mkdir()
        setup, other = Setup(tmp_path, {"s1": address}), Setup(tmp_path / "second", {"s1": address})
        async with setup.controller() as controller:
            await controller.ready()
            assert "another controller is in charge" in await failure(other)
            async with other.controller("--election-id", "5") as successor:
                await successor.ready()
                assert await controller.finish() == 2
                assert "another controller is in charge" in one_line(await controller.log())
        await switch.stop()

    asyncio.run(scenario())


def test_a_server_that_is_not_p4runtime_is_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        silent = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
        port = silent.sockets[0].getsockname()[1]
        setup = Setup(tmp_path, {"s1": f"127.0.0.1:{port}"})
        assert "does not answer as a P4Runtime server" in await failure(setup, "--connect-timeout", "0.3")
        silent.close()

    asyncio.run(scenario())
