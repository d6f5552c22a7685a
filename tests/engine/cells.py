"""Cells for tests, and what a run of them may have come to."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from engine.collect.fidelity import FidelityVerdict
from engine.collect.run_data import RunData
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment

FILE = """
schema = 2
title = "Counting"
[topology]
kind = "dumbbell"
pairs = 1
access = { rate_mbps = 100, delay_ms = 1 }
bottleneck = { rate_mbps = "= rate", delay_ms = "= delay_ms" }
[[transmissions]]
name = "A"
sender = "h1"
receiver = "h2"
[run]
schemes = ["reno"]
duration_s = 4
repetitions = 2
start_jitter_ms = 1
attempts = 4
[grid]
rate = [10, 80]
delay_ms = [5, 9]
"""


def experiment(folder: Path, repetitions: int | None = None, text: str = FILE) -> ReportedExperiment:
    """Eight cells on two networks."""
    file = folder / "counting.toml"
    file.write_text(text)
    return ReportedExperiment.read(file, Effort(repetitions=repetitions))


def one_cell(folder: Path) -> Cell:
    """The first of them."""
    return experiment(folder).cells()[0]


def verdict(accepted: bool) -> FidelityVerdict:
    """A verdict."""
    late = 0.0 if accepted else 0.02
    return FidelityVerdict(accepted=accepted, late_share=late, worst_link="s1-s2 egress", p99_us=100.0, max_us=900.0, packets=1000)


def run_data(accepted: bool = True) -> RunData:
    """A run of which only the verdict is known."""
    return cast(RunData, cast(Any, SimpleNamespace(verdict=verdict(accepted))))
