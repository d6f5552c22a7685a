"""A controller's takeover of a switch that somebody controlled before: the records found, the changes, and the time when all was right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

TOOK_OVER = "took_over"


class TakeOver:
    """One switch, from the connection until every port's records are known and fit its capacity.

    Args:
        switch: its name.
        ports: numbers of the ports with rate control.
        now_s: when the connection was there, in the controller's clock.
    """

    def __init__(self, switch: str, ports: Iterable[int], now_s: float) -> None:
        self._switch = switch
        self._waiting = set(ports)
        self._unknown = set(self._waiting)
        self._connected_at_s = now_s
        self._known_at_s = now_s
        self.reduced = 0
        """Records that had to be reduced, since a port had given out more than it has."""
        self.offered = 0
        """Records that were offered more, since a port had capacity that nobody had handed out."""

    def is_known(self, port: int, now_s: float) -> bool:
        """The port's records agree with the switch's; whether that is so for the first time."""
        if port not in self._unknown:
            return False
        self._unknown.discard(port)
        self._known_at_s = now_s
        return True

    def is_right(self, port: int) -> bool:
        """The port's rates fit its capacity; whether that was the last port to wait for."""
        was_waited_for = port in self._waiting
        self._waiting.discard(port)
        return was_waited_for and not self._waiting

    def announcement(self, records: int, now_s: float) -> dict[str, Any]:
        """The announcement to other programs (docs/controller.md); times are seconds of the controller's clock, CLOCK_MONOTONIC."""
        return {
            "event": TOOK_OVER,
            "switch": self._switch,
            "records": records,
            "reduced": self.reduced,
            "offered": self.offered,
            "connected_at_s": round(self._connected_at_s, 6),
            "records_known_at_s": round(self._known_at_s, 6),
            "shares_right_at_s": round(now_s, 6),
        }
