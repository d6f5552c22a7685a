"""Measures the runs of the files that are checked, and demands a result of each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from common.errors import UserError
from engine.collect.provenance import project_commit
from engine.collect.record import CellRecord
from engine.execute.runner import Batch, measure_missing
from engine.plan.options import RunOptions
from labs.check.vocabulary import Failed
from virtual_time.session import Session

DIGITS = 12
"""Of a checksum in a name."""

KEPT_RUNS = "runs"
"""Among the results of labs: runs that are the same for everybody."""


def measured_records(batches: Sequence[Batch], options: RunOptions) -> list[list[CellRecord]]:
    """Measure cells without a result, as many side by side as there are processors; returns the records of each batch.

    Args:
        batches: experiments, and where their results are kept.
        options: of the runs.

    Raises:
        Failed: a cell has no result.
    """
    try:
        measure_missing(batches, replace(options))  # a copy has prepared no data plane yet: files may have changed
    except UserError as error:
        raise Failed(f"the run has no result: {_first_line(str(error))}", str(error).splitlines()) from None
    found = [list(batch.store.records(batch.cells())) for batch in batches]
    for batch, records in zip(batches, found, strict=True):
        for record in records:
            if record.failure is not None:
                lines = [str(record), *record.failure.splitlines(), *_logs(batch.store.folder)]
                raise Failed(f"the run has no result: {_first_line(record.failure)}", lines)
    return found


def testbed_digest(options: RunOptions) -> str:
    """A checksum of the testbed as it is now: with another one, a run may have other digits."""
    text = str(Session.prepare().inputs) if options.virtual else project_commit()
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _logs(folder: Path) -> list[str]:
    return [f"log: {file}" for file in sorted(folder.glob("logs/**/*.log")) if file.stat().st_size]
