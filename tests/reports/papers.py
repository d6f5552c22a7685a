"""A paper that nobody wrote, as a folder of data, and results that nobody measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.fidelity import FidelityVerdict
from engine.collect.record import CellRecord, Cost
from engine.collect.store import ResultStore
from engine.plan.experiment import Effort
from reports import paper
from reports.claims import published
from reports.experiment import ReportedExperiment
from tests.reports.parts.made_up import HEAD, Values

MACHINE = "a processor, 2 cores, 4 GB"

REPORT = """
[[tables]]
caption = "Mbit/s."
value = "total_mbps"
rows = ["rate_mbps"]

[[claims]]
text = "All is well"
source = "section 1"
values = { total = "total_mbps" }
rule = "total.nodectl > total.reno"
true_for = [{ total = { nodectl = 2, reno = 1 } }]
false_for = [{ total = { nodectl = 1, reno = 2 } }]

[[claims]]
text = "Three times as much"
source = "section 2"
values = { total = "total_mbps" }
rule = "total.nodectl > 3 * total.reno"
true_for = [{ total = { nodectl = 4, reno = 1 } }]
false_for = [{ total = { nodectl = 1, reno = 2 } }]
weaker = "total.nodectl > total.reno"

[[claims]]
text = "All is well again"
source = "section 2"
values = { total = "total_mbps" }
rule = "total.nodectl > total.reno"
true_for = [{ total = { nodectl = 2, reno = 1 } }]
false_for = [{ total = { nodectl = 1, reno = 2 } }]
repeats = "All is well"

[[claims]]
text = "It is slow"
source = "section 3"
headline = true
values = { total = "total_mbps" }
rule = "total.nodectl < total.reno"
true_for = [{ total = { nodectl = 1, reno = 2 } }]
false_for = [{ total = { nodectl = 2, reno = 1 } }]

[[claims]]
text = "It is quiet"
source = "section 4"
values = { noise = "noise_db" }
rule = "noise.nodectl < 1"
true_for = [{ noise.nodectl = 0 }]
false_for = [{ noise.nodectl = 2 }]

[[figures]]
name = "rates"
caption = "Rates."
panels = [{ x = "rate_mbps", y = "total_mbps" }]
"""
GRID = "grid = { rate_mbps = [10, 40], loss_percent = [0, 0.5] }"
assert GRID in HEAD


def use_papers(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    """Make papers of these names, each with one experiment `rates` of two rates, and let there be no others."""
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "rates.toml").write_text(HEAD.replace(GRID, "grid = { rate_mbps = [10, 40], loss_percent = [0] }") + REPORT)
        (folder / name / "published.toml").write_text("[rates]\n10mbps = { reno = 7.5 }\n")
        (folder / name / "paper.toml").write_text(
            f'title = "About {name}"\ncitation = "Nobody: {name}."\nexperiments = ["rates"]\nschemes = {{ reno = "NewReno" }}\n'
            '[[main_figures]]\nexperiment = "rates"\nfigure = "rates"\nvalue = "total_mbps"\nlabel = "throughput, Mbit/s"\n'
            'where = { rate_mbps = 10 }\nover = "rate_mbps"\npublished = { table = "rates", row = "10mbps" }\n'
        )
    monkeypatch.setattr(paper, "PAPERS", folder)
    monkeypatch.setattr(published, "PAPERS", folder)


def keep_results(store: ResultStore, experiment: ReportedExperiment, values: Values) -> None:
    """Results of all cells; each carried 200,000 packets and took 5 s of a processor, or 10 if it is not Nodectl's."""
    for cell in experiment.cells():
        record = CellRecord.of(cell, values=dict(values(cell)), started="2026-11-22T10:00:00+00:00", took_s=9.0)
        record.verdict = FidelityVerdict(accepted=True, late_share=0, worst_link="", p99_us=0, max_us=0, packets=200_000, virtual=True)
        record.cost = Cost(processor_s=5.0 if cell.scheme == "nodectl" else 10.0, machine=MACHINE)
        store.save(record)


def rates_of(name: str) -> ReportedExperiment:
    """The experiment of a paper that was made."""
    return ReportedExperiment.read(published.PAPERS / name / "rates.toml", Effort(usual_repetitions=3))
