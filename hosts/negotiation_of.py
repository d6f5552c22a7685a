"""The negotiation that a plan asks for: the paper's or the deployable variant's."""

from __future__ import annotations

from hosts.deployable_negotiation import DeployableNegotiation
from hosts.plan import TransmissionPlan
from hosts.sender_negotiation import SenderNegotiation, Timing
from protocol.variant import VariantName
from protocol.wire import TransmissionId


def negotiation_of(plan: TransmissionPlan, identity: TransmissionId, rtt_us: int, ports: tuple[int, int]) -> SenderNegotiation:
    """The negotiation of one connection.

    Args:
        plan: what it is to have.
        identity: names it.
        rtt_us: its round-trip time, in µs.
        ports: of the TCP connection, the sender's first.
    """
    timing = Timing() if plan.refreshes else Timing(refresh_interval_s=None)
    if plan.variant is VariantName.DEPLOYABLE:
        return DeployableNegotiation(
            identity, plan.max_rate_kbps, plan.min_rate_kbps, rtt_us, timing, source_port=ports[0], destination_port=ports[1]
        )
    return SenderNegotiation(identity, plan.max_rate_kbps, plan.min_rate_kbps, rtt_us, timing)
