"""Queue disciplines of links: the switch that has them."""

from __future__ import annotations

from common.errors import UserError
from scenario.scenario import Scenario
from topo.toolchain import Toolchain


def check_switch_has_disciplines(scenario: Scenario, toolchain: Toolchain) -> None:
    """The switch that a toolchain brings has what a scenario's links need.

    Raises:
        UserError: it is BMv2, whose queues tell a program less, and serve by priority alone.
    """
    if toolchain.bmv2 is not None and scenario.disciplines:
        what = f"a link has discipline {scenario.disciplines[0]}, and BMv2's queues have none but drop_tail"
        raise UserError(what, "leave out SWITCH=bmv2, so that the embedded switch runs")
