"""Commands to an agent on standard input, a line of JSON each.

::

    {"command": "send", "plan": "plan.json"}
    {"command": "samples", "file": "receiver.csv", "interval_s": 0.01}
    {"command": "samples", "file": null}
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from common.errors import UserError
from hosts.periodic import SAMPLE_INTERVAL_S
from hosts.plan import explain

_READ_BYTES = 1 << 16


class SendCommand(BaseModel):
    """Carry out the transmissions of a plan file, whatever else is being sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: Literal["send"]
    plan: Path


class SamplesCommand(BaseModel):
    """Write samples of the bytes received to ``file`` from now on, every ``interval_s`` seconds; null: no more."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: Literal["samples"]
    file: Path | None
    interval_s: float = Field(default=SAMPLE_INTERVAL_S, ge=0.001, le=1)


Command = SendCommand | SamplesCommand
_COMMAND: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])


def parse_command(line: bytes) -> Command:
    """The command in one line.

    Raises:
        UserError: it is none; the message says what is wrong with it.
    """
    try:
        return _COMMAND.validate_json(line)
    except ValidationError as error:
        raise UserError(explain(error, "command")) from error


def read_lines(descriptor: int, take: Callable[[bytes | None], None]) -> None:
    """Hands each line that comes on ``descriptor`` to ``take`` in the running event loop, and None at its end.

    A thread reads, because an event loop cannot wait for a file.
    """
    loop = asyncio.get_running_loop()

    def read() -> None:
        rest = b""
        try:
            while chunk := os.read(descriptor, _READ_BYTES):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in filter(bytes.strip, lines):
                    loop.call_soon_threadsafe(take, line)
            if rest.strip():
                loop.call_soon_threadsafe(take, rest)
            loop.call_soon_threadsafe(take, None)
        except RuntimeError:
            return  # the loop has ended meanwhile: nobody obeys any more

    threading.Thread(target=read, name="commands", daemon=True).start()
