"""Packets of all links during a run, and whether the links kept their model: from the switches' counters at the run's two ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.collect.fidelity import FidelityVerdict, judge
from engine.collect.samples import Series
from engine.collect.stolen_processor_time import StolenTimeMeter
from topo.management import LinkStatistics, ManagementClient

DROPPED, MARKED = "dropped", "marked"
"""Counters of each discipline's program (p4src/tell_sender.p4)."""


@dataclass(frozen=True)
class LinkAccount:
    """All links' counters when a run began and when it ended, and the share of the processors' time that was stolen in between."""

    before: list[LinkStatistics]
    after: list[LinkStatistics]
    steal_share: float = 0.0
    watched: list[tuple[float, list[LinkStatistics], int]] = field(default_factory=list)
    """CLOCK_MONOTONIC seconds, all links' counters, and packets that disciplines had dropped since the beginning, now and then."""
    discipline_drops: int = 0
    """Packets that disciplines in P4 dropped."""
    discipline_marks: int | None = None
    """Packets that they marked; None: no link has one."""
    in_window: list[LinkStatistics] | None = None
    """All links' counters at the end of the measuring window; times of waiting in queues are those in it. None: there is no window."""

    @property
    def queue_drops(self) -> int:
        """Packets that queues had no room for, or that their disciplines dropped."""
        return _dropped(self.after) - _dropped(self.before) + self.discipline_drops

    @property
    def loss_drops(self) -> int:
        """Packets lost on the links by chance."""
        return sum(link.loss_drops for link in self.after) - sum(link.loss_drops for link in self.before)

    @property
    def down_drops(self) -> int:
        """Packets lost because a link was cut."""
        return sum(link.down_drops for link in self.after) - sum(link.down_drops for link in self.before)

    @property
    def frames(self) -> int:
        """Frames that links have sent; one that goes over several counts for each."""
        return sum(link.tx_packets for link in self.after) - sum(link.tx_packets for link in self.before)

    def queue_drops_over_time(self) -> Series:
        """Packets that queues had dropped since the run began, over time."""
        start = _dropped(self.before)
        points = [(at, _dropped(links) - start + by_disciplines) for at, links, by_disciplines in self.watched]
        times, counts = np.array(points, dtype=float).reshape(-1, 2).T
        return Series(times, counts)

    def queue_over_time(self, name: str) -> Series:
        """Packets in the queues at the beginning of a link between switches, now and then.

        Args:
            name: of the link, ``s1-s2``.
        """
        points = [(at, link.queue_packets) for at, links, _ in self.watched for link in links if link.name == name and link.is_egress]
        times, packets = np.array(points, dtype=float).reshape(-1, 2).T
        return Series(times, packets)

    @property
    def largest_queue_packets(self) -> int:
        """The most packets that were seen in any queue."""
        return max((link.queue_packets for _, links, _ in self.watched for link in links), default=0)

    def verdict(self) -> FidelityVerdict:
        """Whether the links kept their model meanwhile; see :func:`engine.collect.fidelity.judge`."""
        return judge(self.after, steal_share=self.steal_share)


class LinkAccountant:
    """Keeps the account from when it is made: the links' lateness counters begin anew then.

    Args:
        switches: the switch process.
        managed: switches whose programs have queue disciplines.
    """

    def __init__(self, switches: ManagementClient, managed: Sequence[str] = ()) -> None:
        switches.reset_lateness()
        self._switches, self._managed = switches, managed
        self._begin_s: float | None = None
        self._end_s: float | None = None
        self._in_window: list[LinkStatistics] | None = None
        self._dropped_before, self._marked_before = self._counted(DROPPED), self._counted(MARKED)
        self._stolen = StolenTimeMeter()
        self._before = switches.link_statistics()
        self._watched: list[tuple[float, list[LinkStatistics], int]] = []

    def watch_window(self, begin_s: float, end_s: float) -> None:
        """The measuring window, CLOCK_MONOTONIC: looks now and then find its begin and its end."""
        self._begin_s, self._end_s = begin_s, end_s

    def look(self, now_s: float) -> None:
        """Note all counters as they are now (CLOCK_MONOTONIC seconds)."""
        links = self._switches.link_statistics()
        self._watched.append((now_s, links, self._counted(DROPPED) - self._dropped_before))
        if self._begin_s is not None and now_s >= self._begin_s:
            self._switches.reset_waits()
            self._begin_s = None
        if self._begin_s is None and self._end_s is not None and now_s >= self._end_s:
            self._in_window, self._end_s = links, None

    def close(self) -> LinkAccount:
        """The account up to now."""
        links = self._switches.link_statistics()
        return LinkAccount(
            self._before,
            links,
            self._stolen.share(),
            self._watched,
            self._counted(DROPPED) - self._dropped_before,
            self._counted(MARKED) - self._marked_before if self._managed else None,
            links if self._in_window is None and self._end_s is not None and self._begin_s is None else self._in_window,
        )

    def _counted(self, counter: str) -> int:
        return sum(self._switches.counted(switch, counter) for switch in self._managed)


def _dropped(links: list[LinkStatistics]) -> int:
    return sum(link.queue_drops for link in links)
