"""The other end of labs/check/window_program.py: a congestion control, compiled for user space, driven round trip by round trip.

It is a process of its own, since a student's C is compiled into it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.rounds import Rounds


def main() -> None:
    """Answer requests, a line of JSON each, until there are no more."""
    frame = Frame.of_library(Path(sys.argv[1]))
    connections: dict[int, Rounds] = {}
    for line in sys.stdin:
        print(json.dumps(_answer(frame, connections, json.loads(line))), flush=True)


def _answer(frame: Frame, connections: dict[int, Rounds], request: dict[str, Any]) -> dict[str, Any]:
    number = request["connection"]
    if request["op"] == "open":
        connections[number] = Rounds(frame, request["window"], request["threshold"], request["rtt_us"])
        return {"windows": []}
    rounds = connections[number]
    windows: list[int] = []
    match request["op"]:
        case "rounds":
            windows = [rounds.round(request["rtt_us"], request["packets"], request["at_once"]) for _ in range(request["count"])]
        case "lose":
            rounds.lose_one()
        case "time_out":
            rounds.time_out()
            windows = [rounds.window]
            rounds.acknowledge_all()
        case "undo":
            rounds.connection.undo()
    return {"windows": [*windows, rounds.window], "threshold": rounds.connection.threshold}


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(main)
