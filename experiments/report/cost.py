"""What runs in virtual time cost: processor seconds of this machine for the packets that the links carried inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from experiments.report.document import Block, Heading, Table, Text
from experiments.report.results import MISSING, Results, Spread, spread
from experiments.run.record import CellRecord

MILLION = 1e6
HOUR_S = 3600.0

HEADER = ("cells", "packets, millions", "processor time, hours", "seconds per million packets")


@dataclass(frozen=True)
class CostAccount:
    """The cost of some cells; ``per_million_s`` is the median and range of processor seconds per million packets of a cell."""

    cells: int
    packets: int
    processor_s: float
    per_million_s: Spread | None
    machines: tuple[str, ...]

    @property
    def row(self) -> list[str]:
        """The columns of ``HEADER``."""
        each = self.per_million_s.text(".1f") if self.per_million_s else MISSING
        return [str(self.cells), f"{self.packets / MILLION:.2f}", f"{self.processor_s / HOUR_S:.3f}", each]


def cost_of(records: Iterable[CellRecord]) -> CostAccount:
    """Add up what those cost whose cost is known."""
    known = [(record.cost, record.verdict.packets) for record in records if record.cost and record.verdict]
    return CostAccount(
        len(known),
        sum(packets for _, packets in known),
        sum(cost.processor_s for cost, _ in known),
        spread(cost.processor_s / packets * MILLION for cost, packets in known if packets),
        tuple(dict.fromkeys(cost.machine for cost, _ in known)),
    )


def cost_section(results: Mapping[str, Results]) -> list[Block]:
    """A row for each experiment and one for all; nothing if no cell's cost is known, as in real time."""
    whole = cost_of(record for found in results.values() for record in found.records)
    if not whole.cells:
        return []
    rows = [[name, *account.row] for name, found in results.items() if (account := cost_of(found.records)).cells]
    caption = (
        "Processor seconds of the kernels that the cells ran in, boot and bringing the network up included, and the packets that all links "
        "carried, each counted on every link; per million packets: median [lowest…highest] of the cells."
    )
    note = f"On {'; '.join(whole.machines)}. This depends on the machine and on what else it does; no value of a cell depends on it."
    return [Heading("What it cost"), Table(caption, ["experiment", *HEADER], [*rows, ["all", *whole.row]]), Text(note)]
