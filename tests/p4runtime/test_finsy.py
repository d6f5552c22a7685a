"""finsy, as a controller uses it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import finsy as fy

from tests.harness.waiting import wait_for_async
from tests.p4runtime.conftest import Pair, Program
from tests.p4runtime.test_packets import CPU_PORT, frame


def switch_of(name: str, address: str, device_id: int, program: Program, ready: Any) -> fy.Switch:
    options = fy.SwitchOptions(p4info=program.p4info_path, p4blob=program.json_path, ready_handler=ready, device_id=device_id)
    return fy.Switch(name, address, options)


async def stop(controller: fy.Controller, running: asyncio.Task[None]) -> None:
    controller.stop()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def both(pair: Pair, program: Program, first: Any, second: Any) -> None:
    """Run handlers on the two switches until both have ended; they take a `fy.Switch`, whose annotations do not say what it does."""
    ended: list[asyncio.Future[None]] = [asyncio.get_running_loop().create_future() for _ in range(2)]

    def handler(index: int, work: Any) -> Any:
        async def run(switch: fy.Switch) -> None:
            try:
                await work(switch)
                ended[index].set_result(None)
            except Exception as error:
                ended[index].set_exception(error)

        return run

    works = (first, second)
    switches = [switch_of(f"s{n}", pair.addresses[n - 1], n, program, handler(n - 1, works[n - 1])) for n in (1, 2)]
    controller = fy.Controller(switches)
    running = asyncio.create_task(controller.run())
    try:
        await asyncio.wait_for(asyncio.gather(*ended), 10)
    finally:
        await stop(controller, running)


def test_tables_counters_registers_replication_and_packets(pair: Pair, program: Program) -> None:
    seen: dict[str, Any] = {}
    listening = asyncio.Event()

    async def receiver(switch: Any) -> None:
        entries = [
            +fy.P4TableEntry("route", match=fy.Match(dst="10.0.0.0/8"), action=fy.Action("to_cpu", reason=12)),
            +fy.P4TableEntry("acl", match=fy.Match(src="10.9.9.9/&255.255.255.255"), action=fy.Action("drop"), priority=4),
            +fy.P4MulticastGroupEntry(1, replicas=[1, 2]),
            +fy.P4CloneSessionEntry(100, replicas=[CPU_PORT]),
            ~fy.P4RegisterEntry("seen", index=3, data=77),
            ~fy.P4CounterEntry("port_counter", index=1, data=fy.P4CounterData(byte_count=1, packet_count=2)),
        ]
        await switch.write(entries[:1] + entries[2:])
        seen["register"] = (await fy_first(switch, fy.P4RegisterEntry("seen", index=3))).data
        seen["counter"] = (await fy_first(switch, fy.P4CounterEntry("port_counter", index=1))).packet_count
        seen["entries"] = [entry async for entry in switch.read(fy.P4TableEntry("route"))]
        seen["groups"] = [entry async for entry in switch.read(fy.P4MulticastGroupEntry())]
        packets = switch.read_packets()
        coming = asyncio.ensure_future(anext(packets))
        await asyncio.sleep(0)  # one turn of the loop, in which it begins to listen
        listening.set()
        seen["packet"] = await coming

    async def fy_first(switch: Any, entity: Any) -> Any:
        return await anext(aiter(switch.read(entity)))

    async def sender(switch: Any) -> None:
        await listening.wait()
        await switch.write(fy.P4PacketOut(bytes(frame()), egress_port=1, padding=0))

    asyncio.run(both(pair, program, receiver, sender))
    assert seen["register"] == 77
    assert seen["counter"] == 2
    assert len(seen["entries"]) == 1
    assert len(seen["groups"]) == 1
    assert seen["packet"]["reason"] == 12
    assert seen["packet"].payload == bytes(frame())


def test_a_second_controller_is_backup_and_takes_over(pair: Pair, program: Program) -> None:
    async def run() -> list[bool]:
        states = []
        ready = asyncio.Event()

        async def on_ready(switch: fy.Switch) -> None:
            states.append(switch.is_primary)
            ready.set()

        def switch(name: str) -> fy.Switch:
            return switch_of(name, pair.addresses[0], 1, program, on_ready)

        async def is_primary() -> bool:
            return bool(second["second"].is_primary)

        first, second = fy.Controller([switch("first")]), fy.Controller([switch("second")])
        async with asyncio.timeout(10):
            running = asyncio.create_task(first.run())
            await ready.wait()
            ready.clear()
            other = asyncio.create_task(second.run())
            await ready.wait()
            await stop(first, running)
            await wait_for_async("the second one to take over", is_primary)
            states.append(second["second"].is_primary)
            await stop(second, other)
        return states

    states = asyncio.run(run())
    assert states[:2] == [True, False]
    assert states[-1]
