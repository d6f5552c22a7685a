"""Samples of a transmission over several paths: the whole in one CSV file, and each subflow in one beside it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from common.errors import UserError
from hosts.sample_excerpt import SampleExcerpt
from hosts.sample_row import COLUMNS, Row, sample_row
from hosts.tcp_info import TcpInfo


def subflow_file(path: Path, number: int) -> Path:
    """Where the samples of a subflow (0, 1, …) are, from where those of the whole are."""
    return path.with_suffix(f".{number}{path.suffix}")


class SubflowSamples:
    """Collects rows and writes them at the end. The columns are those of connections over one path (hosts/sender_samples.py).

    The row of the whole is the sum of its subflows' rows; its RTTs are the smallest of theirs. ``NAME.csv`` is the whole, ``NAME.0.csv``
    the first subflow.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[int | None, list[Row]] = {}
        self._excerpt = SampleExcerpt(path)

    def take(self, now_ns: int, subflows: Mapping[int, tuple[TcpInfo, int]]) -> None:
        """Takes one sample: by the subflow's number, its TCP_INFO and its allocated rate in bit/s."""
        rows = {number: sample_row(now_ns, info, rate_bps) for number, (info, rate_bps) in subflows.items()}
        for number, row in rows.items():
            self._rows.setdefault(number, []).append(row)
        if rows:
            together = _together(list(rows.values()))
            self._rows.setdefault(None, []).append(together)
            self._excerpt.offer(now_ns, lambda: together)

    def write(self) -> None:
        """Writes all files.

        Raises:
            UserError: one cannot be written.
        """
        for number, rows in self._rows.items():
            path = self._path if number is None else subflow_file(self._path, number)
            try:
                with path.open("w", newline="", encoding="ascii") as file:
                    writer = csv.writer(file)
                    writer.writerow(COLUMNS)
                    writer.writerows(rows)
            except OSError as error:
                raise UserError(f"{path} cannot be written: {error.strerror}") from error
        self._excerpt.remove()


SMALLEST = (COLUMNS.index("srtt_us"), COLUMNS.index("min_rtt_us"))


def _together(rows: list[Row]) -> Row:
    columns = zip(*rows, strict=True)
    return tuple(values[0] if index == 0 else min(values) if index in SMALLEST else sum(values) for index, values in enumerate(columns))
