"""Measures the runs of the files that are checked, and demands a result of each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from common.errors import UserError
from engine.collect.provenance import project_commit
from engine.collect.record import CellRecord
from engine.execute.runner import Batch, measure_missing
from engine.plan.options import RunOptions
from labs.check.vocabulary import Failed
from scenario.run_request import RunRequest
from virtual_time.session import Session

DIGITS = 12
"""Of a checksum in a name."""

KEPT_RUNS = "runs"
"""Among the results of labs: runs that are the same for everybody."""


@dataclass(frozen=True)
class RunSettings:
    """How runs are measured.

    Args:
        virtual: in virtual time; else in real time, as root.
        console: shows how far they are.
        keep_samples: so that they can be looked at afterwards (docs/live-page.md).
    """

    virtual: bool
    console: Console = field(default_factory=lambda: Console(quiet=True))
    keep_samples: bool = False


def measured_records(batches: Sequence[Batch], settings: RunSettings) -> list[list[CellRecord]]:
    """Measure cells without a result, as many side by side as there are processors; returns the records of each batch.

    Args:
        batches: experiments, and where their results are kept.
        settings: in which time, on which console, whether samples are kept.

    Raises:
        Failed: a cell has no result.
    """
    options = RunOptions(RunRequest(keep_samples=settings.keep_samples), settings.console, virtual=settings.virtual)
    try:
        measure_missing(batches, options)
    except UserError as error:
        raise Failed(f"the run has no result: {_first_line(str(error))}", str(error).splitlines()) from None
    found = [list(batch.store.records(batch.cells())) for batch in batches]
    for batch, records in zip(batches, found, strict=True):
        for record in records:
            if record.failure is not None:
                lines = [str(record), *record.failure.splitlines(), *_logs(batch.store.folder)]
                raise Failed(f"the run has no result: {_first_line(record.failure)}", lines)
    return found


def testbed_digest(settings: RunSettings) -> str:
    """A checksum of the testbed as it is now: with another one, a run may have other digits."""
    text = str(Session.prepare().inputs) if settings.virtual else project_commit()
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _logs(folder: Path) -> list[str]:
    return [f"log: {file}" for file in sorted(folder.glob("logs/**/*.log")) if file.stat().st_size]
