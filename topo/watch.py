"""Watches every process of a testbed: a part that dies, is stopped or answers no more makes the measurements with it worthless.

Looking is split in two, so that it does not disturb a run. A call of :meth:`Watch.check` only asks the kernel which processes
have ended; it may come ten times a second. A thread does the longer work, with states in /proc and questions (topo/questions.py),
and leaves its findings for the next check.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from common.errors import UserError
from common.rounds import until_next_round_s
from topo.child_process import READY_EVENT, ChildProcess, Process
from topo.process_state import STOPPED, ZOMBIE, how_it_ended, process_state
from topo.questions import Question

LOOK_INTERVAL_S = 0.5
"""How often the thread looks at the states of the processes."""
STOPPED_FOR_S = 0.25
"""A machine may take its processors away for a moment. A process that is stopped for longer was stopped on purpose."""
ANSWER_WITHIN_S = 3.0
ARTICLE = "the "
WAS_STOPPED = "was stopped (SIGSTOP)"


class PartEndedError(UserError):
    """A part of the testbed has ended, or works no more, though it should: the measurements with it are no result.

    Args:
        part: the part's name in :attr:`Testbed.parts`.
        what: the problem, with the end of its log.
        remedy: where its log is; empty if it has none.
    """

    def __init__(self, part: str, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.part = part


@dataclass
class Part:
    """One process of a testbed, and the watching thread's knowledge of it."""

    name: str
    """As scenarios and :meth:`Testbed.kill` call it: ``controller``, ``switch``, ``receiver on h4``."""
    child: ChildProcess
    may_end: bool = False
    """It may finish its work before the run is over, with exit code 0."""
    may_fail: bool = False
    """It may finish with any exit code: its starter looks at that."""
    question: Question | None = None
    """The question that it is asked now and then; None: its state alone tells."""
    ready_by_s: float | None = None
    """It is starting again, and has to be ready by this time (CLOCK_MONOTONIC); None: it is ready."""
    trouble: str = ""
    """The watching thread's finding: ``was stopped (SIGSTOP)``. It stays, since measurements meanwhile are worth nothing."""
    _ask_again_at_s: float = field(default=0.0, repr=False)

    @property
    def is_let_go(self) -> bool:
        """It was ended on purpose: by its starter, or as a wanted fault."""
        return self.child.is_let_go

    @property
    def process(self) -> Process:
        """Its process."""
        return self.child.process

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    @property
    def is_over(self) -> bool:
        """Nobody has to look at it any more."""
        return self.is_let_go or not self.is_running

    def problem(self) -> str:
        """Its problem now, in words that follow its name; empty if there is none."""
        if self.is_let_go:
            return ""
        status = self.process.poll()
        if status is None:
            if self.ready_by_s is not None and time.monotonic() > self.ready_by_s:
                return "did not get ready again"
            return self.trouble
        if not self.may_end:
            return f"ended early: {how_it_ended(status)}"
        return f"failed: {how_it_ended(status)}" if status and not self.may_fail else ""

    def look(self, closing: threading.Event) -> None:
        """The watching thread's part: the kernel's word for its state, and a question if one is due."""
        state = process_state(self.process.pid)
        if state in (None, ZOMBIE) or self.trouble:
            return
        if state == STOPPED:
            if not closing.wait(STOPPED_FOR_S) and process_state(self.process.pid) == STOPPED:
                self.trouble = WAS_STOPPED
        elif self.question is not None and self.ready_by_s is None and time.monotonic() >= self._ask_again_at_s:
            if not self.question.is_answered(ANSWER_WITHIN_S, closing) and not closing.is_set():
                was_stopped = process_state(self.process.pid) == STOPPED
                self.trouble = WAS_STOPPED if was_stopped else f"has not answered for {ANSWER_WITHIN_S:g} s"
            self._ask_again_at_s = time.monotonic() + self.question.interval_s


class Watch:
    """The parts of one testbed, and the thread that looks at them."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._events: list[dict[str, Any]] = []

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts by name, those that have ended included."""
        return MappingProxyType(self._parts)

    def part(self, name: str) -> Part:
        """The part of that name; an article before it does not matter.

        Raises:
            UserError: there is none.
        """
        part = self._parts.get(name.removeprefix(ARTICLE))
        if part is None:
            raise UserError(f"the testbed has no part {name!r}", f"it has {', '.join(self._parts)}")
        return part

    def add_child(
        self, child: ChildProcess, name: str = "", *, may_end: bool = False, may_fail: bool = False, question: Question | None = None
    ) -> Part:
        """Watch a child process; its own name, without its article, is the part's unless there is a shorter one.

        A part of the same name that is over makes way; if it is not, the new one is called ``NAME (2)``.
        """
        part = Part(name or child.name.removeprefix(ARTICLE), child, may_end, may_fail, question)
        own_name, number = part.name, 1
        while (known := self._parts.get(part.name)) is not None and not known.is_over:
            number += 1
            part.name = f"{own_name} ({number})"
        if known is not None and known.question is not None:
            known.question.close()
        self._parts = {**self._parts, part.name: part}  # the thread may be looking at the old ones
        return part

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread. From now on, parts may end."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for part in self._parts.values():
            if part.question is not None:
                part.question.close()

    def note(self, event: str, part: str, **more: Any) -> None:
        """Keep something that happened to a part, for :meth:`take_events`."""
        self._events.append({"event": event, "part": part, "at_s": time.monotonic(), **more})

    def take_events(self) -> list[dict[str, Any]]:
        """The events since the last call, as JSON-able dictionaries: see docs/faults.md."""
        taken, self._events = self._events, []
        return taken

    def check(self, run_start_s: float | None = None) -> None:
        """See that every part is there and works. Cheap: a system call a part.

        Args:
            run_start_s: when the run's time began (CLOCK_MONOTONIC), for the message; None: no run is going on.

        Raises:
            PartEndedError: the first part that ended though it should not have, was stopped, or does not answer.
        """
        for part in self._parts.values():
            problem = part.problem()
            if problem:
                raise _error(part, problem, run_start_s)

    def read_events(self, part: Part) -> None:
        """Take in the events that a part has written to its standard output (JSON lines)."""
        if part.is_over:
            return
        while (event := part.child.next_event(0.0)) is not None:
            if event.get("event") == READY_EVENT:
                part.ready_by_s = None
            self._events.append({"part": part.name, "at_s": time.monotonic(), **event})

    def _look(self) -> None:
        while not self._closing.wait(until_next_round_s(time.monotonic(), LOOK_INTERVAL_S)):
            for part in self._parts.values():
                if not part.is_let_go and not self._closing.is_set():
                    part.look(self._closing)


def _error(part: Part, problem: str, run_start_s: float | None) -> PartEndedError:
    when = ""
    if run_start_s is not None:
        elapsed_s = time.monotonic() - run_start_s
        when = (f", {elapsed_s:.1f} s into the run" if elapsed_s >= 0 else ", before the run began") + "; the run has no result"
    child = part.child
    return PartEndedError(part.name, f"{child.name} {problem}{when}\n{child.log_tail()}".rstrip(), f"its log: {child.log}")
