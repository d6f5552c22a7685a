"""An atlas that nobody measured: two plain schemes, one that is alone among its kind, a rival; two buffers."""

from __future__ import annotations

from pathlib import Path

from engine.collect.record import SAMPLES, CellRecord
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from reports.results import Results

BASE = """
schema = 2
title = "TITLE"
curves = ["throughput.*"]
[constants]
everyone = ["reno", "cubic", "bbr"]
[topology]
kind = "dumbbell"
pairs = 2
access = { rate_mbps = 100, delay_ms = 1 }
bottleneck = { rate_mbps = 10, delay_ms = 5 }
[[transmissions]]
name = "A"
sender = "h1"
receiver = "h3"
[run]
duration_s = 4
measure_from_s = 1
repetitions = 3
start_jitter_ms = 1
"""
PAIRS = """
[[tables]]
caption = "Asymmetry."
rows = ["buffer_bdp", "connections", "rival"]
value = "asymmetry"
form = ".2f"
labels = { buffer_bdp = "{} BDP" }
[metrics]
asymmetry = { metric = "asymmetry", of = ["A"], against = ["B"] }
used_percent = { metric = "total_percent", of_mbps = 10 }
[grid]
buffer_bdp = [1, 4]
rival = "= everyone[1:]"
connections = ["1:1", "1:4", "4:1"]
"""
SAME = """
[[tables]]
caption = "Jain's index."
rows = ["buffer_bdp"]
value = "jain"
form = ".3f"
[grid]
buffer_bdp = [1, 4]
"""
_LEFT_OUT = tuple(f"rival=bbr,connections=4:1/cubic-{repetition}" for repetition in (1, 2, 3))
SHARES = {"reno": 1.0, "cubic": 1.5, "bbr": 6.0}


def atlas(folder: Path) -> tuple[list[ReportedExperiment], dict[str, Results]]:
    """The experiments ``pairs`` and ``same``, and results of all their cells; four of cubic beside one bbr are left out."""
    rival = '[[transmissions]]\nname = "B"\nsender = "h2"\nreceiver = "h4"\nscheme = "= rival"\n'
    pairs = BASE.replace("[run]", f'{rival}[run]\nschemes = "= everyone[:everyone.index(rival)]"')
    same = BASE.replace("[run]", '[run]\nschemes = "= everyone"')
    for name, text in (("pairs", pairs.replace("TITLE", "Beside another") + PAIRS), ("same", same.replace("TITLE", "Alike") + SAME)):
        (folder / f"{name}.toml").write_text(text)
    experiments = [ReportedExperiment.read(folder / f"{name}.toml", Effort()) for name in ("pairs", "same")]
    results = {one.name: Results([_record(cell) for cell in one.cells() if not cell.key.endswith(_LEFT_OUT)]) for one in experiments}
    return experiments, results


def asymmetry(scheme: str, rival: str) -> float:
    """The index that the first repetition has; each other one has more by 0.001."""
    a, b = SHARES[scheme], SHARES[rival]
    return (a - b) / (a + b)


def _record(cell: Cell) -> CellRecord:
    rival = str(cell.parameters.get("rival", cell.scheme))
    values = {"asymmetry": asymmetry(cell.scheme, rival) + 0.001 * cell.repetition, "used_percent": 90.0, "jain": 0.99}
    curves = {"curves.time_s": [1.0, 3.0], "curves.throughput.A": [4.0, 5.0]} if cell.repetition == 1 else {}
    return CellRecord.of(cell, values=values, series=curves, facts={SAMPLES: f"{cell.scheme}{cell.repetition}"})
