"""The negotiation that a plan asks for: the paper's or another variant's."""

from __future__ import annotations

from typing import Protocol

from hosts.deployable_negotiation import DeployableNegotiation
from hosts.fair_level_negotiation import FairLevelNegotiation
from hosts.sender_negotiation import SenderNegotiation, Timing
from protocol.variant import VariantName
from protocol.wire import TransmissionId


class Wishes(Protocol):
    """What a transmission is to have."""

    @property
    def variant(self) -> VariantName:
        """Which Nodectl the network has."""

    @property
    def refreshes(self) -> bool:
        """Whether records are kept alive (D5)."""

    @property
    def min_rate_kbps(self) -> int:
        """Lowest rate to be accepted, kbit/s at the Ethernet frame."""

    @property
    def max_rate_kbps(self) -> int:
        """Highest rate to ask for, kbit/s."""


def negotiation_of(plan: Wishes, identity: TransmissionId, rtt_us: int, ports: tuple[int, int]) -> SenderNegotiation:
    """The negotiation of one connection.

    Args:
        plan: what it is to have.
        identity: names it.
        rtt_us: its round-trip time, in µs.
        ports: of the TCP connection, the sender's first.
    """
    timing = Timing() if plan.refreshes else Timing(refresh_interval_s=None)
    if plan.variant is VariantName.PAPER:
        return SenderNegotiation(identity, plan.max_rate_kbps, plan.min_rate_kbps, rtt_us, timing)
    negotiation = FairLevelNegotiation if plan.variant is VariantName.FAIR_LEVEL else DeployableNegotiation
    return negotiation(identity, plan.max_rate_kbps, plan.min_rate_kbps, rtt_us, timing, source_port=ports[0], destination_port=ports[1])
