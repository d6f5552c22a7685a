"""The time that measuring is expected to take: from the cost of the same cells, else from the cells' packets."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.record import CellRecord, Cost
from engine.plan.budget import Work, real_budget, virtual_budget
from engine.plan.cell import Cell
from engine.plan.cell_work import CellWorks, packets_on_links
from engine.plan.cost import USUAL, fitted_cost
from reports.cost import cost_of
from tests.engine.cells import experiment, verdict


def kept(cell: Cell, processor_s: float, packets: int = 1000) -> CellRecord:
    """A record of so many packets."""
    found = verdict(True).model_copy(update={"packets": packets})
    return CellRecord.of(cell, verdict=found, cost=Cost(processor_s=processor_s, machine="m"))


def test_packets_are_those_of_an_ideal_network(tmp_path: Path) -> None:
    scenario = experiment(tmp_path).scenarios[0][1]
    # 10 Mbit/s for 4 s in frames of 1514 bytes, on three links, with an ACK for every other packet.
    assert packets_on_links(scenario) == pytest.approx(10e6 * 4 / 8 / 1514 * 1.5 * 3)
    assert packets_on_links(scenario.model_copy(update={"quick_ack": True})) == pytest.approx(10e6 * 4 / 8 / 1514 * 2 * 3)


def test_without_results_it_is_the_usual_cost(tmp_path: Path) -> None:
    cells = experiment(tmp_path).cells()[:1]
    budget = virtual_budget([Work(cells)], 2)
    expected_s = CellWorks().of(cells[0]).seconds
    assert budget.expected_s == pytest.approx(expected_s), "one cell is not measured by two processors"
    assert "1 cells to measure, 2 side by side: about " in str(budget)
    assert "by the usual cost of such cells" in str(budget)


def test_a_cell_takes_what_it_took_in_another_repetition(tmp_path: Path) -> None:
    cells = experiment(tmp_path).cells()
    records = [kept(cell, 10.0 + cell.parameters["rate"]) for cell in cells if cell.repetition == 1]  # type: ignore[operator]
    later = [cell for cell in cells if cell.repetition == 2]
    budget = virtual_budget([Work(later, records)], 2)
    assert budget.expected == [20, 20, 90, 90]
    assert budget.expected_s == 110
    assert str(budget) == ("4 cells to measure, 2 side by side: about 110 s (from the cost of 4 cells; more if the processors are busy)")


def test_other_cells_follow_from_how_fast_the_machine_is(tmp_path: Path) -> None:
    cells = experiment(tmp_path).cells()
    records = [kept(cells[0], 3 * USUAL.seconds(1000)), CellRecord.of(cells[0], cost=None)]
    budget = virtual_budget([Work([cells[3]])], 1, records)
    assert "from the cost of 1 cells" in str(budget)
    assert budget.expected_s == pytest.approx(3 * CellWorks().of(cells[3]).seconds), "a machine three times as slow"


def test_cells_of_other_points_follow_from_what_they_have_to_do(tmp_path: Path) -> None:
    cells, costs = experiment(tmp_path).cells(), CellWorks()
    slow, fast = cells[0], cells[2]
    assert costs.of(fast).packets == pytest.approx(8 * costs.of(slow).packets)
    budget = virtual_budget([Work([fast], [kept(slow, 2 * costs.of(slow).seconds)], cells)], 1)
    assert budget.expected_s == pytest.approx(2 * costs.of(fast).seconds)


def test_the_cost_of_many_cells_is_a_line(tmp_path: Path) -> None:
    cell = experiment(tmp_path).cells()[0]
    model = fitted_cost([kept(cell, 12.0 + 50e-6 * packets, packets) for packets in range(0, 600_000, 100_000)])
    assert [model.cell_s, model.million_s, model.cells] == pytest.approx([12, 50, 6])
    falling = fitted_cost([kept(cell, 12.0 - 1e-6 * packets, packets) for packets in range(0, 600_000, 100_000)])
    assert not falling.is_line
    assert falling.cell_s > 0
    assert falling.million_s > 0


def test_in_real_time_cells_take_their_time_one_after_the_other(tmp_path: Path) -> None:
    budget = real_budget(experiment(tmp_path).cells())
    assert budget.expected_s == pytest.approx(8 * 4.8)
    assert "by how long their scenarios are" in str(budget)


def test_the_cost_of_cells_adds_up(tmp_path: Path) -> None:
    cells = experiment(tmp_path).cells()
    account = cost_of([kept(cells[0], 2.0), kept(cells[1], 4.0), CellRecord.of(cells[2])])
    assert (account.cells, account.packets, account.processor_s, account.machines) == (2, 2000, 6.0, ("m",))
    assert account.row == ["2", "0.00", "0.002", "3000.0", "—", "—"]
    assert cost_of([]).row == ["0", "0.00", "0.000", "—", "—", "—"]
