"""The switches' samples (``ports.csv``, ``queues.csv``, ``flows.csv``) in bins, as they come: rates, queues, drops, rates of flows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.collect.samples import NANOSECONDS
from view.recording.link_names import PortSide

PORT_COLUMNS, QUEUE_COLUMNS, FLOW_COLUMNS = 11, 9, 11


@dataclass
class Counters:
    """Counters of a link, or of a flow at a link: their values now, and at the end of the last bin."""

    tx_bytes: int = 0
    drops: int = 0
    queue_packets: int = 0
    """The greatest in this bin."""
    last_queue_packets: int = 0
    counted_bytes: int = 0
    counted_drops: int = 0
    rate_kbps: list[int] = field(default_factory=list)
    queue: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)

    def close_bin(self, bin_s: float, bins: int) -> None:
        """A bin is over; ``bins``: so many, in which nothing was sampled but at the end of the first."""
        for _ in range(bins):
            self.rate_kbps.append(round((self.tx_bytes - self.counted_bytes) * 8e-3 / bin_s))
            self.queue.append(self.queue_packets)
            self.dropped.append(self.drops - self.counted_drops)
            self.counted_bytes, self.counted_drops = self.tx_bytes, self.drops
            self.queue_packets = self.last_queue_packets


@dataclass
class Binned:
    """One file's counters in bins.

    Args:
        start_s: CLOCK_MONOTONIC of the first bin's beginning.
        bin_s: their width.
    """

    start_s: float
    bin_s: float
    counters: dict[object, Counters] = field(default_factory=dict)
    closed: int = 0
    """So many bins are complete."""
    end_s: float = float("-inf")
    """The time of the latest sample."""

    def at(self, time_s: float) -> None:
        """The counters that follow are of this moment."""
        self.end_s = time_s
        over = int((time_s - self.start_s) / self.bin_s) if time_s > self.start_s else 0
        if over > self.closed:
            for one in self.counters.values():
                one.close_bin(self.bin_s, over - self.closed)
            self.closed = over

    def take(self, line: bytes) -> bool:
        """Take in one line; returns whether it is one of the file's."""
        raise NotImplementedError

    def of(self, key: object) -> Counters:
        """The counters of a link or flow; a new one has had nothing in the bins that are over."""
        found = self.counters.get(key)
        if found is None:
            found = self.counters[key] = Counters(rate_kbps=[0] * self.closed, queue=[0] * self.closed, dropped=[0] * self.closed)
        return found

    def _sampled(self, key: object, *, queue: int, tx_bytes: int, drops: int) -> None:
        """Take in the counters of the present moment."""
        one = self.of(key)
        one.tx_bytes, one.drops, one.last_queue_packets = tx_bytes, drops, queue
        one.queue_packets = max(one.queue_packets, queue)
        if self.end_s <= self.start_s:  # counted before the first bin
            one.counted_bytes, one.counted_drops, one.queue_packets = tx_bytes, drops, queue


class PortSamples(Binned):
    """``ports.csv``; keys are names of directions.

    Args:
        directions: by switch, port and side.
    """

    def __init__(self, start_s: float, bin_s: float, directions: Mapping[PortSide, str]) -> None:
        super().__init__(start_s, bin_s)
        self._directions = {f"{switch},{port},{side}".encode(): name for (switch, port, side), name in directions.items()}

    def take(self, line: bytes) -> bool:
        """Take in one line; returns whether it is one of the file's."""
        cells = line.split(b",")
        if len(cells) != PORT_COLUMNS or not cells[0].isdigit():
            return False
        name = self._directions.get(b",".join(cells[1:4]))
        if name is None:
            return True
        time_s = int(cells[0]) * NANOSECONDS
        if time_s != self.end_s:
            self.at(time_s)
        self._sampled(name, queue=int(cells[4]), tx_bytes=int(cells[7]), drops=sum(map(int, cells[8:11])))
        return True


class QueueSamples(Binned):
    """``queues.csv``; keys are (direction, number of the queue).

    Args:
        directions: by switch, port and side.
    """

    def __init__(self, start_s: float, bin_s: float, directions: Mapping[PortSide, str]) -> None:
        super().__init__(start_s, bin_s)
        self._directions = {f"{switch},{port}".encode(): name for (switch, port, side), name in directions.items() if side == "egress"}

    def take(self, line: bytes) -> bool:
        """Take in one line; returns whether it is one of the file's."""
        cells = line.split(b",")
        if len(cells) != QUEUE_COLUMNS or not all(cell.isdigit() for cell in (cells[0], *cells[2:])):
            return False
        name = self._directions.get(b",".join(cells[1:3]))
        if name is None:
            return True
        time_s = int(cells[0]) * NANOSECONDS
        if time_s != self.end_s:
            self.at(time_s)
        self._sampled((name, str(int(cells[3]))), queue=int(cells[4]), tx_bytes=int(cells[7]), drops=int(cells[8]))
        return True


Flow = tuple[str, str, int, int]
"""Addresses and ports of a TCP connection's data direction."""


class FlowSamples(Binned):
    """``flows.csv``; keys are (transmission, direction), and flows of one transmission that share a direction are added.

    Args:
        directions: by switch, port and side.
        transmission_of: names the transmission of a flow when it is first seen; None: it is nobody's.
    """

    def __init__(
        self, start_s: float, bin_s: float, directions: Mapping[PortSide, str], transmission_of: Callable[[Flow], str | None]
    ) -> None:
        super().__init__(start_s, bin_s)
        self._directions = {f"{switch},{port}".encode(): name for (switch, port, side), name in directions.items() if side == "egress"}
        self._transmission_of = transmission_of
        self._keys: dict[bytes, tuple[str, str] | None] = {}
        self._last: dict[bytes, tuple[int, int]] = {}

    def take(self, line: bytes) -> bool:
        """Take in one line; returns whether it is one of the file's."""
        cells = line.split(b",")
        if len(cells) != FLOW_COLUMNS or not cells[0].isdigit():
            return False
        flow = b",".join(cells[1:8])
        if flow not in self._keys:
            self._keys[flow] = self._key(cells)
        key = self._keys[flow]
        time_s = int(cells[0]) * NANOSECONDS
        if time_s != self.end_s:
            self.at(time_s)
        if key is None:
            return True
        sent, drops = int(cells[9]), int(cells[10])
        sent_before, drops_before = self._last.get(flow, (0, 0))
        self._last[flow] = sent, drops
        one = self.of(key)
        one.tx_bytes += sent - sent_before
        one.drops += drops - drops_before
        if time_s <= self.start_s:
            one.counted_bytes, one.counted_drops = one.tx_bytes, one.drops
        return True

    def _key(self, cells: list[bytes]) -> tuple[str, str] | None:
        direction = self._directions.get(b",".join(cells[1:3]))
        if direction is None or cells[5] != b"tcp":
            return None
        name = self._transmission_of((cells[3].decode(), cells[4].decode(), int(cells[6]), int(cells[7])))
        return None if name is None else (name, direction)
