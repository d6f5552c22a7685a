"""Several kernels that run one network: the calendar of their clocks, and the digits (bench/studies/several_kernels)."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bench.studies.several_kernels.kernels import KERNEL, Way, run
from bench.studies.several_kernels.network import Network
from bench.studies.several_kernels.window_calendar import MESSAGE, NEVER_NS, Kernel, Operation, end_of_window
from tests.harness.switches import REPOSITORY
from virtual_time.session import Session

WINDOW_NS = 1000
PATIENCE_S = 20.0


class FakeKernel:
    """Speaks the kernel's side of the protocol."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        connection.settimeout(PATIENCE_S)

    def asks(self, operation: Operation, time_ns: int) -> int:
        """Sends a message; the time in its acknowledgement."""
        self.connection.sendall(MESSAGE.pack(operation, 7, time_ns))
        answered, number, told_ns = self._hear()
        assert (answered, number) == (Operation.ACK, 7)
        return told_ns

    def waits_for(self, time_ns: int) -> None:
        self.asks(Operation.REQUEST, time_ns)
        self.asks(Operation.WAIT, NEVER_NS)

    def is_let_go(self) -> tuple[int, int]:
        """When it runs, and until when it is free."""
        found = {}
        for wanted in (Operation.FREE_UNTIL, Operation.RUN):
            operation, number, time_ns = self._hear()
            assert operation == wanted
            found[wanted] = time_ns
            self.connection.sendall(MESSAGE.pack(Operation.ACK, number, 0))
        return found[Operation.RUN], found[Operation.FREE_UNTIL]

    def _hear(self) -> tuple[int, int, int]:
        operation, number, time_ns = MESSAGE.unpack(self.connection.recv(MESSAGE.size, socket.MSG_WAITALL))
        return operation, number, time_ns


@contextmanager
def calendar(place: Path, count: int) -> Iterator[list[FakeKernel]]:
    command = [sys.executable, "-m", "bench.studies.several_kernels.window_calendar", str(place), str(count), str(WINDOW_NS)]
    with ExitStack() as opened, subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        kernels = []
        for _ in range(count):
            connection = opened.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(str(place))
            kernels.append(FakeKernel(connection))
        yield kernels
        for kernel in kernels:
            kernel.connection.close()
        assert process.wait(PATIENCE_S) == 0


def test_kernels_run_side_by_side_and_none_leaves_the_window(tmp_path: Path) -> None:
    with calendar(tmp_path / "socket", 2) as (first, second):
        for kernel in (first, second):
            kernel.asks(Operation.START, 1)
        first.waits_for(300)
        second.waits_for(100)
        assert second.is_let_go() == (100, 1000)
        assert first.is_let_go() == (300, 1000)
        assert first.asks(Operation.GET, NEVER_NS) == 300
        first.waits_for(5200)
        second.waits_for(5900)
        assert (first.is_let_go(), second.is_let_go()) == ((5200, 6000), (5900, 6000))


def test_a_kernel_beyond_the_window_waits_for_the_other_one(tmp_path: Path) -> None:
    with calendar(tmp_path / "socket", 2) as (first, second):
        first.waits_for(50)
        second.waits_for(2500)
        assert first.is_let_go() == (50, 1000)
        first.waits_for(1000)
        assert first.is_let_go() == (1000, 2000)
        first.connection.close()
        assert second.is_let_go() == (2500, 3000)


def test_the_end_of_a_window() -> None:
    one, other = socket.socketpair()
    with one, other:
        kernels = [Kernel(one, wanted_ns=999, waits=True), Kernel(other, wanted_ns=4000, waits=True)]
        assert end_of_window(kernels, WINDOW_NS) == 1000
        kernels[0].wanted_ns = 1000
        assert end_of_window(kernels, WINDOW_NS) == 2000
        kernels[1].waits = False
        assert end_of_window(kernels, WINDOW_NS) is None


@pytest.mark.long
def test_digits_are_the_same_in_one_kernel_and_in_two() -> None:
    session = Session.prepare(kernel=KERNEL)
    network = Network(hosts=4, rate_mbps=100, trunk_delay_us=500, seconds=1)
    runs = [run(session, network, way) for way in Way]
    assert len({one.links for one in runs}) == 1
    assert runs[0].received == runs[1].received == runs[2].received
    assert all(count > 1e6 for count in runs[0].received.values()), runs[0].received
    assert len(runs[0].received) == 4
