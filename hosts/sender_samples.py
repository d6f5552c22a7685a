"""Samples of the sender's connections, every 10 ms unless the plan says otherwise, and whenever a rate is given.

While data flows, each sample is only a system call and a copy of the raw TCP_INFO into a buffered temporary file, so that measuring
costs the sender little. It is decoded and written as CSV when everything is over. An excerpt is there meanwhile (sample_excerpt.py).
"""

from __future__ import annotations

import csv
import socket
import struct
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from common.errors import UserError
from hosts import clock, tcp_info
from hosts.periodic import SAMPLE_INTERVAL_S, Periodic
from hosts.sample_excerpt import SampleExcerpt
from hosts.sample_row import COLUMNS, sample_row

_STAMP = struct.Struct("=QQ")
_ROW_BYTES = _STAMP.size + tcp_info.TCP_INFO_BYTES
_BUFFER_BYTES = 1 << 20


@dataclass
class ConnectionSamples:
    """The samples of one connection. ``allocated_rate_bps`` is set by :meth:`Sampler.note_rate`."""

    connection: socket.socket
    path: Path
    allocated_rate_bps: int = 0
    _raw: IO[bytes] = field(init=False)
    _excerpt: SampleExcerpt = field(init=False)

    def __post_init__(self) -> None:
        try:
            self._raw = tempfile.TemporaryFile(buffering=_BUFFER_BYTES, dir=self.path.parent)  # noqa: SIM115
        except OSError as error:
            raise UserError(f"samples cannot be written to {self.path.parent}: {error.strerror}") from error
        self._excerpt = SampleExcerpt(self.path)

    def take(self) -> None:
        """Takes one sample now."""
        time_ns, raw = clock.now_ns(), tcp_info.read_raw(self.connection).ljust(tcp_info.TCP_INFO_BYTES, b"\0")
        self._raw.write(_STAMP.pack(time_ns, self.allocated_rate_bps) + raw)
        self._excerpt.offer(time_ns, lambda: sample_row(time_ns, tcp_info.decode(raw), self.allocated_rate_bps))

    def write_csv(self) -> int:
        """Decodes what was taken into the CSV file; returns the number of samples.

        Raises:
            UserError: the file cannot be written.
        """
        self._raw.seek(0)
        count = 0
        try:
            with self.path.open("w", newline="", encoding="ascii") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                while len(row := self._raw.read(_ROW_BYTES)) == _ROW_BYTES:
                    writer.writerow(_decoded(row))
                    count += 1
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        finally:
            self._raw.close()
            self._excerpt.remove()
        return count


def _decoded(row: bytes) -> tuple[int, ...]:
    time_ns, allocated_rate_bps = _STAMP.unpack_from(row)
    return sample_row(time_ns, tcp_info.decode(row[_STAMP.size :]), allocated_rate_bps)


class Sampler:
    """One thread that samples all connections of the process every ``interval_s`` seconds."""

    def __init__(self, interval_s: float = SAMPLE_INTERVAL_S) -> None:
        self._active: dict[int, ConnectionSamples] = {}
        self._done: list[ConnectionSamples] = []
        self._lock = threading.Lock()
        self._periodic = Periodic(interval_s, self._tick, "samples")
        self._is_running = False

    def add(self, connection: socket.socket, path: Path) -> ConnectionSamples:
        """Begins to sample ``connection``; the CSV at ``path`` is written by :meth:`finish`."""
        samples = ConnectionSamples(connection, path)
        with self._lock:
            self._active[id(samples)] = samples
        if not self._is_running:
            self._is_running = True
            self._periodic.start()
        return samples

    def follow(self, samples: ConnectionSamples, connection: socket.socket) -> None:
        """Goes on with another connection in the same file; the former one may be closed then."""
        with self._lock:
            samples.connection = connection

    def note_rate(self, samples: ConnectionSamples, allocated_rate_bps: int) -> None:
        """A rate holds from now on; a sample says from when."""
        with self._lock:
            samples.allocated_rate_bps = allocated_rate_bps
            samples.take()

    def remove(self, samples: ConnectionSamples) -> None:
        """Takes a last sample and ends; to be called before the connection is closed."""
        with self._lock:
            if self._active.pop(id(samples), None) is not None:
                samples.take()
                self._done.append(samples)

    def finish(self) -> None:
        """Ends the thread and writes all CSV files."""
        if self._is_running:
            self._periodic.stop()
        for samples in [*self._active.values(), *self._done]:
            samples.write_csv()

    def _tick(self) -> None:
        with self._lock:
            for samples in self._active.values():
                samples.take()
