"""finsy beside the package: a table entry written and read over P4Runtime."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import finsy as fy
import nodectl_p4


async def control(address: str, program: nodectl_p4.Program) -> None:
    """Write an entry, and read it back."""
    seen: list[object] = []

    async def ready(switch: Any) -> None:
        await switch.write([+fy.P4TableEntry("go", match=fy.Match(x=7), action=fy.Action("forward", port=2))])
        seen.extend([entry async for entry in switch.read(fy.P4TableEntry("go"))])
        controller.stop()

    options = fy.SwitchOptions(p4info=program.p4info_path, p4blob=program.json_path, ready_handler=ready, device_id=1)
    controller = fy.Controller([fy.Switch("s1", address, options)])
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait_for(controller.run(), 20)
    assert len(seen) == 1, seen


def main() -> None:
    """Compile, run, control."""
    program = nodectl_p4.compile("one.p4")
    with nodectl_p4.Switch(device_id=1) as switch:
        asyncio.run(control(switch.address, program))
        assert switch.show("table", "go")[0]["h.h.x"] == "7"


if __name__ == "__main__":
    main()
