"""Measuring a cell until a measurement counts, a bounded number of times."""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from experiments.reproduction.cell import Cell, CellRecord, Measurement, Verdict

ATTEMPTS = 5

Measure = Callable[[Cell, Path], Measurement]


def measure_cell(
    cell: Cell,
    measure: Measure,
    scratch: Callable[[Cell, int], Path],
    *,
    commit: str,
    attempts: int = ATTEMPTS,
    keep_samples: bool = False,
    on_rejection: Callable[[Measurement], None] = lambda _measurement: None,
) -> CellRecord:
    """Measure a cell; repeat it while the fidelity verdict rejects the measurement.

    Args:
        cell: what to measure.
        measure: measures it once.
        scratch: makes the folder for an attempt's samples.
        commit: what the project is at, for the record.
        attempts: after so many rejections the cell has no result.
        keep_samples: leave the folders; else they are removed.
        on_rejection: told of each rejected measurement.

    Returns:
        The record; ``rejected`` holds the verdicts of the attempts that do not count.
    """
    started, begin_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    rejected: list[Verdict] = []
    accepted: Measurement | None = None
    for attempt in range(1, attempts + 1):
        folder = scratch(cell, attempt)
        measurement = measure(cell, folder)
        if not keep_samples:
            shutil.rmtree(folder, ignore_errors=True)
        if measurement.verdict.accepted:
            accepted = measurement
            break
        rejected.append(Verdict.model_validate(asdict(measurement.verdict)))
        on_rejection(measurement)
    record = CellRecord.of(
        cell,
        rejected=rejected,
        commit=commit,
        kernel=platform.release(),
        started=started,
        took_s=round(time.monotonic() - begin_s, 3),
    )
    if accepted is None:
        record.failure = f"none of {attempts} runs kept the link model"
        return record
    record.values, record.series, record.facts = accepted.values, accepted.series, accepted.facts
    record.verdict = Verdict.model_validate(asdict(accepted.verdict))
    return record
