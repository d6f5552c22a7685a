"""The table entries of links' queue disciplines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from finsy.proto import p4i

from common.errors import UserError
from controller.entries.entry import PlacedUpdate, UpdateMaker, WrittenEntry
from controller.entries.place import Place
from topo.network_plan import PortPlan, SwitchPlan

TABLE = "managed_ports"
KEY = "egress_port"
ACTION = "manage"
ETHERNET_BYTES = 14


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
        arguments = port.link.queue_discipline.entry(mtu_bytes + ETHERNET_BYTES)
        place = Place(Path(f"discipline of the link from {switch.name} to {port.peer}"))
        yield maker.update(WrittenEntry(place, TABLE, {KEY: port.number}, ACTION, arguments))


def _program(port: PortPlan) -> str | None:
    return port.link.queue_discipline.program
