"""Parts that end, are stopped, finish as they may, or answer no more: noticed and named, with stand-ins for the testbed's programs."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.harness.waiting import LIMIT_S, wait_for
from topo.child_process import ChildProcess
from topo.process_state import how_it_ended, process_state
from topo.questions import SocketQuestion
from topo.watch import ANSWER_WITHIN_S, PartEndedError, Watch

SLEEPS = "exec sleep 600"


class Nursery:
    """Starts children that the test ends with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.children: list[ChildProcess] = []

    def start(self, name: str, script: str) -> ChildProcess:
        janitor = cast(Any, SimpleNamespace(watch_process=lambda _pid: None))
        log = self.folder / f"{name.replace(' ', '-')}.log"
        child = ChildProcess(name, ["sh", "-c", script], log, janitor, takes_commands=True)
        self.children.append(child)
        return child


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    made = Nursery(tmp_path)
    yield made
    for child in made.children:
        child.stop()


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    made.close()


def problem(watch: Watch, run_start_s: float | None = None) -> PartEndedError:
    """The error that the next checks raise."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        try:
            watch.check(run_start_s)
        except PartEndedError as error:
            return error
        time.sleep(0.01)
    raise AssertionError("nothing was noticed")


def test_nothing_is_wrong_with_parts_that_run(watch: Watch, nursery: Nursery) -> None:
    watch.add_child(nursery.start("the controller", SLEEPS))
    watch.start()
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        watch.check(time.monotonic())
        time.sleep(0.05)
    assert watch.parts["controller"].is_running


def test_a_killed_part_is_named_with_signal_time_and_log(watch: Watch, nursery: Nursery) -> None:
    child = nursery.start("the controller", f'echo the last words >&2; echo \'{{"event": "ready"}}\'; {SLEEPS}')
    child.wait_ready(LIMIT_S)
    watch.add_child(child)
    os.kill(child.process.pid, signal.SIGKILL)
    error = problem(watch, time.monotonic() - 7.0)
    what, words = error.what.splitlines()
    assert what.startswith("the controller ended early: killed by signal 9 (SIGKILL), 7.")
    assert what.endswith(" s into the run; the run has no result")
    assert (words, error.part) == ("  the last words", "controller")
    assert error.remedy == f"its log: {child.log}"


@pytest.mark.parametrize(("status", "words"), [(0, "ended early: exit code 0"), (3, "ended early: exit code 3")])
def test_a_part_that_exits_is_named(watch: Watch, nursery: Nursery, status: int, words: str) -> None:
    watch.add_child(nursery.start("the switch", f"exit {status}"))
    assert problem(watch).what == f"the switch {words}"


def test_before_a_run_began_it_says_so(watch: Watch, nursery: Nursery) -> None:
    watch.add_child(nursery.start("the switch", "exit 1"))
    assert problem(watch, time.monotonic() + 100).what == "the switch ended early: exit code 1, before the run began; the run has no result"


def test_a_part_that_may_end_ends_well_or_not(watch: Watch, nursery: Nursery) -> None:
    done = nursery.start("the sender on h1", "exit 0")
    watch.add_child(done, may_end=True)
    done.wait(LIMIT_S)
    watch.check()
    failed = nursery.start("the sender on h2", "echo no route >&2; exit 2")
    watch.add_child(failed, may_end=True)
    assert problem(watch).what == "the sender on h2 failed: exit code 2\n  no route"


def test_a_stopped_process_is_noticed_and_stays_noticed(watch: Watch, nursery: Nursery) -> None:
    child = nursery.start("the receiver on h4", SLEEPS)
    watch.add_child(child)
    watch.start()
    os.kill(child.process.pid, signal.SIGSTOP)
    assert problem(watch).what == "the receiver on h4 was stopped (SIGSTOP)"
    os.kill(child.process.pid, signal.SIGCONT)
    wait_for("its going on", lambda: process_state(child.process.pid) != "T")
    assert problem(watch).part == "receiver on h4"


def test_a_process_that_soon_goes_on_is_no_trouble(watch: Watch, nursery: Nursery) -> None:
    """The machine took its processor away; a run in real time hears of it as lateness."""
    child = nursery.start("the receiver on h4", SLEEPS)
    part = watch.add_child(child)
    os.kill(child.process.pid, signal.SIGSTOP)
    wait_for("its being stopped", lambda: process_state(child.process.pid) == "T")

    class GoesOn(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            os.kill(child.process.pid, signal.SIGCONT)
            wait_for("its going on", lambda: process_state(child.process.pid) != "T")
            return False

    part.look(GoesOn())
    assert not part.trouble


def test_stopping_a_stopped_process_is_quick(nursery: Nursery) -> None:
    child = nursery.start("the controller", SLEEPS)
    # The shell itself may overlook an interrupt that comes while it starts.
    wait_for("its being asleep", lambda: Path(f"/proc/{child.process.pid}/comm").read_text() == "sleep\n")
    os.kill(child.process.pid, signal.SIGSTOP)
    wait_for("its being stopped", lambda: process_state(child.process.pid) == "T")
    started_s = time.monotonic()
    child.stop()
    assert time.monotonic() - started_s < 4.0


def test_who_is_stopped_or_killed_on_purpose_is_not_missed(watch: Watch, nursery: Nursery) -> None:
    first, second = nursery.start("the sender on h1", SLEEPS), nursery.start("the sender on h2", SLEEPS)
    watch.add_child(first)
    watch.add_child(second)
    first.stop()
    second.kill()
    watch.check()
    assert second.process.returncode == -signal.SIGKILL


def test_names_are_given_anew_once_they_are_free(watch: Watch, nursery: Nursery) -> None:
    first = nursery.start("the receiver on h4", SLEEPS)
    assert watch.add_child(first).name == "receiver on h4"
    assert watch.add_child(nursery.start("the receiver on h4", SLEEPS)).name == "receiver on h4 (2)"
    first.stop()
    again = nursery.start("the receiver on h4", SLEEPS)
    assert watch.add_child(again).name == "receiver on h4"
    assert watch.part("the receiver on h4").child is again


class Answering:
    """A status socket that answers, until it is told not to."""

    def __init__(self, path: Path) -> None:
        self.asked: list[bytes] = []
        self.is_silent = threading.Event()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(path))
        self._server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._server.accept()
            self.asked.append(connection.recv(4096))
            if self.is_silent.is_set():
                continue
            connection.sendall(b'{"ok": true}\n')
            connection.close()


def test_a_part_that_answers_no_more_is_noticed(watch: Watch, nursery: Nursery, tmp_path: Path) -> None:
    server = Answering(tmp_path / "socket")
    watch.add_child(nursery.start("the switch", SLEEPS), question=SocketQuestion(tmp_path / "socket"))
    watch.start()
    wait_for("three questions", lambda: len(server.asked) >= 3)
    watch.check()
    assert set(server.asked) == {b'{"op": "ping"}\n'}
    server.is_silent.set()
    started_s = time.monotonic()
    assert problem(watch).what == f"the switch has not answered for {ANSWER_WITHIN_S:g} s"
    assert time.monotonic() - started_s >= ANSWER_WITHIN_S


def test_a_part_that_ends_while_it_is_asked_has_ended(watch: Watch, nursery: Nursery, tmp_path: Path) -> None:
    child = nursery.start("the controller", SLEEPS)
    watch.add_child(child, question=SocketQuestion(tmp_path / "nobody"))
    watch.start()
    os.kill(child.process.pid, signal.SIGTERM)
    assert problem(watch).what == "the controller ended early: killed by signal 15 (SIGTERM)"


def test_who_starts_again_is_not_asked_until_it_is_ready(watch: Watch, nursery: Nursery, tmp_path: Path) -> None:
    server = Answering(tmp_path / "socket")
    part = watch.add_child(
        nursery.start("the controller", 'read go; echo "{\\"event\\": \\"ready\\"}"; cat'), question=SocketQuestion(tmp_path / "socket")
    )
    part.ready_by_s = time.monotonic() + LIMIT_S
    watch.start()
    part.look(threading.Event())
    assert server.asked == []
    assert part.child is not None
    part.child.tell("go")

    def is_ready() -> bool:
        watch.read_events(part)
        return part.ready_by_s is None

    wait_for("the ready event", is_ready)
    wait_for("a question", lambda: server.asked)
    (event,) = watch.take_events()
    assert (event["event"], event["part"]) == ("ready", "controller")
    assert watch.take_events() == []


def test_who_does_not_get_ready_again_is_named(watch: Watch, nursery: Nursery) -> None:
    watch.add_child(nursery.start("the controller", SLEEPS)).ready_by_s = time.monotonic() - 1.0
    assert problem(watch).what == "the controller did not get ready again"


def test_ends_in_words() -> None:
    assert how_it_ended(-11) == "killed by signal 11 (SIGSEGV)"
    assert how_it_ended(-60) == "killed by signal 60"
    assert how_it_ended(70) == "exit code 70"
