"""Agents as programs: telling them what to do, and reading what they say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
END_S = 20.0

Event = dict[str, Any]


class AgentProgram:
    """An agent that runs; ``events`` are those that it has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: list[Event] = []

    def tell(self, **command: object) -> None:
        self.say(json.dumps(command))

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, event: str) -> Event:
        """The next event of this name; events before it are passed over."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.events.append(json.loads(line))
            if self.events[-1]["event"] == event:
                return self.events[-1]
        assert self.process.stderr is not None
        raise AssertionError(f"the agent ended before '{event}': {self.events} {self.process.stderr.read()}")

    def record_to(self, file: Path | None, **more: object) -> None:
        self.tell(command="samples", file=None if file is None else str(file), **more)
        self.wait_for("samples")

    def send(self, plan: Path, *transmissions: dict[str, Any], **more: object) -> None:
        """Writes the plan and tells the agent to carry it out."""
        plan.write_text(json.dumps({"transmissions": transmissions, **more}))
        self.tell(command="send", plan=str(plan))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends it by a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=END_S)


@contextmanager
def agent(bind: str, *options: str, on: Sequence[str] = ()) -> Iterator[AgentProgram]:
    """An agent that has said it is ready; ``on`` goes before its command line, e.g. to run it in a namespace."""
    process = subprocess.Popen(
        [*on, sys.executable, "-m", "hosts", "agent", "--bind", bind, *options],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with process:
        try:
            program = AgentProgram(process)
            program.wait_for("ready")
            yield program
        finally:
            process.terminate()
            process.wait(timeout=END_S)


def summaries(file: Path) -> dict[str, dict[str, Any]]:
    """The summaries of a plan in one file, by name."""
    return {summary["name"]: summary for summary in map(json.loads, file.read_text().splitlines())}
