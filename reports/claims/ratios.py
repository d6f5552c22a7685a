"""Ratios of a value at two points of the grid, or of two schemes, as results of their own."""

from __future__ import annotations

from collections.abc import Sequence

from engine.collect.record import CellRecord
from reports.definition import Ratio
from reports.results import Results

PERCENT = 100.0


def with_ratios(results: Results, ratios: Sequence[Ratio]) -> Results:
    """The results and, for each ratio, records that have it in percent as their only value.

    Such a record has the parameters of the cell above, but for those that make it the one above, and is called like the ratio.
    """
    return Results([*results.records, *(record for ratio in ratios for record in _records(results, ratio))])


def _records(results: Results, ratio: Ratio) -> list[CellRecord]:
    found = []
    ends = ratio.above.keys() | ratio.below.keys()
    below = results.select(where={**ratio.where, **ratio.below})
    for record in results.select(where={**ratio.where, **ratio.above}):
        others = {name: value for name, value in record.parameters.items() if name not in ends}
        for base in below:
            alike = all(base.parameters.get(name) == value for name, value in others.items())
            if base.scheme == (ratio.over or record.scheme) and alike and _are_paired(record, base):
                over, under = record.values.get(ratio.value), base.values.get(ratio.value)
                parameters = {name: value for name, value in record.parameters.items() if name not in ratio.above}
                values = {ratio.name: None if over is None or not under else PERCENT * over / under}
                known = base if record.drawn == [] else record
                changes = {"seed": known.seed, "repetition": known.repetition, "drawn": known.drawn}
                changes |= {"experiment": ratio.name, "parameters": parameters, "values": values, "series": {}}
                found.append(record.model_copy(update=changes))
    return found


def _are_paired(record: CellRecord, base: CellRecord) -> bool:
    """Whether they have the same seed; one that draws nothing is the same with every seed."""
    return record.seed == base.seed or not record.drawn or not base.drawn
