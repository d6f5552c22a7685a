"""What all links did during a run, and whether they kept their model: from the switches' counters at its two ends."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.fidelity import FidelityVerdict, judge
from experiments.steal import StealMeter
from topo.management import LinkStatistics, ManagementClient


@dataclass(frozen=True)
class LinkAccount:
    """All links' counters when a run began and when it ended, and the share of the processors' time that was stolen in between."""

    before: list[LinkStatistics]
    after: list[LinkStatistics]
    steal_share: float = 0.0

    @property
    def queue_drops(self) -> int:
        """Packets that queues had no room for."""
        return dropped(self.after) - dropped(self.before)

    @property
    def loss_drops(self) -> int:
        """Packets lost on the links by chance."""
        return sum(link.loss_drops for link in self.after) - sum(link.loss_drops for link in self.before)

    def verdict(self, *, few_packets: bool = False) -> FidelityVerdict:
        """Whether the links kept their model meanwhile; see :func:`experiments.fidelity.judge`."""
        return judge(self.after, few_packets=few_packets, steal_share=self.steal_share)


class LinkAccountant:
    """Keeps the account from when it is made: the links' lateness counters begin anew then."""

    def __init__(self, switches: ManagementClient) -> None:
        switches.reset_lateness()
        self._switches = switches
        self._stolen = StealMeter()
        self._before = switches.link_statistics()

    def close(self) -> LinkAccount:
        """The account up to now."""
        return LinkAccount(before=self._before, after=self._switches.link_statistics(), steal_share=self._stolen.share())


def dropped(links: list[LinkStatistics]) -> int:
    """Packets that all queues had no room for since the links were made."""
    return sum(link.queue_drops for link in links)
