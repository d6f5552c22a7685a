"""Samples of what a host receives: the bytes that have come so far, by connection.

Two CSV files. ``NAME.csv`` has the counts over time. A count that stays the same is written when it is first and when it is last seen, so
that straight lines between the rows are what happened. ``NAME.connections.csv`` says which connection is whose; it is written when the
samples are complete.
"""

from __future__ import annotations

import csv
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from common.errors import UserError
from hosts import clock
from hosts.incoming import IncomingConnection
from hosts.periodic import SAMPLE_INTERVAL_S, Periodic

SAMPLE_COLUMNS = ("time_ns", "connection", "bytes_received")
CONNECTION_COLUMNS = ("connection", "peer", "peer_port", "accepted_ns", "last_data_ns", "is_over", "bytes_received")
"""See :class:`hosts.incoming.IncomingConnection`; ``is_over`` is 0 or 1."""
_BUFFER_BYTES = 1 << 20


def connections_file(samples: Path) -> Path:
    """The file that says which connections the samples are of: ``a.csv`` → ``a.connections.csv``."""
    return samples.with_suffix(".connections" + samples.suffix)


@dataclass(slots=True)
class _Recorded:
    """One connection and the last count of it: written at ``written_ns``, and seen again until ``seen_ns``."""

    incoming: IncomingConnection
    count: int
    written_ns: int
    seen_ns: int


class _Recording:
    """One file of samples, from its first tick to its last."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._samples = _open(path)
        try:
            self._connections = _open(connections_file(path))
        except UserError:
            self._samples.close()
            raise
        self._samples.write(",".join(SAMPLE_COLUMNS) + "\n")
        self._recorded: dict[int, _Recorded] = {}
        self._over: list[IncomingConnection] = []

    def begin(self, incoming: IncomingConnection) -> None:
        """A connection is accepted, or was there when this file began."""
        is_new = incoming.bytes_received() == 0
        time_ns = incoming.accepted_ns if is_new else clock.now_ns()
        count = 0 if is_new else incoming.bytes_received()
        self._samples.write(f"{time_ns},{incoming.number},{count}\n")
        self._recorded[incoming.number] = _Recorded(incoming, count, time_ns, time_ns)

    def tick(self) -> None:
        """Takes a sample of every connection."""
        now_ns = clock.now_ns()
        lines = []
        over = []
        for number, recorded in self._recorded.items():
            is_over = recorded.incoming.is_over  # read before the count, so that the last row is the final count
            count = recorded.incoming.bytes_received()
            if count == recorded.count and not is_over:
                recorded.seen_ns = now_ns
                continue
            if recorded.seen_ns > recorded.written_ns:
                lines.append(f"{recorded.seen_ns},{number},{recorded.count}\n")
            time_ns = now_ns
            if is_over:
                over.append(number)
                if recorded.incoming.last_data_ns > recorded.seen_ns:
                    time_ns = recorded.incoming.last_data_ns
            lines.append(f"{time_ns},{number},{count}\n")
            recorded.count, recorded.written_ns, recorded.seen_ns = count, time_ns, time_ns
        self._samples.write("".join(lines))
        for number in over:
            self._over.append(self._recorded.pop(number).incoming)

    def finish(self) -> None:
        """Takes the last sample and writes what is still to be written."""
        self.tick()
        left = [recorded for recorded in self._recorded.values() if recorded.seen_ns > recorded.written_ns]
        with self._samples:
            self._samples.write("".join(f"{one.seen_ns},{one.incoming.number},{one.count}\n" for one in left))
        with self._connections:
            writer = csv.writer(self._connections)
            writer.writerow(CONNECTION_COLUMNS)
            for one in sorted(self._over + [recorded.incoming for recorded in self._recorded.values()], key=lambda one: one.number):
                writer.writerow(
                    (one.number, one.peer, one.peer_port, one.accepted_ns, one.last_data_ns, int(one.is_over), one.bytes_received())
                )


class ReceiverSamples:
    """Follows the connections of a receiver, and records them while it is told to. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[int, IncomingConnection] = {}
        self._recording: _Recording | None = None
        self._periodic: Periodic | None = None

    def begin(self, incoming: IncomingConnection) -> None:
        """A connection has been accepted."""
        with self._lock:
            self._open[incoming.number] = incoming
            if self._recording is not None:
                self._recording.begin(incoming)

    def end(self, incoming: IncomingConnection) -> None:
        """A connection is over."""
        with self._lock:
            self._open.pop(incoming.number, None)

    def record_to(self, path: Path | None, interval_s: float = SAMPLE_INTERVAL_S) -> None:
        """Completes the files so far, and goes on in new ones; None: in none. Takes up to one interval.

        Raises:
            UserError: the new files cannot be written, or the former could not (then nothing is recorded).
        """
        if self._periodic is not None:
            self._periodic.stop()
            self._periodic = None
        with self._lock:
            former, self._recording = self._recording, None
            try:
                if former is not None:
                    former.finish()
            except OSError as error:
                raise UserError(f"the receiver's samples cannot be written: {error.strerror}") from error
            if path is None:
                return
            self._recording = _Recording(path)
            for incoming in self._open.values():
                self._recording.begin(incoming)
        self._periodic = Periodic(interval_s, self._tick, "received")
        self._periodic.start()

    def _tick(self) -> None:
        with self._lock:
            if self._recording is not None:
                self._recording.tick()


def _open(path: Path) -> IO[str]:
    try:
        return path.open("w", buffering=_BUFFER_BYTES, newline="", encoding="ascii")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error
