"""Forks of this process as child processes: their streams, their exit codes, signals, and the programs of a fork server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hosts.events import emit
from topo.child_process import ChildProcess
from topo.fork_server import ForkServer
from topo.forking import forking
from topo.janitor import Janitor

READY_S = 30.0
NewChild = Callable[..., ChildProcess]


@pytest.fixture
def janitor() -> Iterator[Janitor]:
    """One that does nothing: the tests stop all that they start."""
    none = Janitor(is_needed=False)
    yield none
    none.close()


@pytest.fixture
def fork(janitor: Janitor, tmp_path: Path) -> Iterator[NewChild]:
    """Has a fork of this process do some work."""
    with ExitStack() as stack:

        def start(work: Callable[[], int], **options: Any) -> ChildProcess:
            child = ChildProcess("the fork", [], tmp_path / "fork.log", janitor, start=forking(work), **options)
            stack.callback(child.stop)
            return child

        yield start


def say(status: int) -> int:
    print("to the log", file=sys.stderr)
    emit("ready", pid=os.getpid())
    return status


def echo() -> int:
    emit("ready")
    for line in sys.stdin:
        emit("heard", line=line.strip())
    return 0


def wait_for_ever() -> int:
    emit("ready")
    while True:
        time.sleep(READY_S)


def test_a_fork_has_streams_and_a_session_of_its_own(fork: NewChild) -> None:
    child = fork(lambda: say(3))
    assert child.next_event(READY_S) == {"event": "ready", "pid": child.process.pid}
    assert child.wait(READY_S) == 3
    assert child.log.read_text() == "to the log\n"


def test_a_fork_takes_commands_until_there_are_no_more(fork: NewChild) -> None:
    child = fork(echo, takes_commands=True)
    child.wait_ready(READY_S)
    child.tell("one")
    assert child.next_event(READY_S) == {"event": "heard", "line": "one"}
    assert child.process.stdin is not None
    child.process.stdin.close()
    assert child.wait(READY_S) == 0


def test_a_fork_without_events_writes_to_its_log(fork: NewChild) -> None:
    child = fork(lambda: print("a line", flush=True) or 0, has_events=False)
    assert child.wait(READY_S) == 0
    assert child.log.read_text() == "a line\n"


@pytest.mark.parametrize(("wrong", "status", "said"), [(ValueError("no"), 1, "ValueError: no"), (SystemExit(4), 4, "")])
def test_a_fork_that_fails_says_so_and_goes_no_further(fork: NewChild, wrong: BaseException, status: int, said: str) -> None:
    def fail() -> int:
        raise wrong

    child = fork(fail)
    assert child.wait(READY_S) == status
    assert said in child.log.read_text()


def test_a_fork_is_stopped_and_killed_as_any_other_child(fork: NewChild) -> None:
    stopped, killed = fork(wait_for_ever), fork(wait_for_ever)
    for child in (stopped, killed):
        child.wait_ready(READY_S)
    with pytest.raises(subprocess.TimeoutExpired):
        killed.wait(0.01)
    assert stopped.process.poll() is None
    stopped.stop()
    killed.kill()
    assert killed.process.returncode == -signal.SIGKILL
    assert stopped.process.returncode is not None


def test_a_fork_server_of_this_process_becomes_its_programs(janitor: Janitor, tmp_path: Path) -> None:
    def program(arguments: list[str]) -> int:
        print(*arguments, os.getsid(0) == os.getpid(), file=sys.stderr)
        return len(arguments)

    server = ForkServer.of_this_process(tmp_path / "server.sock", tmp_path / "server.log", janitor, {"program": program})
    try:
        children = [
            ChildProcess("it", ["first", str(number)], tmp_path / f"{number}.log", janitor, start=server.start_program("program"))
            for number in range(2)
        ]
        for number, child in enumerate(children):
            assert child.wait(READY_S) == 2
            assert child.log.read_text() == f"first {number} True\n"
            child.stop()
    finally:
        server.child.stop()
    assert server.child.process.returncode == 0
