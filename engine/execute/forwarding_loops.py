"""Notices packets that go round between switches, which no host sends and nothing ends: a mistake of tables that users make first.

Such packets fill a link until the end of the run, and in virtual time each of them costs real time, so that the clock seems to stand still.
"""

from __future__ import annotations

from collections.abc import Iterable

from topo.management import LinkStatistics
from topo.network_plan import NetworkPlan

FEWEST_PACKETS = 5_000
"""On one link between switches, since it was looked before."""

COPIES = 64
"""Of each packet that a host sends, more than this on one link are no multicast."""


class ForwardingLoops:
    """Compares the packets on links between switches with the packets that hosts send. Each pair of switches is named once."""

    def __init__(self, plan: NetworkPlan) -> None:
        """Begin to look.

        Args:
            plan: the network.
        """
        switches = plan.switches.values()
        self._trunks = {(switch.name, port.number): port.peer for switch in switches for port in switch.ports if port.peer_port is not None}
        self._before: dict[tuple[str, int, str], int] = {}
        self._named: set[frozenset[str]] = set()

    def look(self, statistics: Iterable[LinkStatistics]) -> str | None:
        """A sentence for people if packets go round since the last look; None: none do, or it has been said.

        Args:
            statistics: of all directions of links, now.
        """
        now = {(one.switch, one.port, one.direction): one.tx_packets for one in statistics}
        new = {link: packets - self._before.get(link, 0) for link, packets in now.items()}
        self._before = now
        sent = sum(packets for (_switch, _port, direction), packets in new.items() if direction == "ingress")
        trunks = {(switch, port): packets for (switch, port, _direction), packets in new.items() if (switch, port) in self._trunks}
        most = max(trunks, key=trunks.__getitem__, default=None)
        if most is None or trunks[most] < max(FEWEST_PACKETS, COPIES * sent):
            return None
        here, there = most[0], self._trunks[most]
        if (ends := frozenset((here, there))) in self._named:
            return None
        self._named.add(ends)
        return (
            f"*** {here}-{there} carried {trunks[most]:,} packets while hosts sent {sent:,}: packets go round between {here} and {there}; "
            f"`trace {here} count 4` shows them, and a time to live that ends at 0 in the P4 program would end them"
        )
