"""Lines that the inside sends to the outside on the console: events are JSON behind a mark, all other lines are text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MARK = "\x1e"
"""Begins the lines that are events."""

Event = Mapping[str, Any]


def tell(event: str, **fields: object) -> None:
    """Inside: tell the outside of an event."""
    print(MARK + json.dumps({"event": event, **fields}), flush=True)


def parse(line: str) -> Event | None:
    """Outside: the event of a line; None if it is text."""
    if not line.startswith(MARK):
        return None
    try:
        event = json.loads(line[len(MARK) :])
    except ValueError:
        return None
    return event if isinstance(event, dict) else None
