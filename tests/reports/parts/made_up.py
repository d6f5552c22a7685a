"""Experiments and results that nobody measured."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

from engine.collect.record import CellRecord
from engine.collect.values import WORKLOAD_VALUES
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from reports.results import Results
from scenario.expressions import evaluate

Values = Callable[[Cell], Mapping[str, float | None]]

HEAD = """
schema = 2
title = "Made up"
topology.kind = "dumbbell"
topology.pairs = 2
topology.access.rate_mbps = 100
topology.bottleneck = { rate_mbps = "= rate_mbps", loss_percent = "= loss_percent" }
transmissions = [{ name = "A", sender = "h1", receiver = "h3" }, { name = "B", sender = "h2", receiver = "h4" }]
run = { schemes = ["reno", "cubic", "nodectl"], duration_s = 4, start_jitter_ms = 1 }
grid = { rate_mbps = [10, 40], loss_percent = [0, 0.5] }
"""


def experiment(folder: Path, report: str = "", head: str = HEAD) -> ReportedExperiment:
    """A file with this report, read for two repetitions."""
    file = folder / "made_up.toml"
    file.write_text(head + report, encoding="utf-8")
    return ReportedExperiment.read(file, Effort(repetitions=2))


def results(one: ReportedExperiment, values: Values) -> Results:
    """A record for each cell."""
    return Results(
        CellRecord.of(
            cell,
            values=dict(values(cell)),
            facts={f"congestion_control.{cell.scheme}": "kernel"},
            started=f"2026-11-22T10:00:{number % 60:02d}+00:00",
            took_s=1.5,
        )
        for number, cell in enumerate(one.cells())
    )


def made_up(cell: Cell, experiment: ReportedExperiment, value: float | None = None) -> dict[str, float | None]:
    """All values that a cell could have."""
    draw = random.Random(str(cell))
    names = [*experiment.definition.metrics, "total_mbps", "jain", "queue_drops", "loss_drops", "mean_mbps", "smoothed_rtt_ms"]
    names += [f"{kind}.{t.name}" for t in cell.scenario.transmissions for kind in ("mean_mbps", "fair_mbps")]
    names += [f"lead_ms.{a.name}.{b.name}" for a, b in combinations(cell.scenario.transmissions, 2)]
    names += WORKLOAD_VALUES if cell.scenario.workloads else ()
    names += ["takeover_ms"] if any(event.restart for event in cell.scenario.events) else []
    has_discipline = any(trunk.link.there.queue_discipline.program for trunk in cell.scenario.layout.trunks)
    ends = [f"{trunk.first}-{trunk.second}" for trunk in cell.scenario.layout.trunks]
    queues = ("", ".0", ".1") if has_discipline else ("",)
    names += [f"queue_wait_{kind}_ms.{end}{queue}" for kind in ("mean", "p99") for end in ends for queue in queues]
    names += ["queue_marks"] if has_discipline else []
    return {name: draw.uniform(1, 100) if value is None else value for name in names}


def examples(rule: str, weaker: str = "", name: str = "t") -> str:
    """Lines of a claim with a point at which its rule holds and one at which neither it nor the weaker one does, found by trying."""
    draw = random.Random(1)
    schemes = ("nodectl", "reno", "cubic", "bbr")
    points = [
        {name: {scheme: draw.choice([0, 1, 25, 45, 2000]) for scheme in schemes}, "rate_mbps": draw.choice([10, 40])} for _ in range(1000)
    ]
    true = next(point for point in points if evaluate(rule, point))
    false = next(point for point in points if not evaluate(rule, point) and not (weaker and evaluate(weaker, point)))
    return f"true_for = [{_inline(true)}]\nfalse_for = [{_inline(false)}]\n"


def _inline(table: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {_inline(value) if isinstance(value, dict) else value}" for key, value in table.items()) + " }"
