"""An excerpt of a connection's samples for those who watch the run: written while they are taken, gone when all of them are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from common.errors import UserError
from common.units import NS_PER_S
from hosts.sample_row import COLUMNS, Row

INTERVAL_S = 0.05
"""Between two rows; as wide as the narrowest bins of the live page, so that each bin has a row."""


def excerpt_file(samples: Path) -> Path:
    """Where the excerpt is, from where the samples will be: ``sender-A.csv`` gives ``sender-A.excerpt.csv``."""
    return samples.with_suffix(f".excerpt{samples.suffix}")


class SampleExcerpt:
    """Writes a row at most every :data:`INTERVAL_S`.

    Args:
        samples: where the samples will be.

    Raises:
        UserError: its file cannot be written.
    """

    def __init__(self, samples: Path) -> None:
        self._path = excerpt_file(samples)
        self._due_ns = 0
        try:
            self._file: TextIO = self._path.open("w", buffering=1, encoding="ascii")
            self._write(COLUMNS)
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror}") from error

    def offer(self, time_ns: int, row: Callable[[], Row]) -> None:
        """A sample has been taken.

        Args:
            time_ns: when, CLOCK_MONOTONIC.
            row: gives it; called only if a row is due.
        """
        if time_ns < self._due_ns:
            return
        self._due_ns = time_ns + round(INTERVAL_S * NS_PER_S)
        self._write(row())

    def remove(self) -> None:
        """The samples themselves are written: nobody needs the excerpt any more."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _write(self, values: Sequence[object]) -> None:
        self._file.write(",".join(map(str, values)) + "\n")
