"""Reading the raw samples of a run: CSV files of the hosts and of the switch process, as numpy arrays."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import UserError
from hosts.receiver_samples import connections_file

Floats = NDArray[np.float64]

NANOSECONDS = 1e-9

SYN_BYTES = 1
"""The SYN, which Linux counts among the acknowledged bytes."""


@dataclass(frozen=True)
class Series:
    """A cumulative counter over time: ``time_s`` (CLOCK_MONOTONIC) and ``value``, both of shape (samples,)."""

    time_s: Floats
    value: Floats

    @classmethod
    def empty(cls) -> Series:
        """A series of no samples: both arrays have shape (0,)."""
        return cls(np.empty(0), np.empty(0))

    def at(self, time_s: Floats | float) -> Floats:
        """Values at other times: linear in between, the first and last value outside."""
        if self.time_s.size == 0:
            return np.zeros_like(np.asarray(time_s, dtype=float))
        return np.asarray(np.interp(time_s, self.time_s, self.value), dtype=float)

    def increase(self, start_s: float, end_s: float) -> float:
        """How much the counter grew from ``start_s`` to ``end_s``."""
        return float(self.at(end_s) - self.at(start_s))


class SenderSamples:
    """The samples of one connection of a sender (hosts/sender_samples.py), read once for all their columns.

    Raises:
        OSError: there is no such file.
        ValueError: a cell is not a number.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with file.open(encoding="ascii") as stream:
            self._names = stream.readline().rstrip("\n").split(",")
            commas = len(self._names) - 1
            whole = (line for line in stream if line.count(",") == commas)  # the last one of a killed program may be cut
            first = next(whole, None)
            self._cells = np.empty((0, commas + 1)) if first is None else np.loadtxt(chain([first], whole), delimiter=",", ndmin=2)

    def column(self, name: str) -> Series:
        """One column over time.

        Raises:
            KeyError: the file has no such column.
        """
        if name not in self._names:
            raise KeyError(f"{self._file}: there is no column {name}")
        time_s = self._cells[:, self._names.index("time_ns")] * NANOSECONDS
        return Series(time_s, self._cells[:, self._names.index(name)])


@dataclass(frozen=True)
class ReceivedConnection:
    """One connection of a receiver, and its bytes over time. Times are CLOCK_MONOTONIC seconds.

    ``peer``: the sender's address and port. ``last_data_s``: when the last byte was read; None: nothing came.
    """

    peer: tuple[str, int]
    accepted_s: float
    last_data_s: float | None
    received: Series


class ReceiverSamples:
    """The samples of one receiving host (hosts/receiver_samples.py), read once for all its transmissions.

    Raises:
        OSError: a file is not there: the receiver has not completed it.
        ValueError: a cell is not a number.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connections: dict[tuple[str, int], list[ReceivedConnection]] = defaultdict(list)
        _, *lines = file.read_text().splitlines()
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2) if lines else np.empty((0, 3), dtype=np.int64)
        rows = rows[np.argsort(rows[:, 1], kind="stable")]
        with connections_file(file).open(newline="") as stream:
            for row in csv.DictReader(stream):
                first, end = np.searchsorted(rows[:, 1], (int(row["connection"]), int(row["connection"]) + 1))
                series = Series(rows[first:end, 0].astype(np.float64) * NANOSECONDS, rows[first:end, 2].astype(np.float64))
                peer, last_data_ns = (row["peer"], int(row["peer_port"])), int(row["last_data_ns"])
                last_data_s = last_data_ns * NANOSECONDS if last_data_ns else None
                connection = ReceivedConnection(peer, int(row["accepted_ns"]) * NANOSECONDS, last_data_s, series)
                self._connections[peer].append(connection)

    def of(self, summary: Mapping[str, Any]) -> ReceivedConnection | None:
        """The connection of one transmission.

        A port that was used again is told by the time: of several connections, it is the one accepted nearest to when the sender's was
        established.

        Args:
            summary: the sender's (``hosts.summary.Summary``).

        Returns:
            None if the receiver never had a connection: nothing was received then. The sender may have had one, if what opens it at the
            receiver was lost until the run ended.

        Raises:
            UserError: the receiver knows nothing of a connection by which the sender had data acknowledged.
        """
        if not summary["local_port"]:
            return None
        sender = (str(summary["local_address"]), int(summary["local_port"]))
        found = self._connections.get(sender, [])
        if not found and summary["bytes_acked"] > SYN_BYTES:
            raise UserError(f"{self._file} has no connection from {sender[0]}:{sender[1]}, which {summary['name']} was sent by")
        return min(found, key=lambda one: abs(one.accepted_s - float(summary["connected_s"])), default=None)
