"""Samples of received data: rows, which connection is whose, and the values that are read back."""

from __future__ import annotations

import csv
import socket
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from engine.collect.samples import ReceiverSamples as Samples
from hosts.incoming import IncomingConnection
from hosts.receiver_samples import CONNECTION_COLUMNS, SAMPLE_COLUMNS, ReceiverSamples, connections_file

SECOND_NS = 1_000_000_000


class Incoming(IncomingConnection):
    """A connection whose numbers the test sets."""

    def __init__(self, number: int, peer: tuple[str, int], accepted_s: float) -> None:
        super().__init__(socket.socket(), number, peer)
        self._connection.close()
        self.accepted_ns = round(accepted_s * SECOND_NS)

    def got(self, count: int, at_s: float) -> None:
        self._bytes_read, self.last_data_ns = count, round(at_s * SECOND_NS)


class Clocked:
    """A recorder whose ticks come when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.samples = ReceiverSamples()
        monkeypatch.setattr("hosts.receiver_samples.clock.now_ns", lambda: round(self.now_s * SECOND_NS))

    def tick(self, now_s: float) -> None:
        self.now_s = now_s
        self.samples._tick()


class Never:
    """Instead of a thread."""

    def __init__(self, *_: object) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> Clocked:
    monkeypatch.setattr("hosts.receiver_samples.Periodic", Never)
    return Clocked(monkeypatch)


def rows(file: Path) -> list[tuple[float, int, int]]:
    with file.open(newline="") as stream:
        header, *lines = csv.reader(stream)
    assert tuple(header) == SAMPLE_COLUMNS
    return [(int(time_ns) / SECOND_NS, int(number), int(count)) for time_ns, number, count in lines]


def summary(port: int, connected_s: float | None, acked: int = 1, address: str = "10.0.0.1") -> dict[str, Any]:
    return {"name": "A", "local_address": address, "local_port": port, "connected_s": connected_s, "bytes_acked": acked}


def test_a_count_that_stays_is_written_when_first_and_last_seen(clocked: Clocked, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    clocked.samples.record_to(file)
    one = Incoming(0, ("10.0.0.1", 1000), 0.5)
    clocked.samples.begin(one)
    for now_s in (1, 2, 3):
        clocked.tick(now_s)
    one.got(100, 3.5)
    for now_s in (4, 5, 6):
        clocked.tick(now_s)
    one.got(150, 6.25)
    one.is_over = True
    clocked.samples.end(one)
    clocked.tick(7)
    clocked.tick(8)
    clocked.samples.record_to(None)
    assert rows(file) == [(0.5, 0, 0), (3, 0, 0), (4, 0, 100), (6, 0, 100), (6.25, 0, 150)]
    with connections_file(file).open(newline="") as stream:
        header, row = csv.reader(stream)
    assert tuple(header) == CONNECTION_COLUMNS
    assert row == ["0", "10.0.0.1", "1000", "500000000", "6250000000", "1", "150"]


def test_a_connection_goes_on_in_the_next_file_and_one_that_is_over_does_not(clocked: Clocked, tmp_path: Path) -> None:
    clocked.samples.record_to(tmp_path / "1.csv")
    short, long = Incoming(0, ("10.0.0.1", 1000), 1), Incoming(1, ("10.0.0.1", 1001), 1)
    for one in (short, long):
        clocked.samples.begin(one)
        one.got(10, 2)
    clocked.tick(3)
    short.is_over = True
    clocked.samples.end(short)
    clocked.now_s = 4
    clocked.samples.record_to(tmp_path / "2.csv")
    long.got(20, 5)
    clocked.tick(6)
    clocked.samples.record_to(None)
    assert {number for _, number, _ in rows(tmp_path / "1.csv")} == {0, 1}
    assert rows(tmp_path / "2.csv") == [(4, 1, 10), (6, 1, 20)]


def test_transmissions_of_one_pair_are_told_apart(clocked: Clocked, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    clocked.samples.record_to(file)
    ends = [("10.0.0.1", 1000), ("10.0.0.1", 1001), ("10.0.0.2", 1000), ("10.0.0.1", 1000)]
    for number, peer in enumerate(ends):
        one = Incoming(number, peer, 1 + number)
        clocked.samples.begin(one)
        one.got(10 * (number + 1), 1.5 + number)
        one.is_over = True
        clocked.samples.end(one)
        clocked.tick(2 + number)
    clocked.samples.record_to(None)
    samples = Samples(file)

    def count(of: dict[str, Any]) -> float:
        connection = samples.of(of)
        assert connection is not None
        return float(connection.received.value[-1])

    assert count(summary(1001, 2.0)) == 20
    assert count(summary(1000, 3.0, address="10.0.0.2")) == 30
    assert [count(summary(1000, at)) for at in (0.99, 3.99)] == [10, 40], "a port that was used again"
    assert samples.of(summary(1001, 2.0)) is not None
    first = samples.of(summary(1000, 1.0))
    assert first is not None
    assert (first.accepted_s, first.last_data_s, list(first.received.time_s)) == (1.0, 1.5, [1.0, 1.5])


def test_a_connection_that_never_came(clocked: Clocked, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    clocked.samples.record_to(file)
    clocked.samples.record_to(None)
    assert Samples(file).of(summary(0, None, acked=0, address="")) is None
    assert Samples(file).of(summary(1000, 1.0, acked=0)) is None
    with pytest.raises(UserError, match=r"no connection from 10\.0\.0\.1:1000"):
        Samples(file).of(summary(1000, 1.0, acked=5))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    samples = ReceiverSamples()
    with pytest.raises(UserError, match="cannot be written"):
        samples.record_to(tmp_path / "nowhere" / "r.csv")
    samples.record_to(None)
