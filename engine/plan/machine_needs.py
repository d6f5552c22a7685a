"""The needs of a machine inside for its network: memory, and patience while it comes up."""

from __future__ import annotations

from scenario.scenario import Scenario
from virtual_time.job import Job

NODES = 64
"""Hosts and switches that the usual memory is enough for. All networks up to there get the same, since a kernel derives limits from it."""

MB_A_NODE = 13
"""For each host and switch more: measured, the larger of the two, with some to spare."""

PATIENCE_S_A_NODE = 1.0
"""For each host and switch more: some bring-up steps take no virtual time, and grow with the network."""


def memory_mb(scenario: Scenario) -> int:
    """The memory of the machine inside, MB; of that outside, it takes only as much as is used.

    Args:
        scenario: whose network is to come up.
    """
    return Job.memory_mb + MB_A_NODE * _more_nodes(scenario)


def patience_s(scenario: Scenario) -> float:
    """How long its clock may stand still, real seconds.

    Args:
        scenario: whose network is to come up.
    """
    return Job.patience_s + PATIENCE_S_A_NODE * _more_nodes(scenario)


def _more_nodes(scenario: Scenario) -> int:
    return max(0, len(scenario.layout.switches) + len(scenario.topology.hosts) - NODES)
