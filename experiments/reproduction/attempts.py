"""Measuring a cell until a measurement counts: a bounded number of times, and for a bounded time over all cells."""

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


class RepetitionTime:
    """How long rejected measurements may be repeated, over all cells.

    Args:
        limit_s: None: as long as it takes.
    """

    def __init__(self, limit_s: float | None = None) -> None:
        self._left_s = limit_s

    @property
    def is_left(self) -> bool:
        """Whether one more may begin."""
        return self._left_s is None or self._left_s > 0

    def spend(self, seconds: float) -> None:
        """A repetition took this long."""
        if self._left_s is not None:
            self._left_s -= seconds


def measure_cell(
    cell: Cell,
    measure: Measure,
    scratch: Callable[[Cell, int], Path],
    *,
    commit: str,
    attempts: int = ATTEMPTS,
    repetition_time: RepetitionTime | None = None,
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
        repetition_time: what is left of the time for repeating; when it is used up, one rejection is enough. None: no limit.
        keep_samples: leave the folders; else they are removed.
        on_rejection: told of each rejected measurement.

    Returns:
        The record; ``rejected`` holds the verdicts of the attempts that do not count.
    """
    started, begin_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    rejected: list[Verdict] = []
    accepted: Measurement | None = None
    repetition_time = repetition_time or RepetitionTime()
    for attempt in range(1, attempts + 1):
        if attempt > 1 and not repetition_time.is_left:
            break
        folder, attempt_s = scratch(cell, attempt), time.monotonic()
        measurement = measure(cell, folder)
        if attempt > 1:
            repetition_time.spend(time.monotonic() - attempt_s)
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
        record.failure = f"none of {len(rejected)} runs kept the link model"
        if len(rejected) < attempts:
            record.failure += "; the time for repeating runs was used up"
        return record
    record.values, record.series, record.facts = accepted.values, accepted.series, accepted.facts
    record.verdict = Verdict.model_validate(asdict(accepted.verdict))
    return record
