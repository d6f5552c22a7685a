"""A command and its inputs, to be run once in a kernel of its own: on this machine or on another one."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from common.write_errors import cannot_write
from virtual_time import machine
from virtual_time.boot import LIMIT_S, PATIENCE_S, Machine
from virtual_time.console import Event
from virtual_time.environment import inside_environment
from virtual_time.joined import Joined
from virtual_time.machine import Starter
from virtual_time.places import INSIDE
from virtual_time.processors import own_processor
from virtual_time.question import Answerer
from virtual_time.scratch import scratch_folder

BEGINS = "begins"
"""The event before all others: the job has a processor, and boots. It comes again if the job has to be done again."""


@dataclass(frozen=True)
class Job:
    """A command with its inputs and limits.

    Args:
        command: program and arguments, inside.
        seed: all random numbers inside follow from it.
        memory_mb: of the machine inside.
        patience_s: real seconds without a sign of life before it is ended.
        limit_s: virtual seconds before it is ended.
        files: the command's files in ``/job``, by relative path.
        environment: of the command.
        counts_entries: the kernel counts how often each program is entered and left (/proc/entries).
        joined: to kernels that run the same network; None: it is the only one.
        module: the one that the command, ``python3 -m``, runs, if it may be imported before the job is known.
    """

    command: Sequence[str]
    seed: int
    memory_mb: int = 2048
    patience_s: float = PATIENCE_S
    limit_s: float = LIMIT_S
    files: Mapping[str, bytes | Path] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=inside_environment)
    counts_entries: bool = False
    joined: Joined | None = None
    module: str = ""


@dataclass(frozen=True)
class Outside:
    """How the outside gets the results of a job, and how it ends the job.

    Args:
        out: folder for the files that the command leaves in ``/out``; must exist. None: they are not kept.
        on_event: told of events from inside.
        on_text: told of all other lines.
        on_end: told how many seconds of this machine's processors it took; not called if it ran elsewhere.
        on_folder: told of the folder that inside and outside share.
        on_question: answers questions of the inside, where everything stands still until then; not on a cluster.
        stop: when it is set, the job is ended.
    """

    out: Path | None = None
    on_event: Callable[[Event], None] = lambda _event: None
    on_text: Callable[[str], None] = lambda _line: None
    on_end: Callable[[float], None] = lambda _processor_s: None
    on_folder: Callable[[Path], None] = lambda _folder: None
    on_question: Answerer | None = None
    stop: threading.Event = field(default_factory=threading.Event)


class Place(Protocol):
    """Where jobs are run: this machine (session.py), or a cluster (cluster.py)."""

    @property
    def side_by_side(self) -> int:
        """How many jobs it is to be given at once."""

    def run(self, job: Job, outside: Outside) -> int:
        """Run a job; returns the command's exit code. May be called from several threads.

        Raises:
            UserError: see :func:`virtual_time.machine.run`; or files cannot be written.
        """


def run_here(job: Job, outside: Outside, kernel: Path, image: Path, start: Starter | None = None) -> int:
    """Run a job on this machine, as :class:`Place` says.

    Args:
        job: the one to run.
        outside: gets its results.
        kernel: the program that is booted.
        image: its file system.
        start: starts the kernel; None: it boots.
    """
    try:
        with own_processor() as processor, scratch_folder() as folder:
            outside.on_event({"event": BEGINS})
            put_files(job.files, folder / "job")
            outside.on_folder(folder)
            status = machine.run(
                Machine(
                    kernel,
                    image,
                    job.memory_mb,
                    job.seed,
                    processor,
                    job.patience_s,
                    job.limit_s,
                    job.counts_entries,
                    job.joined,
                    job.module,
                ),
                job.command,
                folder,
                environment=job.environment,
                inside_folder=INSIDE,
                on_event=outside.on_event,
                on_text=outside.on_text,
                on_end=outside.on_end,
                on_question=outside.on_question,
                stop=outside.stop,
                start=start,
            )
            if outside.out is not None and (folder / "out").exists():
                _move_content(folder / "out", outside.out)
            return status
    except OSError as error:
        raise cannot_write(error) from None


def put_files(files: Mapping[str, bytes | Path], folder: Path) -> None:
    """Write files by their paths below a folder.

    Args:
        files: contents, or files with them.
        folder: made if necessary.

    Raises:
        OSError: one cannot be written.
    """
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, target)
        else:
            target.write_bytes(content)


def _move_content(folder: Path, target: Path) -> None:
    for one in sorted(folder.iterdir()):
        there = target / one.name
        if one.is_dir() and there.is_dir():
            _move_content(one, there)
        else:
            shutil.move(one, there)
