"""Connections that come in, over this machine's loopback."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from hosts.connection import close_at_once, listening_socket
from hosts.incoming import EAGER_BYTES, GREETING, LAZY_BYTES, IncomingConnection, IncomingConnections

ADDRESS = "127.47.3.1"
SOON_S = 10.0
POLL_S = 0.005


class Listening:
    """Connections that have begun and ended at a thread that serves them."""

    def __init__(self) -> None:
        listener = listening_socket(ADDRESS, 0)
        self.port = listener.getsockname()[1]
        self.begun: list[IncomingConnection] = []
        self.ended: list[IncomingConnection] = []
        self.failures: list[Exception] = []
        self.served = IncomingConnections(listener, self.begun.append, self.ended.append, self.failures.append)
        self.served.start()

    def connect(self) -> socket.socket:
        return socket.create_connection((ADDRESS, self.port), timeout=SOON_S)


def wait_until(count: int, connections: list[IncomingConnection], received: int | None = None) -> IncomingConnection:
    """Waits until there are so many, and the last one has received so many bytes."""
    deadline_s = time.monotonic() + SOON_S
    while len(connections) < count or (received is not None and connections[-1].bytes_received() != received):
        assert time.monotonic() < deadline_s, (len(connections), [one.bytes_received() for one in connections])
        time.sleep(POLL_S)
    return connections[-1]


@pytest.fixture
def listening() -> Iterator[Listening]:
    listening = Listening()
    yield listening
    listening.served.stop()
    assert listening.failures == []


def test_all_bytes_are_counted_up_to_the_end(listening: Listening) -> None:
    with listening.connect() as sender:
        assert sender.recv(16) == GREETING
        peer = sender.getsockname()
        sender.sendall(bytes(3 * LAZY_BYTES + 5))
        sender.shutdown(socket.SHUT_WR)
        assert sender.recv(16) == b""
    ended = wait_until(1, listening.ended)
    assert (ended.bytes_received(), ended.is_over, (ended.peer, ended.peer_port)) == (3 * LAZY_BYTES + 5, True, peer)
    assert ended.accepted_ns < ended.last_data_ns <= time.monotonic_ns()


def test_what_waits_to_be_read_counts_and_its_end_does_not(listening: Listening) -> None:
    with listening.connect() as sender:
        sender.sendall(bytes(EAGER_BYTES))
        wait_until(1, listening.begun, received=EAGER_BYTES)
        sender.sendall(bytes(1000))
        wait_until(1, listening.begun, received=EAGER_BYTES + 1000)
        assert listening.ended == []
    assert wait_until(1, listening.ended).bytes_received() == EAGER_BYTES + 1000


def test_a_reset_ends_a_connection_with_what_had_come(listening: Listening) -> None:
    sender = listening.connect()
    sender.sendall(bytes(2000))
    wait_until(1, listening.begun, received=2000)
    close_at_once(sender)
    assert wait_until(1, listening.ended).bytes_received() == 2000


def test_connections_are_numbered_in_the_order_they_come(listening: Listening) -> None:
    senders = [listening.connect() for _ in range(50)]
    wait_until(50, listening.begun)
    assert [one.number for one in listening.begun] == list(range(50))
    assert [one.peer_port for one in listening.begun] == [sender.getsockname()[1] for sender in senders]
    for sender in senders:
        sender.close()
    wait_until(50, listening.ended)


def test_what_waits_counts_when_the_receiver_stops() -> None:
    listening = Listening()
    with listening.connect() as sender:
        sender.sendall(bytes(EAGER_BYTES))
        wait_until(1, listening.begun, received=EAGER_BYTES)
        sender.sendall(bytes(1000))
        wait_until(1, listening.begun, received=EAGER_BYTES + 1000)
        listening.served.stop()
    assert [one.bytes_received() for one in listening.ended] == [EAGER_BYTES + 1000]
