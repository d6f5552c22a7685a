"""How much memory the machine inside gets: by the size of its network."""

from __future__ import annotations

from scenario.scenario import Scenario
from virtual_time.job import Job

NODES = 64
"""Hosts and switches that the usual memory is enough for. All networks up to there get the same, since a kernel derives limits from it."""

MB_A_NODE = 13
"""For each host and switch more: measured, the larger of the two, with some to spare."""


def memory_mb(scenario: Scenario) -> int:
    """The memory of the machine inside, MB; of that outside, it takes only as much as is used.

    Args:
        scenario: whose network is to come up.
    """
    more = len(scenario.layout.switches) + len(scenario.topology.hosts) - NODES
    return Job.memory_mb + MB_A_NODE * max(0, more)
