"""The side of a cluster's nodes: runs the jobs that cluster.py sends.

Ray brings these modules and all that a job needs. Standard library only, besides Ray.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.errors import UserError
from virtual_time import host_check
from virtual_time.console import Event
from virtual_time.job import BEGINS, Job, Outside, run_here
from virtual_time.scratch import remove_left_over, scratch_folder

TELL_EVERY_S = 0.5
TEXT_LINES = 50


@dataclass(frozen=True)
class Program:
    """A file that is brought once to every node.

    Args:
        digest: tells it from others.
        content: reference to it in Ray's object store.
    """

    digest: str
    content: Any


@dataclass(frozen=True)
class Answer:
    """The result of a job.

    Args:
        node: address of the node that did it.
        status: the command's exit code; None: it did not come to its end.
        error: for a command without an exit code, the reason and a remedy.
        text: the last lines that the command printed.
        out: the files that it left in ``/out``, by relative path.
    """

    node: str
    status: int | None = None
    error: tuple[str, str] = ("", "")
    text: tuple[str, ...] = ()
    out: Mapping[str, bytes] = field(default_factory=dict)


class Board:
    """An actor: the newest events of all jobs, until they are fetched."""

    def __init__(self) -> None:
        self._events: dict[int, list[Event]] = {}

    def put(self, number: int, event: Event) -> None:
        """Add an event of a job; it replaces an earlier one of its kind, unless that is ``BEGINS``."""
        others = [one for one in self._events.get(number, []) if one["event"] != event["event"] or event["event"] == BEGINS]
        self._events[number] = [*others, event]

    def take(self) -> Mapping[int, list[Event]]:
        """The events since the last call, by job."""
        events, self._events = self._events, {}
        return events


def why_unfit() -> str | None:
    """The reason why this node cannot run jobs; None if it can."""
    found = host_check.why_unfit()
    return None if found is None else found.why


def clean_up() -> None:
    """Remove the folders that killed workers have left."""
    remove_left_over()


def work(number: int, job: Job, kernel: Program, image: Program, board: Any, events: tuple[str, ...]) -> Answer:
    """Run a job on this node.

    Args:
        number: of the job.
        job: the one to run.
        kernel: the program that is booted.
        image: its file system.
        board: handle of the :class:`Board`, which is told of events.
        events: kinds of events that it is told of, besides ``BEGINS``.
    """
    node = _node()
    unfit = why_unfit()
    if unfit is not None:
        return Answer(node, error=(f"the cluster's node {node} cannot take part: {unfit}", ""))
    told_s: dict[str, float] = {}

    def tell(event: Event) -> None:
        kind = event["event"]
        if kind == BEGINS or (kind in events and time.monotonic() - told_s.get(kind, -TELL_EVERY_S) >= TELL_EVERY_S):
            told_s[kind] = time.monotonic()
            board.put.remote(number, dict(event))

    text: list[str] = []
    try:
        with scratch_folder() as out:
            status = run_here(job, Outside(out, tell, text.append), _in_memory(kernel), _in_memory(image))
            return Answer(node, status, text=tuple(text[-TEXT_LINES:]), out=_contents(out))
    except UserError as error:
        return Answer(node, error=(f"{error.what} (on node {node})", error.remedy))


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


_memory: dict[str, int] = {}


def _in_memory(program: Program) -> Path:
    """The file, in this process's memory as long as it lives: nothing has to be removed, however it ends."""
    import ray

    if program.digest not in _memory:
        content = memoryview(ray.get(program.content)).cast("B")
        descriptor = os.memfd_create(f"nodectl-{program.digest}")
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.write(content)
        _memory[program.digest] = descriptor
    return Path(f"/proc/{os.getpid()}/fd/{_memory[program.digest]}")


def _node() -> str:
    import ray

    return str(ray.util.get_node_ip_address())
