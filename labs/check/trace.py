"""The switch's steps with a packet, in the lines of the student's program."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

MOST_LINES = 40


def trace_lines(events: Sequence[Mapping[str, Any]], own_files: Collection[str]) -> list[str]:
    """A trace as lines for people.

    Args:
        events: of p4sim.
        own_files: names of the files whose statements are shown; other statements are left out, but for the packet's way.
    """
    told = [line for event in events if _is_shown(event, own_files) for line in _text(event).splitlines()]
    lines = [
        f"{line}  ({number} times)" if number > 1 else line for line, number in ((line, len(list(same))) for line, same in groupby(told))
    ]
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        lines = [*lines[:half], f"  … {len(lines) - 2 * half} lines …", *lines[-half:]]
    return lines


def first_not_extracted(events: Sequence[Mapping[str, Any]], headers: Sequence[str]) -> str:
    """The first of the headers that the parser has not extracted; empty if it has all.

    Args:
        events: of p4sim.
        headers: those that the packet has and the program declares.
    """
    extracted = {one["header"] for event in events for one in event.get("extracted", ())}
    return next((name for name in headers if name not in extracted), "")


def why_dropped(events: Sequence[Mapping[str, Any]], missing: str) -> str:
    """Where a packet was dropped, in a few words; empty if that cannot be told.

    Args:
        events: of p4sim.
        missing: a header that the parser has not extracted.
    """
    error = next((event for event in events if event.get("error")), None)
    if error is not None:
        meaning = PARSER_ERRORS.get(error["error"], "")
        return f"the parser stopped in state {error['state']} with {error['error']}{f': {meaning}' if meaning else ''}"
    if missing:
        return f"the parser has not extracted {missing}"
    decided = ""
    for event in events:
        if event["event"] == "condition":
            decided = f"; before that, the condition in {_place(event)} was {str(event['result']).lower()}" if event.get("source") else ""
        elif event["event"] == "table":
            decided = f"; before that, table {event['table'].rpartition('.')[2]} had {'a hit' if event['hit'] else 'no entry for it'}"
        elif "dropped" in (event.get("effect") or "") and event.get("source"):
            return f"by {_place(event)}{decided}"
    return ""


PARSER_ERRORS = {
    "ParserTimeout": "a parser state leads back to itself without an end",
    "PacketTooShort": "it extracts more than there is",
    "NoMatch": "its select has no default",
    "HeaderTooShort": "a header of variable length is shorter than it says",
}
"""Their meanings, in a student's program."""


def _place(event: Mapping[str, Any]) -> str:
    source = event["source"]
    return f"{Path(source['file']).name}:{source['line']}"


def _is_shown(event: Mapping[str, Any], own_files: Collection[str]) -> bool:
    source = event.get("source")
    return source is None or Path(source["file"]).name in own_files


def _text(event: Mapping[str, Any]) -> str:
    text = "\n".join(line.partition(" ")[2] for line in str(event["text"]).splitlines())  # without the packet's number
    source = event.get("source")
    if source is None:
        return text
    return text.replace(f"({source['file']}:{source['line']})", f"({_place(event)})")
