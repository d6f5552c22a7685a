"""Runs one command in a kernel of its own, from boot to power-off, watched in real time.

The kernel is an ordinary process. It is pinned to one processor, since its processes wait for each other all the time, and waking another
processor for it makes it ten times slower. It ends with the process that started it, however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from virtual_time.console import MARK, Event, parse
from virtual_time.environment import COMMON
from virtual_time.host_check import Unfit, memory_folder
from virtual_time.joined import OWN_CLOCK, Joined
from virtual_time.kernel_silence import KernelSilence
from virtual_time.process_table import is_running
from virtual_time.processor_time import has_ended, wait_and_account
from virtual_time.question import ASKS, Answerer, write_answer
from virtual_time.tied_start import tied

START_NS = 10**18
"""The date inside when it boots (9 September 2001), in ns since 1970: the same in every run."""

LOOK_INTERVAL_S = 0.05
PATIENCE_S = 120.0
"""A run is ended after this real time without a sign from inside; time for which other programs had the processor does not count."""

LIMIT_S = 86_400.0
"""Virtual time after which a command that has not ended is taken for one that waits for ever."""

ANSWER_S = 1.0
GONE_S = 1.0
"""Time for the processes of a killed kernel to be gone too."""

TAIL_LINES = 12
WITHOUT_RSEQ = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
"""For the kernel, which is linked with the C library. Since glibc 2.35, that has the machine's kernel write each thread's processor into
memory (restartable sequences). A program inside no longer has this memory, so its first signal would end it."""

RESIDENT = "p4switch"
"""The program that is entered and left most lives in the kernel's own process, where that costs a tenth (kernel/patches/0014)."""

UMASK = 0o022
OUT_OF_MEMORY = "Out of memory: Killed process"

TOLD = {
    "The system was going to sleep forever": "everybody inside waits for somebody else, for ever",
    "Initramfs unpacking failed": "the memory inside is too small for the file system",
    "uml_load_file: Failed to allocate": "the memory inside is too small for the file system",
    "System is deadlocked on memory": "the memory inside is used up",
    "Out of memory": "the memory inside is used up",
    "No space left on device": "the disk is full",
    "Kernel panic": "the kernel inside gave up",
}
"""Words on the console of a kernel that ended too soon, and their meaning."""

ENDED_BY = {
    signal.SIGXFSZ: ": files may not be as large here as the memory inside (ulimit -f)",
    signal.SIGBUS: ": no room is left for the memory inside, which is a file in /dev/shm or TMPDIR",
    signal.SIGKILL: ", by somebody, or by this machine's kernel since memory was used up",
}


@dataclass(frozen=True)
class Machine:
    """A machine to run a command on.

    Args:
        kernel: the program.
        image: archive with the whole file system.
        memory_mb: of the machine inside; taken from the machine outside only as far as it is used.
        seed: all random numbers inside follow from it.
        processor: of this machine; None: any.
        patience_s: real seconds without a sign of life.
        limit_s: virtual seconds until the command must have ended.
        counts_entries: the kernel counts how often each program is entered and left (/proc/entries).
        joined: to kernels that run the same network; None: it is the only one.
    """

    kernel: Path
    image: Path
    memory_mb: int = 2048
    seed: int = 1
    processor: int | None = None
    patience_s: float = PATIENCE_S
    limit_s: float = LIMIT_S
    counts_entries: bool = False
    joined: Joined | None = None


@dataclass
class Console:
    """Reads the output of the inside as it grows."""

    file: Path
    on_event: Callable[[Event], None]
    on_text: Callable[[str], None] | None = None
    text: list[str] = field(default_factory=list)
    status: int | None = None
    error: str | None = None
    virtual_s: float = 0.0
    _position: int = 0
    _rest: bytes = b""
    _begun: str = ""

    def read(self) -> bool:
        """Take in new output; returns whether there was any."""
        with self.file.open("rb") as stream:
            stream.seek(self._position)
            new = stream.read()
        self._position += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace").rstrip("\r"))
        return bool(new)

    def _line(self, line: str) -> None:
        said, mark, told = line.partition(MARK)
        event = parse(mark + told)
        if event is None:
            self._end_text(line)
            return
        self._begun += said  # an event may come in the middle of a line of text, which goes on after it
        if event.get("event") == ASKS and self._begun:
            self._end_text("")
        if event.get("event") == "exit":
            self.status, self.error = event.get("status"), event.get("error")
        self.virtual_s = event.get("virtual_s", self.virtual_s)
        self.on_event(event)

    def _end_text(self, end: str) -> None:
        line, self._begun = self._begun + end, ""
        self.text.append(line)
        if self.on_text is not None:
            self.on_text(line)

    @property
    def rest(self) -> str:
        """The beginning of a line that has not ended."""
        return self._begun + self._rest.decode(errors="replace")

    def tail(self) -> str:
        """The last lines that are no events, indented."""
        return "\n".join(f"  {line}" for line in self.text[-TAIL_LINES:] if line.strip())


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
        "files": {
            str(file.relative_to(folder / "job")): os.access(file, os.X_OK) for file in sorted(folder.glob("job/**/*")) if file.is_file()
        },
    }
    (folder / "job.json").write_text(json.dumps(job, indent=1) + "\n")
    console = Console(folder / "console.log", on_event, on_text)
    with console.file.open("wb") as stream:
        process = _start(machine, folder, stream.fileno())
    if on_question is not None:
        console.on_event = _answering(process, folder, on_question, on_event)
    try:
        _follow(machine, process, console, stop or threading.Event())
    finally:
        processor_s = _end(process)
    on_end(processor_s)
    console.read()
    if console.status is None:
        raise UserError(f"virtual time ended at {console.virtual_s:.3f} s: {_reason(process, console)}\n{console.tail()}".rstrip())
    if console.status != 0 and any(OUT_OF_MEMORY in line for line in console.text):
        raise UserError(f"the memory inside, {machine.memory_mb} MB, is used up\n{console.tail()}".rstrip())
    return console.status


def _start(machine: Machine, folder: Path, console: int) -> subprocess.Popen[bytes]:
    # The command has no path of this machine: the places of things in the kernel's memory depend on its length.
    joined = machine.joined
    if joined is not None:
        joined.link_into(folder)
    command = [
        str(machine.kernel),
        f"mem={machine.memory_mb}M",
        "initrd=/proc/self/fd/0",
        "rdinit=/init",
        *([OWN_CLOCK] if joined is None else joined.kernel_arguments()),
        f"time-travel-start={START_NS}",
        f"seed={machine.seed}",
        "hostfs=/proc/self/cwd",
        "umid=nodectl",
        "norandmaps",
        f"resident={RESIDENT}",
        *(["entries"] if machine.counts_entries else []),
        "con=null",
        "con0=null,fd:1",
        "quiet",
        *(f"{name}={value}" for name, value in sorted(COMMON.items())),
    ]
    try:
        image = machine.image.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {machine.image}: {error.strerror}") from None
    with image:
        return subprocess.Popen(
            tied(command, signal.SIGKILL, machine.processor),  # it ends with us, also if we are killed
            stdin=image,
            stdout=console,
            stderr=console,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": ".", "TMPDIR": _memory_folder(), **WITHOUT_RSEQ},
            umask=UMASK,
            start_new_session=True,  # Ctrl-C is for us, and we end it
        )


def _answering(
    process: subprocess.Popen[bytes], folder: Path, on_question: Answerer, on_event: Callable[[Event], None]
) -> Callable[[Event], None]:
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


def _memory_folder() -> str:
    """Where the memory of the machine inside is: in memory if this machine has room there, and lets programs be mapped from it."""
    found = memory_folder()
    if isinstance(found, Unfit):
        raise UserError(found.why, found.remedy)
    return found


def _follow(machine: Machine, process: subprocess.Popen[bytes], console: Console, stop: threading.Event) -> None:
    silence = KernelSilence(process.pid)
    while not has_ended(process):
        if console.read():
            silence.heard()
        elif silence.lasted_s() > ANSWER_S and _is_full(console):
            raise UserError(f"virtual time stands still at {console.virtual_s:.3f} s: {_full(console)}")
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


def _end(process: subprocess.Popen[bytes]) -> float:
    """End the kernel and the programs in it: its processes end when it does, and are in the process group that it leads.

    Returns:
        The processor seconds that it took.
    """
    if not has_ended(process):
        process.kill()
    processor_s = wait_and_account(process)
    deadline_s = time.monotonic() + GONE_S
    try:
        while time.monotonic() < deadline_s:
            os.killpg(process.pid, signal.SIGKILL)
            if not is_running(process.pid):
                break
            time.sleep(GONE_S / 100)
    except (ProcessLookupError, PermissionError):
        pass  # nobody is there any more
    return processor_s


def _reason(process: subprocess.Popen[bytes], console: Console) -> str:
    text = console.error or "\n".join([*console.text, console.rest])
    for words, meaning in TOLD.items():
        if words in text:
            return meaning
    if console.error is not None:
        return console.error
    if _is_full(console):
        return _full(console)
    code = process.returncode
    if code >= 0:
        return f"its kernel ended with exit code {code}"
    ended_by = signal.Signals(-code)
    return f"its kernel was ended by {ended_by.name}{ENDED_BY.get(ended_by, '')}"


def _is_full(console: Console) -> bool:
    return os.statvfs(console.file).f_bavail == 0


def _full(console: Console) -> str:
    return f"the disk is full, at {console.file.parent.parent} (TMPDIR names another folder)"
