"""Boots a kernel: an ordinary process of this machine, which ends with the process that started it, however that ends.

It is pinned to one processor, since its processes wait for each other all the time, and waking another processor for it makes it ten times
slower.
"""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from virtual_time.environment import COMMON
from virtual_time.host_check import Unfit, memory_folder
from virtual_time.init import MODULE_VARIABLE
from virtual_time.joined import OWN_CLOCK, Joined
from virtual_time.tied_start import tied

START_NS = 10**18
"""The date inside when it boots (9 September 2001), in ns since 1970: the same in every run."""

BOOT_SEED = 1
"""Random numbers of a kernel that boots are the same in all runs; those of a run follow from its seed."""

NO_COPIES = -1

CONSOLE = "console.log"
"""File in a job's folder; copies open it by this name (kernel/patches/0021)."""

LOOK_INTERVAL_S = 0.05
"""Between two looks at a kernel by the outside."""

PATIENCE_S = 120.0
"""A run is ended after this real time without a sign from inside; time for which other programs had the processor does not count."""

LIMIT_S = 86_400.0
"""Virtual time after which a command that has not ended is taken for one that waits for ever."""

WITHOUT_RSEQ = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
"""For the kernel, which is linked with the C library. Since glibc 2.35, that has the machine's kernel write each thread's processor into
memory (restartable sequences). A program inside no longer has this memory, so its first signal would end it."""

RESIDENT = "p4switch"
"""The program that is entered and left most lives in the kernel's own process, where that costs a tenth (kernel/patches/0014)."""

UMASK = 0o022


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
        module: Python module that is imported, by a program that later runs it, before the job is known (virtual_time/prepared.py).
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
    module: str = ""


def boot(machine: Machine, folder: Path, console: Path, channel: int = NO_COPIES) -> subprocess.Popen[bytes]:
    """Boot a kernel, which then does the job that ``job.json`` in the folder names.

    Args:
        machine: the one that it is.
        folder: all that the inside can see of this machine.
        console: file for the output of the inside.
        channel: descriptor of the socket on which copies of it are asked for (booted_kernel.py).

    Raises:
        UserError: there is no room for its memory, or the image cannot be read.
        OSError: it cannot be started.
    """
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
        f"seed={BOOT_SEED}",
        "hostfs=/proc/self/cwd",
        "umid=nodectl",
        f"copies={channel:05}",  # as long for every number
        "norandmaps",
        f"resident={RESIDENT}",
        *(["entries"] if machine.counts_entries else []),
        "con=null",
        "con0=null,fd:1",
        "quiet",
        *(f"{name}={value}" for name, value in sorted(COMMON.items())),
        *([f"{MODULE_VARIABLE}={machine.module}"] if machine.module else []),
    ]
    try:
        image = machine.image.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {machine.image}: {error.strerror}") from None
    with image, console.open("wb") as output:
        return subprocess.Popen(
            tied(command, signal.SIGKILL, machine.processor),  # it ends with us, also if we are killed
            stdin=image,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": ".", "TMPDIR": _memory_folder(), **WITHOUT_RSEQ},
            umask=UMASK,
            pass_fds=() if channel == NO_COPIES else (channel,),
            start_new_session=True,  # Ctrl-C is for us, and we end it
        )


def _memory_folder() -> str:
    """Where the memory of the machine inside is: in memory if this machine has room there, and lets programs be mapped from it."""
    found = memory_folder()
    if isinstance(found, Unfit):
        raise UserError(found.why, found.remedy)
    return found
