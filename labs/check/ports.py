"""The samples of one direction of a link in a run's ``ports.csv`` (docs/links.md, "Counters")."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError


@dataclass(frozen=True)
class Port:
    """The samples of a port, in the order of their times."""

    rows: Sequence[Mapping[str, str]]

    @classmethod
    def read(cls, file: Path, switch: str, port: int, direction: str = "egress") -> Port:
        """The samples of one direction.

        Raises:
            UserError: there are none.
        """
        with file.open(encoding="ascii", newline="") as stream:
            wanted = (switch, str(port), direction)
            rows = [row for row in csv.DictReader(stream) if (row["switch"], row["port"], row["direction"]) == wanted]
        if not rows:
            raise UserError(f"{file} has nothing of {switch}, port {port}, {direction}")
        return cls(rows)

    def most(self, column: str) -> float:
        """The largest value of a column."""
        return max(float(row[column]) for row in self.rows)

    def last(self, column: str) -> float:
        """The last value of a column; of a counter, that is all of it."""
        return float(self.rows[-1][column])
