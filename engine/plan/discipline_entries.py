"""Table entries for queue disciplines of links that are P4 programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from finsy.proto import p4i

from common.errors import UserError
from controller.entries.entry import PlacedUpdate, UpdateMaker, WrittenEntry
from controller.entries.place import Place
from protocol.frames import ETHERNET_HEADER_BYTES
from scenario.disciplines.base import CLASSES, DECISIONS, ManagedPort
from topo.network_plan import SwitchPlan

KEY = "egress_port"
ACTIONS = {DECISIONS: "manage", CLASSES: "classify"}
"""The action of each table that a discipline's program has."""

MOST_SEED = 2**32 - 1


def discipline_entries(switch: SwitchPlan, info: p4i.P4Info, program: str, mtu_bytes: int, seed: int) -> Iterator[PlacedUpdate]:
    """Entries for those of a switch's ports whose discipline a program carries out.

    Args:
        switch: the one whose ports have disciplines.
        info: of the program that it runs.
        program: its name in messages.
        mtu_bytes: of the network.
        seed: of the scenario.

    Raises:
        UserError: the program has no such table, or no room for so many ports.
    """
    maker = UpdateMaker(info, program)
    tables = {table.preamble.name.split(".")[-1] for table in info.tables}
    managed = [port for port in switch.ports if port.link.queue_discipline.program is not None]
    for number, port in enumerate(managed):
        discipline = port.link.queue_discipline
        draw = Random(f"discipline of {switch.name} {port.number} {seed}")
        told = ManagedPort(mtu_bytes + ETHERNET_HEADER_BYTES, port.link.rate_mbps, draw.randint(1, MOST_SEED), number)
        where = f"the link from {switch.name} to {port.peer} has discipline {port.link.discipline}"
        try:
            entries = discipline.entries(told)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        place = Place(Path(f"discipline of the link from {switch.name} to {port.peer}"))
        for table, arguments in entries.items():
            if table not in tables:
                raise UserError(
                    f"{where}, but {program} has no table {table}",
                    f"leave out p4, so that the switches run {discipline.program}; or include its queue in yours (docs/disciplines.md)",
                )
            yield maker.update(WrittenEntry(place, table, {KEY: port.number}, ACTIONS[table], arguments))
