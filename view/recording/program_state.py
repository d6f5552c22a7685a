"""The switches' programs' state (``state.jsonl``): tables with entries and hits, registers, counters; whole when they have changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from engine.collect.samples import NANOSECONDS

Line = dict[str, Any]
KINDS = ("tables", "registers", "counters")
NEEDED = {"time_ns": int, "switch": str}


class ProgramState:
    """Takes in lines, and gives back the messages for a page.

    Args:
        start_s: CLOCK_MONOTONIC of the run's start; earlier lines are told as one line a switch, at 0.
        end_s: CLOCK_MONOTONIC; later lines are left out.
    """

    def __init__(self, start_s: float, end_s: float) -> None:
        self._start_s, self._end_s = start_s, end_s

    def take(self, lines: Sequence[bytes]) -> Iterator[dict[str, Any] | None]:
        """Messages of lines that are new; None for each that is damaged."""
        before: dict[str, Line] = {}
        for text in lines:
            line = _read(text)
            if line is None:
                yield None
                continue
            time_s = line.pop("time_ns") * NANOSECONDS
            if time_s <= self._start_s:
                known = before.get(line["switch"])
                before[line["switch"]] = line if known is None or "program" in line else _added(known, line)
                continue
            yield from ({"time_s": 0.0, **one} for one in before.values())
            before.clear()
            if time_s <= self._end_s:
                yield {"time_s": round(time_s - self._start_s, 3), **line}
        yield from ({"time_s": 0.0, **one} for one in before.values())


def _read(text: bytes) -> Line | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    if not isinstance(line, dict) or not all(isinstance(line.get(key), kind) for key, kind in NEEDED.items()):
        return None
    shapes = (isinstance(one, dict) and isinstance(one.get("name"), str) for kind in KINDS for one in _list(line.get(kind)))
    return line if all(shapes) else None


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _added(before: Line, line: Line) -> Line:
    """Both lines together: the later one of each table and array, with all that was said of entries."""
    both = dict(before)
    for kind in KINDS:
        told = {one["name"]: one for one in before.get(kind, [])}
        for one in line.get(kind, []):
            known = told.get(one["name"], {})
            entries = {entry["id"]: entry for entry in [*known.get("described", []), *one.get("described", [])]}
            more = {"described": list(entries.values())} if entries else {}
            told[one["name"]] = known | one | more
        if told:
            both[kind] = list(told.values())
    return both
