"""The command ``set_capacity``: the link behind a port has another rate now (docs/decisions/new-rate-of-a-link.md).

Over the status socket ``{"op": "set_capacity", "switch": "s1", "port": 4, "capacity_bps": 20000000}``, or by hand
``python -m controller.capacity_change --socket PATH SWITCH PORT BPS``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from common.command_end import end_with
from common.errors import EXIT_CANNOT_RUN, UserError
from controller.status_client import ask
from scenario.network_description import SwitchDescription

SET_CAPACITY = "set_capacity"


class CapacityChange(BaseModel):
    """The fields of the command."""

    model_config = ConfigDict(extra="forbid", strict=True)

    op: str
    switch: str
    port: int
    capacity_bps: int
    """The link's rate in bit/s of Ethernet frames without FCS; counted in whole kbit/s, rounded down."""


class Session(Protocol):
    """The part of a session with a switch that the command needs (controller/session.py)."""

    switch: SwitchDescription

    async def set_capacity(self, port: int, capacity_bps: int) -> tuple[int, int]:
        """Tell the switch, and put the port's records right."""


async def answer_set_capacity(sessions: Sequence[Session], question: dict[str, Any]) -> dict[str, Any]:
    """Carry the command out: ``{"reduced": N, "offered": M}``, the records that go down and may go up, or ``{"error": "..."}``."""
    try:
        change = CapacityChange.model_validate(question)
        session = next((session for session in sessions if session.switch.name == change.switch), None)
        if session is None:
            known = ", ".join(session.switch.name for session in sessions)
            return {"error": f"there is no switch {change.switch!r}; known: {known}"}
        reduced, offered = await session.set_capacity(change.port, change.capacity_bps)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
        return {"error": f"{SET_CAPACITY}: {problems}"}
    except UserError as error:
        return {"error": "; ".join(part for part in (error.what, error.remedy) if part)}
    return {"reduced": reduced, "offered": offered}


def set_capacity(socket: Path, switch: str, port: int, capacity_bps: int) -> dict[str, Any]:
    """Tell a running controller that the link behind a port has another rate, bit/s.

    Returns:
        ``{"reduced": N, "offered": M}``: how many records were reduced, and how many were offered more.

    Raises:
        UserError: no controller answers on the socket, or it refuses; the message says why.
    """
    return ask(socket, SET_CAPACITY, switch=switch, port=port, capacity_bps=capacity_bps)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (2: it did not work, with one clear line on stderr)."""
    parser = argparse.ArgumentParser(prog="python -m controller.capacity_change", description="Tells the controller a link's new rate.")
    parser.add_argument("--socket", type=Path, required=True, metavar="PATH", help="the controller's --status-socket")
    parser.add_argument("switch", metavar="SWITCH")
    parser.add_argument("port", type=int, metavar="PORT")
    parser.add_argument("capacity_bps", type=int, metavar="BPS", help="the link's rate in bit/s")
    options = parser.parse_args(arguments)
    try:
        changes = set_capacity(options.socket, options.switch, options.port, options.capacity_bps)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    print(f"{changes['reduced']} reduced, {changes['offered']} offered more")
    return 0


if __name__ == "__main__":
    end_with(main)
