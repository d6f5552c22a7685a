"""The cost of runs in virtual time: processor seconds of this machine for the packets that the links carried inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.collect.record import CellRecord
from engine.plan.cost import MILLION, CostModel, fitted_cost
from reports.document.blocks import Block, Heading, Table, Text
from reports.results import MISSING, Results

HOUR_S = 3600.0
HEADER = (
    "cells",
    "packets, millions",
    "processor time, hours",
    "seconds per million packets",
    "fitted: seconds a cell",
    "and per million packets",
)
WHAT = (
    "Processor seconds of the kernels in which the cells ran, with boot and bring-up of the network, over the packets that all links "
    "carried. A packet counts on every link. Fitted: the line through the cells, by least squares."
)


@dataclass(frozen=True)
class CostAccount:
    """The cost of some cells, added up, and the model that fits them."""

    packets: int
    processor_s: float
    model: CostModel
    machines: tuple[str, ...]

    @property
    def cells(self) -> int:
        """How many cells were added up."""
        return self.model.cells

    @property
    def row(self) -> list[str]:
        """The cells of a table's row, one for each column of ``HEADER``."""
        each = f"{self.processor_s / self.packets * MILLION:.1f}" if self.packets else MISSING
        fitted = [f"{self.model.cell_s:.1f}", f"{self.model.million_s:.1f}"] if self.model.is_line else [MISSING, MISSING]
        return [str(self.cells), f"{self.packets / MILLION:.2f}", f"{self.processor_s / HOUR_S:.3f}", each, *fitted]


def cost_of(records: Iterable[CellRecord]) -> CostAccount:
    """Add up the cost of the cells whose cost is known."""
    known = [(record, record.cost, record.verdict.packets) for record in records if record.cost and record.verdict]
    return CostAccount(
        sum(packets for _, _, packets in known),
        sum(cost.processor_s for _, cost, _ in known),
        fitted_cost(record for record, _, _ in known),
        tuple(dict.fromkeys(cost.machine for _, cost, _ in known)),
    )


def cost_section(results: Mapping[str, Results]) -> list[Block]:
    """A row for each experiment and one for all; nothing if no cell's cost is known, as in real time."""
    whole = cost_of(record for found in results.values() for record in found.records)
    if not whole.cells:
        return []
    rows = [[name, *account.row] for name, found in results.items() if (account := cost_of(found.records)).cells]
    note = f"On {'; '.join(whole.machines)}. This depends on the machine and on what else it does; no value of a cell depends on it."
    return [Heading("Cost"), Table(WHAT, ["experiment", *HEADER], [*rows, ["all", *whole.row]]), Text(note)]
