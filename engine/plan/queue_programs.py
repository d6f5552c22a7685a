"""One program for two purposes: that of a scheme, with the queue discipline of the scenario's links in it."""

from __future__ import annotations

from collections.abc import Iterable

from engine.plan.schemes import p4_source_of
from hosts.cca.scheme_names import Scheme
from scenario.scenario import Scenario
from topo.network_plan import NetworkPlan
from topo.toolchain import program_of


def with_queues(scenario: Scenario, schemes: Iterable[Scheme]) -> Scenario:
    """The scenario whose switches run what schemes bring, with its links' queue discipline; as it is where only one of them has a program.

    Args:
        scenario: with the variant that runs.
        schemes: that are used together.

    Raises:
        UserError: they bring different programs.
    """
    bringing = [scheme for scheme in schemes if brings_switches(scheme)]
    if not bringing or scenario.p4 is not None or not scenario.discipline_programs:
        return scenario
    program = program_of(scenario.nodectl, p4_source_of(bringing))
    return scenario.model_copy(update={"p4": program, "p4_defines": [*scenario.p4_defines, *scenario.queue_defines]})


def managed_switches(scenario: Scenario, plan: NetworkPlan) -> list[str]:
    """Switches whose program is the testbed's with a queue discipline.

    Args:
        scenario: as it runs.
        plan: its network.
    """
    return [name for name in plan.switches if name not in scenario.switches] if scenario.discipline_programs else []


def brings_switches(scheme: Scheme) -> bool:
    """Whether a scheme works with the switches that it brings alone; one that follows marks takes those of a discipline, too."""
    return scheme.needs.p4_program is not None and not scheme.needs.ecn
