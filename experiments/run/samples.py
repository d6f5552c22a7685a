"""Reading the raw samples of a run: CSV files of the hosts and of the switch process, as numpy arrays."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NANOSECONDS = 1e-9


@dataclass(frozen=True)
class Series:
    """A cumulative counter over time: ``time_s`` (CLOCK_MONOTONIC) and ``value``, both of shape (samples,)."""

    time_s: Floats
    value: Floats

    def at(self, time_s: Floats | float) -> Floats:
        """Values at other times: linear in between, the first and last value outside."""
        if self.time_s.size == 0:
            return np.zeros_like(np.asarray(time_s, dtype=float))
        return np.asarray(np.interp(time_s, self.time_s, self.value), dtype=float)

    def increase(self, start_s: float, end_s: float) -> float:
        """How much the counter grew from ``start_s`` to ``end_s``."""
        return float(self.at(end_s) - self.at(start_s))


def sender_column(file: Path, column: str) -> Series:
    """One column of a sender's 1 ms samples.

    Raises:
        KeyError: the file has no such column.
        ValueError: a cell is not a number.
    """
    with file.open(newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        if column not in header:
            raise KeyError(f"{file}: there is no column {column}")
        time, wanted = header.index("time_ns"), header.index(column)
        cells = np.array([(float(row[time]), float(row[wanted])) for row in rows if len(row) == len(header)], dtype=float)
    cells = cells.reshape(-1, 2)
    return Series(cells[:, 0] * NANOSECONDS, cells[:, 1])


def received_bytes(file: Path, sender_ip: str) -> Series:
    """Payload bytes that a receiver had got from ``sender_ip``, over all its connections."""
    connections: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with file.open(newline="") as stream:
        for row in csv.DictReader(stream):
            if row["peer"] == sender_ip:
                connections[row["peer_port"]].append((float(row["time_ns"]) * NANOSECONDS, float(row["bytes_received"])))
    if not connections:
        return Series(np.empty(0), np.empty(0))
    parts = [np.array(samples, dtype=float) for samples in connections.values()]
    times = np.unique(np.concatenate([part[:, 0] for part in parts]))
    # A connection has received nothing before its first sample.
    total = sum(np.interp(times, part[:, 0], part[:, 1], left=0.0) for part in parts)
    return Series(times, np.asarray(total, dtype=float))


def switch_counter(file: Path, counter: str, *, switch: str | None = None, port: int | None = None, direction: str | None = None) -> Series:
    """A counter of the switch process's port samples, summed over the links that match."""
    totals: dict[float, float] = defaultdict(float)
    with file.open(newline="") as stream:
        for row in csv.DictReader(stream):
            if switch is not None and row["switch"] != switch:
                continue
            if port is not None and row["port"] != str(port):
                continue
            if direction is not None and row["direction"] != direction:
                continue
            totals[float(row["time_ns"]) * NANOSECONDS] += float(row[counter])
    times = np.array(sorted(totals), dtype=float)
    return Series(times, np.array([totals[time] for time in times], dtype=float))
