"""The dumbbell of seed 003, figure 4: senders — s1 — bottleneck — s2 — receivers."""

from __future__ import annotations

from scenario.file import Dumbbell
from topo.network_plan import NetworkPlan


def add_dumbbell(plan: NetworkPlan, dumbbell: Dumbbell) -> None:
    """Lay out a dumbbell: h1…hN behind s1, h(N+1)…h(2N) behind s2."""
    plan.add_switch("s1")
    plan.add_switch("s2")
    for position, host in enumerate(dumbbell.hosts):
        plan.add_host(host, "s1" if position < dumbbell.pairs else "s2", dumbbell.access)
    for host, count in dumbbell.more_interfaces.items():
        for _ in range(count):
            plan.add_interface(host, plan.attachment(host)[0].name, dumbbell.access)
    plan.add_trunk("s1", "s2", dumbbell.bottleneck)
