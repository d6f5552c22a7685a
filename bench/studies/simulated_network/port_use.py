"""The use of a port's capacity under churn: its unused part at every moment, by the reason.

As churn.py, but after scenario/examples/web_load.toml: four hosts that send over two switches, a controller whose processor takes its
time, and records that stay until the last byte has been acknowledged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from unittest.mock import patch

from bench.studies.simulated_network.churn import CAPACITY_KBPS, PORT, SWITCH, WANTED_KBPS, ChurnRun
from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import US_PER_S
from hosts.variants import deployable
from protocol.variant import Variant, VariantName

ACCESS_KBPS = 200_000
ACCESS_SWITCH = "s2"
ACCESS_HOPS = 6
"""From the sender to the receiver and back, over two switches."""


WARM_UP_S = 2


@dataclass(frozen=True)
class Cost:
    """Times of the controller's processor and its channel, as scenarios have them in virtual time (topo/computing.py)."""

    event_us: int = 900
    entry_us: int = 4
    channel_us: int = 400


class Idle(StrEnum):
    """The reason why a part of the port is unused, though somebody has something left to send."""

    ENDED = "reserved for a sender that has sent everything"
    FIRST = "reserved for a newcomer, whose first rate is under way"
    RAISED = "reserved for a higher rate that is under way"
    LOWERED = "reserved for a sender that has slowed down already"
    NOT_ASKED = "free, and part of a target: its sender has not asked again"
    OFFERED = "free, and offered: the renegotiation is under way"
    NOT_OFFERED = "free, part of nobody's target, and not offered"
    NOBODY = "free, and nobody with something left to send has a record"


class Dumbbell(Network):
    """Hosts, two switches, and hosts; one processor for both switches' controllers."""

    def __init__(self, variant: Variant, receivers: int, cost: Cost) -> None:
        self._cost = cost
        self._free_at_us = 0
        self.busy_us = 0
        self.events = 0
        access = {PORT + number: ACCESS_KBPS for number in range(1, receivers + 1)}
        super().__init__({SWITCH: {PORT: CAPACITY_KBPS}, ACCESS_SWITCH: access}, 0, cost.channel_us, variant=variant)

    def hop_of(self, transmission: Transmission) -> int:
        """The transmission's own way from neighbour to neighbour, µs."""
        return transmission.hop_us

    def _computes(self, learns: Callable[[], None]) -> None:
        self.events += 1
        self._compute(self._cost.event_us)
        self.after(self._free_at_us - self.now_us, learns)

    def _entries_us(self, count: int) -> int:
        self._compute(count * self._cost.entry_us)
        return count * self._cost.entry_us

    def _compute(self, takes_us: int) -> None:
        self._free_at_us = max(self._free_at_us, self.now_us) + takes_us
        self.busy_us += takes_us


@dataclass
class PortUse(ChurnRun):
    """A run of some seconds.

    Args:
        hosts: that send; None: each transmission has one of its own.
        cost: of the controller.
        ends_late: whether a record stays until the last byte has been acknowledged, or goes as soon as it has been sent.
        keeps_tokens: whether a host knows its token from its former transmissions.
        grants_on_the_way_back: whether receivers leave it to the switches that the answer passes to say how much is granted.
        doubles: whether a sender without all that it wants asks again after twice as long each time, up to a second, or after each RTT.
    """

    hosts: int | None = 4
    cost: Cost = Cost()
    ends_late: bool = False
    keeps_tokens: bool = True
    grants_on_the_way_back: bool = True
    doubles: bool = True
    sizes: dict[str, object] = field(default_factory=lambda: {"kind": "web"})

    def __post_init__(self) -> None:
        super().__post_init__()
        self.idle: defaultdict[Idle, float] = defaultdict(float)
        """kbit/s · µs."""
        self.wanted_us = 0
        """While somebody had something left to send, and a connection to send it by."""
        self.sharing_us = 0
        self._chance = Random(f"hosts {self.seed}")
        self._unused: dict[Idle, float] | None = None
        """Since the last step, kbit/s; None: nobody has anything to send."""
        self._looked_us = 0

    def _network(self) -> Network:
        network = self._dumbbell = Dumbbell(self.variant, self.hosts or 4, self.cost)
        network.keeps_tokens = self.keeps_tokens
        network.grants_on_the_way_back = self.grants_on_the_way_back
        return network

    def _sender(self, number: int, rtt_us: int) -> Transmission:
        host = None if self.hosts is None else self._chance.randrange(self.hosts)
        receiver = self._chance.randrange(self.hosts or 4)
        way = [(SWITCH, PORT), (ACCESS_SWITCH, PORT + 1 + receiver)]
        follows_level = self.variant.basis is VariantName.FAIR_LEVEL
        is_deployable = self.variant.basis is VariantName.DEPLOYABLE
        hop_us = rtt_us // ACCESS_HOPS
        return Transmission(number, way, WANTED_KBPS, hop_us, host=host, is_deployable=is_deployable, follows_level=follows_level)

    def carry_out(self) -> PortUse:
        """Run it."""
        most_s = deployable.ASK_AGAIN_MAX_S if self.doubles else 0.0
        with patch.object(deployable, "ASK_AGAIN_MAX_S", most_s):
            super().carry_out()
        return self

    def _stops(self, network: Network, sender: Transmission) -> None:
        if self.ends_late:
            network.after(round(self._known[sender].rtt_s * US_PER_S), lambda: network.stop(sender))
        else:
            network.stop(sender)

    def _look(self, network: Network) -> None:
        passed_us, self._looked_us = network.now_us - self._looked_us, network.now_us
        if self._unused is not None and passed_us and WARM_UP_S * US_PER_S <= network.now_us <= self.seconds * US_PER_S:
            self.wanted_us += passed_us
            self.sharing_us += passed_us * len(self._left_bits)
            for why, kbps in self._unused.items():
                self.idle[why] += kbps * passed_us
        super()._look(network)
        self._unused = self._why_unused(network) if self._left_bits else None

    def _why_unused(self, network: Network) -> dict[Idle, float]:
        """The unused rate of the port at this moment, by the reason, kbit/s."""
        switch = network.switches[SWITCH]
        offers = network.controllers[SWITCH].ports[PORT].records
        unused = dict.fromkeys(Idle, 0.0)
        reserved_kbps = unmet_kbps = offered_kbps = 0.0
        has_somebody = False
        for slot, record in switch.records.items():
            reserve_kbps = switch.reserving.reserves[slot].reserved_kbps if switch.reserving is not None else record.rate_kbps
            reserved_kbps += reserve_kbps
            one = network.transmissions[record.id]
            if one not in self._left_bits:
                unused[Idle.ENDED] += reserve_kbps
                continue
            has_somebody = True
            why = Idle.FIRST if not self._known[one].first_kbps else Idle.LOWERED if record.rate_kbps < reserve_kbps else Idle.RAISED
            unused[why] += max(0, reserve_kbps - one.rate_kbps)
            unmet_kbps += max(0, record.rate_kbps - reserve_kbps)
            known = offers.get(record.id)
            offered_kbps += max(0, known.offer_kbps - record.rate_kbps) if known else 0
        free_kbps = max(0, CAPACITY_KBPS - reserved_kbps)
        if has_somebody:
            unused[Idle.NOT_ASKED] = min(free_kbps, unmet_kbps)
            unused[Idle.OFFERED] = min(free_kbps - unused[Idle.NOT_ASKED], offered_kbps)
            unused[Idle.NOT_OFFERED] = free_kbps - unused[Idle.NOT_ASKED] - unused[Idle.OFFERED]
        else:
            unused[Idle.NOBODY] = free_kbps
        idle_kbps = max(0, CAPACITY_KBPS - sum(self._rates.values()))
        all_kbps = sum(unused.values())
        # More than that may be counted where senders are still above their records.
        return {why: kbps * min(1.0, idle_kbps / all_kbps) for why, kbps in unused.items()} if all_kbps else unused

    # Results

    def unused_percent(self, why: Idle | None = None) -> float:
        """Of the port, while somebody had something to send: for one reason, or for all."""
        kbps_us = sum(self.idle.values()) if why is None else self.idle[why]
        return 100 * kbps_us / (CAPACITY_KBPS * self.wanted_us)

    @property
    def sharing(self) -> float:
        """How many had something to send at once, on average."""
        return self.sharing_us / self.wanted_us

    @property
    def events(self) -> float:
        """Packet-ins of both switches, for each transmission."""
        return self._dumbbell.events / len(self.done)

    @property
    def controller_percent(self) -> float:
        """The controller's busy time, in % of the time in which transmissions came; above 100, the last events were still waiting."""
        return 100 * self._dumbbell.busy_us / (self.seconds * US_PER_S)
