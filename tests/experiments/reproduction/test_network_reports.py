"""The reports of table 9, the ablation and the negotiation under loss, from made-up results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from experiments.reproduction.cell import Cell, CellRecord
from experiments.reproduction.document import Picture, Table, Text
from experiments.reproduction.experiment import Effort, Experiment
from experiments.reproduction.results import Results

from experiments.nodectl_paper.ablation import Ablation, variant_of
from experiments.nodectl_paper.ablation_network import PHASES, burst, parking_lot, parking_transmissions
from experiments.nodectl_paper.negotiation_loss import NegotiationLoss
from experiments.nodectl_paper.table9_network import TRUNKS, USERS, NetworkThroughput, most_percent, ratio_percent, scenario
from protocol.variant import Decision
from scenario.fair_share import max_min_shares
from topo.routes import check_symmetric


def made_up(experiment: Experiment, values: Callable[[Cell], dict[str, float | None]]) -> Results:
    cells = experiment.cells(Effort(repetitions=2))
    return Results(
        CellRecord(
            experiment=cell.experiment,
            scheme=cell.scheme,
            repetition=cell.repetition,
            parameters=dict(cell.parameters),
            values=values(cell),
        )
        for cell in cells
    )


def text_of(blocks: list[object]) -> str:
    return "\n".join(block.markdown for block in blocks if isinstance(block, Text))


def table9_values(cell: Cell) -> dict[str, float | None]:
    kept = {USERS: 0.995, TRUNKS: 0.98}[cell["lossy_links"]] if cell["loss_percent"] == 0.5 else 1.0
    each = {f"{t.name}_mbps": 14.0 for t in scenario().transmissions}
    return {"total_mbps": 112.0 * kept + cell.repetition, "queue_drops": 0.0, "lost": 5.0, **each}


def test_table_9(tmp_path: Path) -> None:
    results = made_up(NetworkThroughput(), table9_values)
    assert ratio_percent(results, "nodectl", USERS) == pytest.approx(99.5, abs=0.05)
    blocks = list(NetworkThroughput().report(results))
    assert "out of reach there" in text_of(list(blocks))
    ratios, totals, shares = (block for block in blocks if isinstance(block, Table))
    assert ratios.rows[-1] == ["published", "76", "73", "97.3", "99.1", ""]
    assert len(totals.rows) == 2 * (1 + 2 * 3)
    assert len(shares.rows) == len(scenario().transmissions) + 1
    pictures = [block for block in blocks if isinstance(block, Picture)]
    assert pictures
    for picture in pictures:
        picture.draw(tmp_path / f"{picture.name}.png")
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 5000
    assert most_percent(USERS) == pytest.approx(99.5)
    assert most_percent(TRUNKS) < most_percent(USERS)


def test_quick_looks_are_short() -> None:
    for experiment, limit_s in ((NetworkThroughput(), 120), (Ablation(), 120), (NegotiationLoss(), 60)):
        assert sum(experiment.duration_s(cell) for cell in experiment.cells(Effort(quick=True, repetitions=1))) <= limit_s


def test_ablation() -> None:
    values: dict[str, float | None] = {f"a_mbps_{phase.name}": phase.a_mbps for phase in PHASES}
    results = made_up(Ablation(), lambda _cell: values | {"first_mbps": 36.0})
    parking, bursting = (block for block in Ablation().report(results) if isinstance(block, Table))
    assert len(parking.rows) == 1 + 9
    assert parking.rows[0][1:7] == parking.rows[1][1:7], "the complete one, made up to be ideal"
    assert len(bursting.rows) == 5
    specs = {Ablation().network(cell).key: Ablation().network(cell).options["variant"] for cell in Ablation().cells(Effort(repetitions=1))}
    assert len(specs) == 9 + 5
    everything = [cell for cell in Ablation().cells(Effort(repetitions=1)) if len(variant_of(cell).without) == len(Decision)]
    assert len(everything) == 2


def test_the_phases_of_the_parking_lot_are_max_min_fair() -> None:
    plan = parking_lot(51_000)
    for sending in parking_transmissions(refreshes=True):
        check_symmetric(plan, sending.sender, sending.receiver)
    assert len(burst(51_000).hosts) == 12
    capacities = {"wide": 40.0, "narrow": 10.0, "x1": 1.0, "x2": 1.0, "x3": 1.0}
    small = {name: ["wide", name] for name in ("x1", "x2", "x3")}
    going = {"b": ["wide", "narrow"], "d": ["narrow"], "c": ["wide"]}
    for phase in PHASES:
        ways = {"a": ["wide"], **small}
        for sending in parking_transmissions(refreshes=True):
            if sending.name in going and sending.start_s <= phase.from_s and (sending.stop_s or 99) >= phase.to_s:
                ways[sending.name] = going[sending.name]
        assert max_min_shares(ways, capacities)["a"] == pytest.approx(phase.a_mbps), phase.name


def test_negotiation_under_loss() -> None:
    def values(cell: Cell) -> dict[str, float | None]:
        return {"least_share_percent": 99.0, "settled_ms": None if cell.repetition == 3 else 80.0, "lost": 7.0}

    blocks = list(NegotiationLoss().report(made_up(NegotiationLoss(), values)))
    assert "all four have their share at the end of 3 of 4 runs; the least share of any run is 99.0 %" in text_of(list(blocks))
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows] == ["0 %", "5 %", "10 %"]
