"""Max-min fair shares, as an ideal network gives them to transmissions, and a fluid run of a whole scenario with them."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

L = TypeVar("L", bound=Hashable)
NEVER_S = float("inf")
NOTHING_BITS = 1e-3


def max_min_shares(
    ways: Mapping[str, Sequence[L]], capacities: Mapping[L, float], limits: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The share of each transmission, in the unit of the capacities.

    All rates grow together. When a link is full, its transmissions stop growing; a transmission that has all it can use stops, too
    (progressive filling, Bertsekas and Gallager 1992, section 6.5.2).

    Args:
        ways: the links each transmission crosses, at least one.
        capacities: of each link.
        limits: the most that a transmission can use, where it is limited.
    """
    shares: dict[str, float] = {}
    left = dict(capacities)
    limited = {name: limits[name] for name in ways if name in limits} if limits else {}
    growing = {name: set(way) for name, way in ways.items()}
    while growing:
        users: dict[L, list[str]] = {}
        for name, way in growing.items():
            for link in way:
                users.setdefault(link, []).append(name)
        level, full = min(((left[link] / len(names), link) for link, names in users.items()), key=lambda pair: pair[0])
        satisfied = [name for name in growing if limited.get(name, NEVER_S) <= level]
        for name in satisfied or users[full]:
            shares[name] = max(0.0, min(level, limited.get(name, NEVER_S)))
            for link in growing.pop(name):
                left[link] -= shares[name]
    return shares


@dataclass(frozen=True)
class Flow:
    """A transmission of the ideal run.

    Args:
        name: of the transmission.
        ways: the links of each of its paths; over several it has the sum of their shares.
        start_s, stop_s: when it wants to send.
        size_bits: after which it ends; None: it goes on until ``stop_s``.
        limit_bps: the most that it can send on each path.
    """

    name: str
    ways: tuple[tuple[Hashable, ...], ...]
    start_s: float
    stop_s: float
    size_bits: float | None = None
    limit_bps: float = NEVER_S


@dataclass
class IdealRun:
    """The fluid run: piecewise constant rates."""

    steps: list[tuple[float, dict[str, float]]] = field(default_factory=list)
    """(from when on, bit/s of each transmission that sends)."""
    ends_s: dict[str, float] = field(default_factory=dict)
    """When transmissions of a given size had sent everything."""

    @cached_property
    def _spans(self) -> dict[str, list[tuple[float, float, float]]]:
        """When each transmission sends: (from, to, bit/s). Ask for it when the run is complete."""
        spans: dict[str, list[tuple[float, float, float]]] = {}
        for (begin_s, rates), (end_s, _) in pairwise([*self.steps, (NEVER_S, {})]):
            for name, rate in rates.items():
                spans.setdefault(name, []).append((begin_s, end_s, rate))
        return spans

    def mean_bps(self, name: str, from_s: float, to_s: float) -> float:
        """Mean rate of a transmission in an interval."""
        bits = 0.0
        for begin_s, end_s, rate in self._spans.get(name, []):
            overlap_s = min(end_s, to_s) - max(begin_s, from_s)
            if overlap_s > 0:
                bits += rate * overlap_s
        return bits / (to_s - from_s)


def ideal_run(flows: Iterable[Flow], capacities: Sequence[tuple[float, Mapping[Hashable, float]]], end_s: float) -> IdealRun:
    """A network that gives everybody the max-min fair share at once, without delay or loss.

    Args:
        flows: the transmissions.
        capacities: (from when on, bit/s of every link), in order, the first from 0 on.
        end_s: when the run is over.
    """
    flows = list(flows)
    run = IdealRun()
    left_bits = {flow.name: flow.size_bits for flow in flows if flow.size_bits is not None}
    given = sorted({0.0, *(at for at, _ in capacities), *(flow.start_s for flow in flows), *(flow.stop_s for flow in flows)})
    coming = sorted(range(len(flows)), key=lambda number: flows[number].start_s, reverse=True)
    there: list[int] = []
    """Numbers of flows that have begun and are not over, in their order."""
    now_s = 0.0
    while now_s < end_s:
        carries = [links for at, links in capacities if at <= now_s][-1]
        while coming and flows[coming[-1]].start_s <= now_s:
            insort(there, coming.pop())
        there = [n for n in there if now_s < flows[n].stop_s and left_bits.get(flows[n].name, NEVER_S) > NOTHING_BITS]
        sending = [flows[number] for number in there]
        paths = {f"{flow.name} {number}": (flow, way) for flow in sending for number, way in enumerate(flow.ways)}
        limits = {name: flow.limit_bps for name, (flow, _) in paths.items()}
        shares = max_min_shares({name: way for name, (_, way) in paths.items()}, carries, limits)
        rates = dict.fromkeys((flow.name for flow in sending), 0.0)
        for name, share in shares.items():
            rates[paths[name][0].name] += share
        run.steps.append((now_s, rates))
        next_s = min([*given[bisect_right(given, now_s) :][:1], end_s])
        done_s = {name: now_s + left_bits[name] / rate for name, rate in rates.items() if name in left_bits and rate > 0}
        next_s = min([next_s, *done_s.values()])
        for name, rate in rates.items():
            if name in left_bits:
                left_bits[name] -= rate * (next_s - now_s)
                if left_bits[name] <= NOTHING_BITS:
                    run.ends_s[name] = next_s
        now_s = next_s
    return run
