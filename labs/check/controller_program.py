"""A student's controller, beside the testbed's own data plane in a switch without links or clock."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labs.check import controller_host
from labs.check.line_process import LineProcess, StoppedError
from labs.check.packets import LAYOUTS
from labs.check.vocabulary import Failed

START_S = 30.0
"""For importing finsy."""

ANSWER_S = 5.0
"""For each packet-in."""


@dataclass(frozen=True)
class PacketOut:
    """A packet-out of the student's controller."""

    metadata: Mapping[str, Any]
    payload: bytes


@dataclass
class ControllerProgram:
    """The student's Python file, running.

    Args:
        file: Python, with the functions that the lab's README names.
    """

    file: Path
    _process: LineProcess = field(init=False)

    def __post_init__(self) -> None:
        command = [sys.executable, "-I", controller_host.__file__, str(self.file)]
        self._process = LineProcess(command, ANSWER_S, self.file.parent)

    def close(self) -> None:
        """End it."""
        self._process.close()

    def start(self, capacities_kbps: Mapping[int, int]) -> None:
        """Begin anew, with a switch whose ports carry so much.

        Raises:
            Failed: the program has ended, or does not come to the point where it waits for packet-ins.
        """
        self._ask("it does not begin to read packet-ins", within_s=START_S, op="start", capacities=capacities_kbps)

    def packet_in(self, data: bytes) -> list[PacketOut]:
        """The packet-outs that it sends when this frame comes out of the switch's port for the controller.

        Raises:
            Failed: the program has ended, or does not come to an end with it.
        """
        layout = LAYOUTS["event"]
        request: dict[str, Any] = {"metadata": layout.values(data), "payload": data[layout.size_bytes :].hex()}
        answer = self._ask("it does not come to an end with a packet-in", op="packet_in", **request)
        return [PacketOut(one["metadata"], bytes.fromhex(one["payload"])) for one in answer["packet_outs"]]

    def _ask(self, what: str, within_s: float | None = None, **request: Any) -> dict[str, Any]:
        try:
            answer = self._process.ask(within_s=within_s, **request)
        except StoppedError as error:
            raise Failed(f"{self.file.name}: {what}: {error}") from None
        if "error" in answer:
            raise Failed(f"your program failed: {answer['error']}")
        return answer
