"""One program for two purposes: that of a scheme, with the queue discipline of the scenario's links in it."""

from __future__ import annotations

from engine.plan.schemes import p4_source_of, used_together
from hosts.cca.scheme_names import Scheme
from scenario.scenario import Scenario
from topo.network_plan import NetworkPlan
from topo.toolchain import program_of


def with_queues(scenario: Scenario, scheme: str) -> Scenario:
    """The scenario whose switches run what a scheme brings, with its links' queue discipline; as it is if only one has a program.

    Args:
        scenario: with the variant that runs.
        scheme: of all transmissions that have none of their own.

    Raises:
        UserError: schemes that are used together bring different programs.
    """
    if scenario.p4 is not None or not scenario.discipline_programs:
        return scenario
    bringing = [one for one in used_together(scenario, scheme) if brings_switches(one)]
    if not bringing:
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
