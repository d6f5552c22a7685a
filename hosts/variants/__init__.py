"""The sender of each variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from hosts.sender_negotiation import SenderNegotiation, SenderVariant, Timing
from hosts.variants.deployable import DeployableSender
from hosts.variants.fair_level import FairLevelSender
from hosts.variants.paper import PaperSender
from protocol.variant import VariantName
from protocol.wire import TransmissionId

SENDERS: Mapping[VariantName, Callable[[int, int], SenderVariant]] = {
    VariantName.PAPER: PaperSender,
    VariantName.DEPLOYABLE: DeployableSender,
    VariantName.FAIR_LEVEL: FairLevelSender,
}
"""Made from the source and the destination port of the connection that the data goes over."""


class Wishes(Protocol):
    """The wishes of a transmission."""

    @property
    def variant(self) -> VariantName:
        """Which Nodectl the network has."""

    @property
    def refreshes(self) -> bool:
        """Whether records are kept alive (decision "refreshes")."""

    @property
    def min_rate_kbps(self) -> int:
        """Lowest rate to be accepted, kbit/s at the Ethernet frame."""

    @property
    def max_rate_kbps(self) -> int:
        """Highest rate to ask for, kbit/s."""


def new_negotiation(plan: Wishes, identity: TransmissionId, rtt_us: int, ports: tuple[int, int]) -> SenderNegotiation:
    """The negotiation of one connection.

    Args:
        plan: its wishes.
        identity: names it.
        rtt_us: its round-trip time, in µs.
        ports: of the TCP connection, the sender's first.
    """
    timing = Timing() if plan.refreshes else Timing(refresh_interval_s=None)
    sender = SENDERS[plan.variant](*ports)
    return SenderNegotiation(sender, identity, plan.max_rate_kbps, plan.min_rate_kbps, rtt_us, timing)
