"""The controller's log: its sentences and their times, and the list of each port that follows from the sentences.

The sentences are those of controller/narrate.py and controller/switch_state.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

LINE = re.compile(r"^(\d\d):(\d\d):(\d\d)\.(\d\d\d) (\w+) +(.*)$")
ON_PORT = re.compile(r"^(\S+) port (\d{1,9}): (.*)$")
NUMBER = r"\d+(?:\.\d+)?"
CHANGED = re.compile(rf"(\S+) (reduced|may go) ({NUMBER}) → ({NUMBER})")
AND_MORE = re.compile(r" and (\d+) more")
ADMITTED = re.compile(rf"^(\S+) admitted at ({NUMBER}) Mbit/s")
RENEGOTIATED = re.compile(rf"^(\S+) renegotiated ({NUMBER}) → ({NUMBER}) Mbit/s")
TAKES = re.compile(rf"^(\S+) takes ({NUMBER}) of ({NUMBER}) Mbit/s")
GONE = re.compile(r"^(\S+) (?:refused|finished|failed to negotiate|timed out|left)\b")
CAPACITY = re.compile(rf"^capacity ({NUMBER}) → ({NUMBER}) Mbit/s")
DAY_S = 86_400.0


@dataclass(frozen=True)
class Said:
    """One line.

    Args:
        time_s: CLOCK_MONOTONIC.
        level: INFO, WARNING, ERROR.
        text: all that is said.
        sentence: the same without whose it is.
        switch, port: whose it is; None: nobody's in particular.
        shares: the port's list after it, Mbit/s by the names of transmissions; None: it is the same as before.
        capacity_mbps: the port's new capacity, if it was told one.
    """

    time_s: float
    level: str
    text: str
    sentence: str
    switch: str | None = None
    port: int | None = None
    shares: dict[str, float] | None = None
    capacity_mbps: float | None = None


@dataclass
class ControllerLog:
    """Takes in lines one after the other.

    Args:
        wall_clock_s: the wall clock's time when CLOCK_MONOTONIC is 0, seconds since 1970.
        near_s: CLOCK_MONOTONIC within half a day of the log's lines, which have only the time of day.
        local: whether that is this machine's time of day; else it is UTC.
    """

    wall_clock_s: float
    near_s: float
    local: bool
    _lists: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict, init=False)

    def take(self, line: str) -> Said | None:
        """Take in a line; returns its meaning, or None for one that is not the log's."""
        found = LINE.match(line)
        if found is None:
            return None
        hours, minutes, seconds, milliseconds = (int(part) for part in found.groups()[:4])
        time_s = self._time_s(timedelta(hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds))
        level, text = found[5], found[6]
        on_port = ON_PORT.match(text)
        if on_port is None:
            return Said(time_s, level, text, text)
        switch, port, sentence = on_port[1], int(on_port[2]), on_port[3]
        shares = self._lists.setdefault((switch, port), {})
        before = dict(shares)
        capacity = CAPACITY.match(sentence)
        _apply(sentence, shares)
        changed = dict(shares) if shares != before else None
        return Said(time_s, level, text, sentence, switch, port, changed, float(capacity[2]) if capacity else None)

    def _time_s(self, of_day: timedelta) -> float:
        near = datetime.fromtimestamp(self.wall_clock_s + self.near_s, UTC)
        if self.local:
            near = near.astimezone()
        near_of_day = timedelta(hours=near.hour, minutes=near.minute, seconds=near.second, microseconds=near.microsecond)
        apart_s = (of_day - near_of_day).total_seconds()
        return self.near_s + (apart_s + DAY_S / 2) % DAY_S - DAY_S / 2


def _apply(sentence: str, shares: dict[str, float]) -> None:
    """Apply a sentence to its port's list."""
    if found := ADMITTED.match(sentence):
        shares[found[1]] = float(found[2])
    elif found := RENEGOTIATED.match(sentence):
        shares[found[1]] = float(found[3])
    elif found := TAKES.match(sentence):
        shares[found[1]] = float(found[2])
    elif found := GONE.match(sentence):
        shares.pop(found[1], None)
    reduced = [(name, float(to)) for name, verb, _, to in CHANGED.findall(sentence) if verb == "reduced"]
    for name, to in reduced:
        shares[name] = to
    if reduced and AND_MORE.search(sentence):
        # Long lists are cut. All of a list are reduced to one share, and all who have more are on it (Algorithm 1).
        level = max(to for _, to in reduced)
        for name in [name for name, rate in shares.items() if rate > level]:
            shares[name] = level
