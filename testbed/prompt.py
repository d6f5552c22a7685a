"""``testbed cli``: a scenario's network with a prompt, in virtual time where that can be had, else on this machine as root."""

from __future__ import annotations

import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType

from common.errors import UserError
from common.installation import RESULTS
from common.shown_path import shown
from common.text_files import read_text
from common.whole_files import write_whole
from engine.collect.description import PROMPT_KEY, RunDescription
from engine.collect.record import CellRecord
from engine.execute.awaited_input import END_OF_INPUT, INTERRUPT, READS, SAID
from engine.execute.network import RunningNetwork
from engine.execute.time_choice import uses_virtual_time
from engine.execute.traced_sources import keep_sources
from engine.execute.virtual_prompt import Beside, run_virtual_prompt
from engine.plan.data_plane import FOLDER
from reports.scenario_run import new_result_folder
from scenario.run_request import RunRequest
from testbed.host_windows import HostWindows
from testbed.page_beside import page_beside
from testbed.prepared_run import Prepared, prepare
from topo.frame_capture import FILE
from virtual_time.console import Event
from virtual_time.question import interrupt

END = "exit"
UNATTENDED_S = 180.0
"""By the clock inside, of a host's command in a script: it would go on for ever, as ping does, and nobody is there to end it."""

WINDOW_COMMANDS = (["xterm"], ["x"], ["gterm"])
AGAIN_S = 2.0
"""A second Ctrl-C within this time ends the whole network."""


def open_prompt(request: RunRequest, script: Sequence[str] | None = None) -> int:
    """Bring a scenario's network up, and hand it to the user until `exit`.

    Args:
        request: the scenario, and how it is brought up.
        script: lines instead of a user's; None: somebody types.

    Returns:
        The exit code.

    Raises:
        UserError: the scenario says something impossible, something that is needed is missing, or something did not start.
    """
    page = request.page
    virtual = uses_virtual_time(request.time)
    if not virtual and script is not None:
        raise UserError("a script is for virtual time, in which its lines come at the same times everywhere", "make doctor")
    prepared = prepare(request, virtual=virtual)
    folder = new_result_folder(RESULTS, f"cli-{prepared.experiment.name}")
    with watched(prepared, folder, page) as prepared:
        status = run_virtual(prepared, folder, script) if virtual else _run_real(prepared, folder)
    if request.capture:
        print(f"captured frames: {shown(folder / FILE)}")
    return status


@contextmanager
def watched(prepared: Prepared, folder: Path, page: Sequence[str] | None) -> Iterator[Prepared]:
    """Describe the network, keep the programs that traces speak of, and serve the page beside it.

    Args:
        prepared: the request.
        folder: of the results.
        page: options of the page; None: there is none.
    """
    options = replace(prepared.options, watched=page is not None)
    keep_sources(folder, prepared.experiment.cells(), options)
    RunDescription.of_prompt(folder.name, prepared.scenarios[0], virtual=options.virtual).write(folder)
    with nullcontext() if page is None else page_beside(folder, page, print):
        yield replace(prepared, options=options)
        # By this a page knows that nothing more will come.
        over = CellRecord(experiment=folder.name, scheme="", repetition=1, parameters={})
        write_whole(folder / "cells" / f"{PROMPT_KEY}.json", over.model_dump_json(indent=1) + "\n")


def lines_of(script: str) -> list[str]:
    """The lines of a script.

    Raises:
        UserError: it cannot be read.
    """
    return read_text(Path(script)).splitlines()


def _run_real(prepared: Prepared, folder: Path) -> int:
    from engine.execute.prompt import TestbedPrompt, greeting, prompt_testbed  # only here: it needs Mininet, on this machine

    scenario, options = prepared.scenarios[0], prepared.options
    data_plane = options.data_planes.of(scenario).written_to(folder / FOLDER)
    with RunningNetwork(prompt_testbed(scenario, folder, prepared.request, options.toolchain, data_plane)) as network:
        print(greeting(network))
        TestbedPrompt(network)
    return 0


def run_virtual(prepared: Prepared, folder: Path, script: Sequence[str] | None = None, beside: Beside | None = None) -> int:
    """Open the prompt in virtual time.

    Args:
        prepared: the request.
        folder: of the results.
        script: lines instead of a user's.
        beside: files that go with it, and the folder in which hosts' commands begin.

    Raises:
        UserError: something did not start.
    """
    windows = HostWindows()
    user = _User(script, windows)
    with user.interrupting():
        limit_s = None if user.types else UNATTENDED_S
        try:
            return run_virtual_prompt(
                prepared.scenarios[0], prepared.options, folder, user.answer, user.shares, beside, limit_s, windows.show
            )
        finally:
            windows.close()


class _User:
    """The source of the lines: somebody at a terminal, a file, or a script."""

    def __init__(self, script: Sequence[str] | None, windows: HostWindows) -> None:
        self._windows = windows
        self._lines = None if script is None else list(script)
        self._shared: Path | None = None
        self._asked = threading.Event()
        self._interrupted_s = float("-inf")

    @property
    def types(self) -> bool:
        """Somebody is at a terminal."""
        return self._lines is None and sys.stdin.isatty()

    def shares(self, folder: Path) -> None:
        """Told of the folder that inside and outside share."""
        self._shared = folder

    def answer(self, question: Event) -> str:
        """The next line for the prompt, or for a host's program that reads one; the clock inside stands still meanwhile."""
        if READS in question:
            return self._read_by_a_program(str(question[SAID]))
        prompt = f"nodectl {question['now_s']:.3f} s> "
        if not self.types:
            line = END if (given := self._next_line()) is None else given
            print(f"{prompt}{line}", flush=True)
            return line
        self._asked.set()
        try:
            while (line := self._typed(prompt)).split()[:1] in WINDOW_COMMANDS:
                self._windows.open(line.split()[1:])
            return line
        except EOFError:
            print()
            return END
        except KeyboardInterrupt:
            print()
            return ""
        finally:
            self._asked.clear()

    def _read_by_a_program(self, said: str) -> str:
        """A line as a terminal would send it."""
        if not self.types:
            line = self._next_line()
            print(said if line is None else f"{said}{line}", flush=True)
            return END_OF_INPUT if line is None else f"{line}\n"
        self._asked.set()
        try:
            return f"{input(said)}\n"
        except EOFError:
            print()
            return END_OF_INPUT
        except KeyboardInterrupt:
            print()
            return INTERRUPT
        finally:
            self._asked.clear()

    def _typed(self, prompt: str) -> str:
        """A line that somebody types here, or in a window."""
        if (wakes := self._windows.wakes) is None:
            return input(prompt)
        print(prompt, end="", flush=True)
        select.select([sys.stdin, wakes], [], [])
        if (line := self._windows.next_line()) is not None:
            print(line)
            return line
        if not (typed := sys.stdin.readline()):
            raise EOFError
        return typed.rstrip("\n")

    def _next_line(self) -> str | None:
        if self._lines is not None:
            return self._lines.pop(0) if self._lines else None
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Ctrl-C ends the command that runs inside; a second one everything."""
        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        again = time.monotonic() < self._interrupted_s + AGAIN_S
        self._interrupted_s = time.monotonic()
        if self._asked.is_set() or again or self._shared is None:
            raise KeyboardInterrupt
        interrupt(self._shared)
