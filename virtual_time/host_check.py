"""Needs of a kernel that is a program on the machine outside. They are checked first, since a kernel that cannot go on says little."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

PROCESSOR = "x86_64"
OLDEST_KERNEL = (4, 8)
"""Of the machine outside. Under older ones, a program whose system calls are traced could leave seccomp's rules, so containers forbade
tracing."""

ASKS_TO_BE_TRACED = "import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, None, None) != 0)"
"""A program in Python. The first zero is PTRACE_TRACEME."""

MEMORY_MB = 600
"""Memory that a run takes of the machine outside: the file system inside, which is in memory, and the programs."""

MEMORY_FOLDERS = ("/dev/shm",)
"""Folders for the memory of the machine inside, besides TMPDIR."""

MEMORY_REMEDY = "a container has more with --shm-size=1g; or set TMPDIR to a folder with room, from which programs may run"


@dataclass(frozen=True)
class Unfit:
    """The reason why a kernel cannot run, in a line, and a remedy."""

    why: str
    remedy: str


def why_unfit() -> Unfit | None:
    """The first reason why this machine cannot run a kernel; None: no reason is known."""
    for check in (_processor, _kernel, _tracing, _room, _memory):
        if (found := check()) is not None:
            return found
    return None


def _processor(machine: str | None = None) -> Unfit | None:
    machine = machine or platform.machine()
    if machine == PROCESSOR:
        return None
    return Unfit(f"there is no user-mode Linux for {machine} processors, only for {PROCESSOR}", "docs/install.md says what else there is")


def _kernel(release: str | None = None) -> Unfit | None:
    release = release or platform.release()
    found = re.match(r"(\d+)\.(\d+)", release)
    if found is None or (int(found[1]), int(found[2])) >= OLDEST_KERNEL:
        return None
    return Unfit(f"this machine's kernel is Linux {release}; at least {'.'.join(map(str, OLDEST_KERNEL))} is needed", "take a newer system")


def may_trace() -> bool:
    """Whether a process may have itself traced (ptrace), which is how user-mode Linux gets the system calls of its programs.

    A new program asks: a fork of this one may end by itself, where a library has threads (gRPC).
    """
    return subprocess.run([sys.executable, "-I", "-S", "-c", ASKS_TO_BE_TRACED], check=False).returncode == 0


def _tracing(allowed: Callable[[], bool] = may_trace) -> Unfit | None:
    if allowed():
        return None
    return Unfit(
        "this machine does not let programs trace their own (ptrace): a container's seccomp rules or kernel.yama.ptrace_scope=3 forbid it",
        "in a container: --cap-add=SYS_PTRACE or a seccomp profile that allows ptrace; else sysctl kernel.yama.ptrace_scope=1, as root",
    )


def memory_folders() -> list[str]:
    """Where the memory inside may be, the best first."""
    return list(dict.fromkeys([*MEMORY_FOLDERS, tempfile.gettempdir()]))


def memory_folder(folders: Iterable[str] | None = None, needed_mb: int = MEMORY_MB) -> str | Unfit:
    """The first folder from which programs may be mapped and that has room; or why there is none.

    Args:
        folders: where to look; None: :func:`memory_folders`.
        needed_mb: the room.
    """
    reasons = []
    for folder in memory_folders() if folders is None else folders:
        try:
            state = os.statvfs(folder)
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror}")
            continue
        free_mb = state.f_bavail * state.f_frsize // (1 << 20)
        if state.f_flag & os.ST_NOEXEC:
            reasons.append(f"{folder} does not let programs run")
        elif not os.access(folder, os.W_OK):
            reasons.append(f"{folder} cannot be written")
        elif free_mb < needed_mb:
            reasons.append(f"{folder} has {free_mb} MB left")
        else:
            return folder
    return Unfit(f"no folder has {needed_mb} MB for the memory of virtual machines: {'; '.join(reasons)}", MEMORY_REMEDY)


def _room() -> Unfit | None:
    found = memory_folder()
    return found if isinstance(found, Unfit) else None


def _memory(file: Path = Path("/proc/meminfo")) -> Unfit | None:
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", file.read_text(), re.MULTILINE)
    except OSError:
        return None
    if found is None or int(found[1]) >= MEMORY_MB << 10:
        return None
    return Unfit(f"this machine has {int(found[1]) >> 10} MB of memory left; a run takes {MEMORY_MB} MB", "end other programs")
