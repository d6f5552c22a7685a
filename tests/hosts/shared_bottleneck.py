"""A packet simulation of one link shared by plain TCP and two subflows: the results of the RFC's own equations, in floating point.

The link has a queue that loses one of its packets by chance when it is full, as ``Direction(random_drop=True)`` has. No slow start
threshold is known at first; a loss is noticed one RTT after it; a window shrinks once for all losses of a round trip.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Sequence

TCP, SUBFLOWS = 0, (1, 2)
WINDOW_MIN = 2.0

Growth = Callable[[Sequence[float], int], float]
"""Growth of a subflow for each packet acknowledged, from both subflows' windows (equal RTTs) and its own index."""


def standard(windows: Sequence[float], own: int) -> float:
    return 1 / windows[own]


def lia(windows: Sequence[float], own: int) -> float:
    """RFC 6356, section 3, for equal RTTs: alpha = w_total max(w) / w_total^2."""
    total = sum(windows)
    return min(max(windows) / total / total, 1 / windows[own])


def coupled(windows: Sequence[float], _own: int) -> float:
    return 1 / sum(windows)


def halved(windows: Sequence[float], own: int) -> float:
    return windows[own] - windows[own] / 2


def by_half_of_all(windows: Sequence[float], own: int) -> float:
    return windows[own] - sum(windows) / 2


class SharedBottleneck:
    """The link and its three senders; :meth:`share` runs them once."""

    def __init__(self, growth: Growth, after_loss: Growth, *, rate_pps: float, base_s: float, queue_packets: int, seed: int) -> None:
        self._growth, self._after_loss = growth, after_loss
        self._rate_pps, self._base_s, self._room = rate_pps, base_s, queue_packets
        self._chance = random.Random(seed)
        self._queue: deque[tuple[int, int]] = deque()
        self._events: list[tuple[float, bool, int, int]] = []
        self._windows = [10.0] * 3
        self._thresholds = [float("inf")] * 3
        self._in_flight, self._sent, self._recovers_until = [0] * 3, [0] * 3, [-1] * 3

    def share(self, duration_s: float, from_s: float) -> float:
        """Run for ``duration_s``; returns the subflows' part of the packets acknowledged after ``from_s``."""
        got = [0] * 3
        for flow in range(3):
            self._send(flow, 0.0)
        for slot in range(int(duration_s * self._rate_pps)):
            now_s = slot / self._rate_pps
            while self._events and self._events[0][0] <= now_s:
                _, is_lost, flow, number = heapq.heappop(self._events)
                self._in_flight[flow] -= 1
                got[flow] += now_s > from_s and not is_lost
                self._react(flow, number, is_lost)
                self._send(flow, now_s)
            if self._queue:
                flow, number = self._queue.popleft()
                heapq.heappush(self._events, (now_s + self._base_s, False, flow, number))
        return sum(got[flow] for flow in SUBFLOWS) / sum(got)

    def _send(self, flow: int, now_s: float) -> None:
        while self._in_flight[flow] < int(self._windows[flow]):
            self._in_flight[flow] += 1
            self._sent[flow] += 1
            self._queue.append((flow, self._sent[flow]))
            if len(self._queue) > self._room:
                place = self._chance.randrange(len(self._queue))
                lost = self._queue[place]
                del self._queue[place]
                heapq.heappush(self._events, (now_s + self._base_s + len(self._queue) / self._rate_pps, True, *lost))

    def _react(self, flow: int, number: int, is_lost: bool) -> None:
        if number <= self._recovers_until[flow]:
            return
        is_subflow, windows = flow in SUBFLOWS, self._windows
        mine = (windows[1:], flow - 1) if is_subflow else (windows[:1], 0)
        if is_lost:
            self._recovers_until[flow] = self._sent[flow]
            windows[flow] = self._thresholds[flow] = max(WINDOW_MIN, (self._after_loss if is_subflow else halved)(*mine))
        elif windows[flow] < self._thresholds[flow]:
            windows[flow] += 1
        else:
            windows[flow] += (self._growth if is_subflow else standard)(*mine)
