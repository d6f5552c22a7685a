"""Runs one command in a kernel of its own until it powers off, watched in real time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from common.errors import UserError
from virtual_time.boot import CONSOLE, LOOK_INTERVAL_S, Machine, boot
from virtual_time.console import Event
from virtual_time.console_reader import Console
from virtual_time.ended_kernel import end, full, is_full, reason
from virtual_time.kernel_process import KernelProcess
from virtual_time.kernel_silence import KernelSilence
from virtual_time.processor_time import has_ended
from virtual_time.question import ASKS, Answerer, write_answer

ANSWER_S = 1.0
OUT_OF_MEMORY = "Out of memory: Killed process"

Starter = Callable[[Machine, Path, Path, threading.Event], KernelProcess]
"""Is given the machine, the job's folder, the file for its console, and the event at which it is to give up."""


def run(
    machine: Machine,
    command: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str],
    inside_folder: str,
    on_event: Callable[[Event], None] = lambda _event: None,
    on_text: Callable[[str], None] | None = None,
    on_end: Callable[[float], None] = lambda _processor_s: None,
    on_question: Answerer | None = None,
    stop: threading.Event | None = None,
    start: Starter | None = None,
) -> int:
    """Run a command to its end; the files that it leaves in ``/out`` are in ``folder/out`` afterwards.

    Args:
        machine: the one that it runs on.
        command: program and arguments, inside.
        folder: with nothing but the files of the job in ``folder/job``, which the command finds in ``/job``; all that the inside can see of
            this machine.
        environment: the command's, complete.
        inside_folder: where it starts.
        on_event: told of events from inside (virtual_time/console.py).
        on_text: told of all other lines.
        on_end: told how many seconds of this machine's processors it took.
        on_question: answers questions of the inside (virtual_time/question.py), while everything inside stands still.
        stop: when it is set, the kernel is ended.
        start: starts the kernel; None: it boots.

    Returns:
        The command's exit code.

    Raises:
        UserError: the kernel ended before the command did, virtual time stood still for too long, or memory was used up; with the last
            lines of its console.
    """
    job = {
        "command": list(command),
        "folder": inside_folder,
        "environment": dict(environment),
        "limit_s": machine.limit_s,
        "seed": machine.seed,
        "files": {
            str(file.relative_to(folder / "job")): os.access(file, os.X_OK) for file in sorted(folder.glob("job/**/*")) if file.is_file()
        },
    }
    (folder / "job.json").write_text(json.dumps(job, indent=1) + "\n")
    console = Console(folder / CONSOLE, on_event, on_text)
    stop = stop or threading.Event()
    process = (start or _boot)(machine, folder, console.file, stop)
    if on_question is not None:
        console.on_event = _answering(process, folder, on_question, on_event)
    try:
        _follow(machine, process, console, stop)
    finally:
        processor_s = end(process)
    on_end(processor_s)
    console.read()
    if console.status is None:
        raise UserError(f"virtual time ended at {console.virtual_s:.3f} s: {reason(process, console)}\n{console.tail()}".rstrip())
    if console.status != 0 and any(OUT_OF_MEMORY in line for line in console.text):
        raise UserError(f"the memory inside, {machine.memory_mb} MB, is used up\n{console.tail()}".rstrip())
    return console.status


def _boot(machine: Machine, folder: Path, console: Path, _stop: threading.Event) -> KernelProcess:
    return boot(machine, folder, console)


def _answering(process: KernelProcess, folder: Path, on_question: Answerer, on_event: Callable[[Event], None]) -> Callable[[Event], None]:
    def told(event: Event) -> None:
        if event.get("event") != ASKS:
            on_event(event)
            return
        process.send_signal(signal.SIGSTOP)
        try:
            write_answer(folder, event, on_question(event))
        finally:
            process.send_signal(signal.SIGCONT)

    return told


def _follow(machine: Machine, process: KernelProcess, console: Console, stop: threading.Event) -> None:
    silence = KernelSilence(process.pid)
    while not has_ended(process):
        if console.read():
            silence.heard()
        elif silence.lasted_s() > ANSWER_S and is_full(console):
            raise UserError(f"virtual time stands still at {console.virtual_s:.3f} s: {full(console)}")
        elif silence.is_longer_than(machine.patience_s):
            process.send_signal(signal.SIGUSR2)
            time.sleep(ANSWER_S)
            console.read()
            who = next((line.partition("running: ")[2] for line in reversed(console.text) if "running: " in line), "")
            raise UserError(
                f"virtual time stands still at {console.virtual_s:.3f} s, for {machine.patience_s:.0f} s of real time by now"
                f"{f': {who} computes' if who else ''}",
                "the clock moves only while everyone inside waits; a program that computes stops it",
            )
        if stop.wait(LOOK_INTERVAL_S):
            raise UserError("interrupted")
