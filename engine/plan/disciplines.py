"""Queue disciplines of links: the switch that has them, and the table entries of those that are P4 programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from finsy.proto import p4i

from common.errors import UserError
from controller.entries.entry import PlacedUpdate, UpdateMaker, WrittenEntry
from controller.entries.place import Place
from protocol.frames import ETHERNET_HEADER_BYTES
from scenario.scenario import Scenario
from topo.network_plan import PortPlan, SwitchPlan
from topo.toolchain import Toolchain

TABLE = "managed_ports"
KEY = "egress_port"
ACTION = "manage"


def check_switch_has_disciplines(scenario: Scenario, toolchain: Toolchain) -> None:
    """The switch that a toolchain brings has what a scenario's links need.

    Raises:
        UserError: it is BMv2, whose queues tell a program less, and serve by priority alone.
    """
    if toolchain.bmv2 is not None and scenario.disciplines:
        what = f"a link has discipline {scenario.disciplines[0]}, and BMv2's queues have none but drop_tail"
        raise UserError(what, "leave out SWITCH=bmv2, so that the embedded switch runs")


def discipline_entries(switch: SwitchPlan, info: p4i.P4Info, program: str, mtu_bytes: int) -> Iterator[PlacedUpdate]:
    """Entries for those of a switch's ports whose discipline a program carries out.

    Args:
        switch: whose.
        info: of the program that it runs.
        program: its name in messages.
        mtu_bytes: of the network.

    Raises:
        UserError: the program has no such table.
    """
    managed = [port for port in switch.ports if _program(port) is not None]
    if managed and not any(table.preamble.name.split(".")[-1] == TABLE for table in info.tables):
        first = managed[0]
        raise UserError(
            f"the link from {switch.name} to {first.peer} has discipline {first.link.discipline}, but {program} has no table {TABLE}",
            f"leave out p4, so that the switches run {_program(first)}; or include the control of that program in yours",
        )
    maker = UpdateMaker(info, program)
    for port in managed:
        arguments = port.link.queue_discipline.entry(mtu_bytes + ETHERNET_HEADER_BYTES)
        place = Place(Path(f"discipline of the link from {switch.name} to {port.peer}"))
        yield maker.update(WrittenEntry(place, TABLE, {KEY: port.number}, ACTION, arguments))


def _program(port: PortPlan) -> str | None:
    return port.link.queue_discipline.program
