"""Runs a student's controller beside a switch that is not there: packet-ins come as lines of JSON, packet-outs go back so.

It is started by its path, apart from the testbed's packages: a student's code is to be the student's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from finsy import P4PacketIn, P4PacketOut

SERVE = "serve"


class FakeSwitch:
    """As much of ``finsy.Switch`` as a controller of packet-ins and packet-outs uses."""

    name = "s1"

    def __init__(self) -> None:
        self.waits_for_more = asyncio.Event()
        self.sent: list[P4PacketOut] = []
        self._packets: asyncio.Queue[P4PacketIn] = asyncio.Queue()

    def bring(self, packet: P4PacketIn) -> None:
        """A packet-in."""
        self.waits_for_more.clear()
        self._packets.put_nowait(packet)

    async def read_packets(self, **_options: Any) -> AsyncIterator[P4PacketIn]:
        """Packet-ins as they come."""
        while True:
            if self._packets.empty():
                self.waits_for_more.set()
            yield await self._packets.get()

    async def write(self, *entities: Any, **_options: Any) -> None:
        """Takes packet-outs, alone or in lists."""
        for entity in entities:
            if isinstance(entity, P4PacketOut):
                self.sent.append(entity)
            elif isinstance(entity, list | tuple):
                await self.write(*entity)
            else:
                raise TypeError(f"the switch was given a {type(entity).__name__}, expected a P4PacketOut")


async def host(program: Path, answer: Any) -> None:
    """Answer requests for ever."""
    sys.path.insert(0, str(program.parent))
    student: asyncio.Task[None] | None = None
    switch = FakeSwitch()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["op"] == "start":
                if student is not None:
                    student.cancel()
                module = importlib.import_module(program.stem)
                switch = FakeSwitch()
                capacities = {int(port): kbps for port, kbps in request["capacities"].items()}
                student = asyncio.create_task(getattr(module, SERVE)(switch, capacities))
            else:
                switch.bring(P4PacketIn(bytes.fromhex(request["payload"]), metadata=request["metadata"]))
            assert student is not None
            waiting = asyncio.create_task(switch.waits_for_more.wait())
            await asyncio.wait([student, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if student.done():
                student.result()
                answer({"error": f"{SERVE}() has returned; it has to go on reading packet-ins"})
                continue
            answer({"packet_outs": [{"metadata": dict(one.metadata), "payload": one.payload.hex()} for one in switch.sent]})
            switch.sent.clear()
        except BaseException as error:
            answer({"error": described(error, program.parent)})


def described(error: BaseException, folder: Path) -> str:
    """The error, and the line of the student's that it is in."""
    text = f"{type(error).__name__}: {error}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == folder]
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or '').name}:{error.lineno}: {error.msg}"
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: {text} (in: {frames[-1].line})" if frames else text


def main() -> None:
    """Run the program; its output goes to standard error, since standard output is for answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(what: dict[str, Any]) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    with contextlib.suppress(BrokenPipeError):  # the asking process has gone
        asyncio.run(host(Path(sys.argv[1]).resolve(), answer))


if __name__ == "__main__":
    main()
