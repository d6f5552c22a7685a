"""Load for a machine: busy loops, a disk that is written, memory that is filled, and processors that are taken away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random

from virtual_time.kernel.build import Kernel
from virtual_time.process_table import PARENT, PROCESSES, processes, stat_fields
from virtual_time.tied_start import tied

BUSY = "while True: pass"
DISK = """import os, sys
block = os.urandom(1 << 20)
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(64):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
"""
MEMORY = """
while True:
    block = bytearray(1 << 29)
    for at in range(0, len(block), 4096):
        block[at] = 1
"""
PHASE_S = 4.0
"""How long a load stays as it is."""

TAKEN_S, GIVEN_S = 0.05, 0.4
"""How long processors are taken away, and left in between."""

END_S = 5.0

KERNEL = Kernel(Path()).program.name


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """So many processes that never wait."""
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(_python(BUSY))
        yield


@contextmanager
def changing_load(folder: Path, seed: int) -> Iterator[None]:
    """Load that changes every few seconds: the disk, memory, processors that are taken from this process's children, or nothing.

    Args:
        folder: for the file that loads the disk.
        seed: the order follows from it.
    """
    ending = threading.Event()
    thread = threading.Thread(target=_change, args=(folder, Random(seed), ending), name="load")
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def _change(folder: Path, random: Random, ending: threading.Event) -> None:
    while not ending.is_set():
        kind = random.choice(("disk", "memory", "processors", "nothing"))
        if kind == "processors":
            _take_processors(ending)
            continue
        with ExitStack() as stack:
            if kind == "disk":
                stack.enter_context(_python(DISK, str(folder / "written")))
            elif kind == "memory":
                stack.enter_context(_python(MEMORY))
            ending.wait(PHASE_S)


def _take_processors(ending: threading.Event) -> None:
    for _ in range(round(PHASE_S / (TAKEN_S + GIVEN_S))):
        stopped = [one for one in _descendants(os.getpid()) if _stop(one)]
        ending.wait(TAKEN_S)
        for process in stopped:
            _let_go_on(process)
        if ending.wait(GIVEN_S):
            return


def _stop(process: int) -> bool:
    """Stop a process, unless another one traces it, or is about to, which would take that for a signal of its own."""
    try:
        status = _status(process)
        if "\nTracerPid:\t0\n" not in status or "\nState:\tT" in status or is_inside_a_kernel(process):
            return False
        os.kill(process, signal.SIGSTOP)
    except OSError:
        return False
    return True


def is_inside_a_kernel(process: int) -> bool:
    """Whether a process is one of a user-mode kernel's programs, which asks to be traced only after its start.

    Raises:
        OSError: it has ended.
    """
    program = (PROCESSES / str(process) / "exe").readlink()
    if program.name != KERNEL or (found := stat_fields(process, PARENT)) is None:
        return False
    return (PROCESSES / str(found[0]) / "exe").readlink() == program


def _let_go_on(process: int) -> None:
    """Undo this load's stop, unless a test has stopped the process meanwhile."""
    with suppress(OSError):
        if not is_stopped_again(_status(process)):
            os.kill(process, signal.SIGCONT)


def _status(process: int) -> str:
    return (PROCESSES / str(process) / "status").read_text(encoding="utf-8", errors="replace")


def is_stopped_again(status: str) -> bool:
    """Whether a further SIGSTOP is pending for a stopped process, which SIGCONT would take away.

    On a busy machine the first one may be pending still, and the process runs.

    Args:
        status: the text of /proc/PROCESS/status.
    """
    pending = int(status.partition("\nShdPnd:")[2].split(maxsplit=1)[0], 16)
    return "\nState:\tT" in status and bool(pending & 1 << (signal.SIGSTOP - 1))


def _descendants(process: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for one in processes():
        if (found := stat_fields(one, PARENT)) is not None:
            children.setdefault(found[0], []).append(one)
    todo, all_of_them = [process], []
    while todo:
        todo += (new := children.get(todo.pop(), []))
        all_of_them += new
    return all_of_them


@contextmanager
def _python(program: str, *arguments: str) -> Iterator[None]:
    command = tied([sys.executable, "-c", program, *arguments], signal.SIGKILL)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield
        finally:
            process.kill()
            process.wait(END_S)
