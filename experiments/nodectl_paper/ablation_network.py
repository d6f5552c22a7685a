"""The networks and transmissions on which single decisions of Nodectl are left out.

Parking lot, which is where ports upstream and downstream of a bottleneck matter::

    b, a, c, x1…x3 ── s1 ══ 40 Mbit/s ══ s2 ══ 10 Mbit/s ══ s3 ── rb, rd
                                         │
                       d, ra, rc, rx1…rx3

b goes from s1 to s3, d from s2 to s3; all others from s1 to s2. x1 to x3 want 1 Mbit/s each.

Burst: six transmissions over one bottleneck of 36 Mbit/s with an RTT of 200 ms, begun 30 ms one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.nodectl_paper.setup import NODECTL, PACKET_BYTES, SOCKET_BUFFER_BYTES
from experiments.reproduction.transfers import Sending
from scenario.file import LinkParameters
from topo.network_plan import NetworkPlan

WIDE_MBPS, NARROW_MBPS = 40.0, 10.0
SMALL_MBPS = 1.0
SMALL = ("x1", "x2", "x3")
BURST_MBPS = 36.0
BURST = 6
BURST_GAP_S = 0.03

PARKING_S, BURST_S = 21.0, 6.0


@dataclass(frozen=True)
class Phase:
    """A part of the parking-lot run, and what the wide link's long transmissions should get: Mbit/s of the frame."""

    name: str
    from_s: float
    to_s: float
    a_mbps: float
    """Of ``a``: what ``b``, ``x1``…``x3`` and ``c`` leave it."""


PHASES = (
    Phase("b_narrow", 2.0, 3.9, 27.0),
    Phase("d_sends", 4.1, 6.9, 32.0),
    Phase("d_gone", 7.1, 8.9, 27.0),
    Phase("b_gone", 9.1, 10.0, 37.0),
    Phase("c_sends", 10.1, 14.5, 18.5),
    Phase("late", 16.5, 20.5, 18.5),
)
"""b is held to 10 Mbit/s by the narrow link, then to 5 beside d, then has 10 again, then goes; c comes; after 15 s records that
nobody refreshed are gone."""


def parking_lot(grpc_base_port: int) -> NetworkPlan:
    """The plan of the parking lot."""
    plan = _plan(grpc_base_port)
    access = LinkParameters(rate_mbps=100, delay_ms=1)
    for switch in ("s1", "s2", "s3"):
        plan.add_switch(switch)
    for host in ("b", "a", "c", *SMALL):
        plan.add_host(host, "s1", access)
    for host in ("d", "ra", "rc", *(f"r{name}" for name in SMALL)):
        plan.add_host(host, "s2", access)
    for host in ("rb", "rd"):
        plan.add_host(host, "s3", access)
    plan.add_trunk("s1", "s2", LinkParameters(rate_mbps=WIDE_MBPS, delay_ms=5, queue_packets=100))
    plan.add_trunk("s2", "s3", LinkParameters(rate_mbps=NARROW_MBPS, delay_ms=5, queue_packets=100))
    return plan


def burst(grpc_base_port: int) -> NetworkPlan:
    """The plan of the burst."""
    plan = _plan(grpc_base_port)
    plan.add_switch("s1")
    plan.add_switch("s2")
    for number in range(1, 2 * BURST + 1):
        plan.add_host(f"h{number}", "s1" if number <= BURST else "s2", LinkParameters(rate_mbps=100, delay_ms=5))
    plan.add_trunk("s1", "s2", LinkParameters(rate_mbps=BURST_MBPS, delay_ms=90, queue_packets=100))
    return plan


def parking_transmissions(*, refreshes: bool) -> Sequence[Sending]:
    """Who sends in the parking lot."""
    small = [_sending(name, name, f"r{name}", refreshes, start_s=0.0, max_mbps=SMALL_MBPS) for name in SMALL]
    return [
        *small,
        _sending("b", "b", "rb", refreshes, start_s=0.5, stop_s=9.0),
        _sending("a", "a", "ra", refreshes, start_s=1.0),
        _sending("d", "d", "rd", refreshes, start_s=4.0, stop_s=7.0),
        _sending("c", "c", "rc", refreshes, start_s=10.0),
    ]


def burst_transmissions(*, refreshes: bool) -> Sequence[Sending]:
    """Who sends in the burst."""
    return [_sending(f"h{n}", f"h{n}", f"h{n + BURST}", refreshes, start_s=BURST_GAP_S * (n - 1)) for n in range(1, BURST + 1)]


def _sending(
    name: str, sender: str, receiver: str, refreshes: bool, *, start_s: float, stop_s: float | None = None, max_mbps: float = 100.0
) -> Sending:
    extra = {"refreshes": refreshes}
    return Sending(name, sender, receiver, NODECTL, start_s=start_s, stop_s=stop_s, max_rate_mbps=max_mbps, sampled=False, extra=extra)


def _plan(grpc_base_port: int) -> NetworkPlan:
    return NetworkPlan(
        mtu_bytes=PACKET_BYTES, initial_window_packets=1, socket_buffer_bytes=SOCKET_BUFFER_BYTES, grpc_base_port=grpc_base_port
    )
