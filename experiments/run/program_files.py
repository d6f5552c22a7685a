"""What a scenario with ordinary programs needs inside a user-mode kernel: the programs themselves, and what the host service loads."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from hosts.cca.libbpf import LIBRARY
from hosts.service.watch_object import OBJECT_VARIABLE, watch_object
from protocol.errors import UserError
from scenario.scenario import Scenario
from virtual_time.init import JOB

OBJECT = "connection_watch.o"
LIBRARY_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def programs_of(scenarios: Iterable[Scenario]) -> list[Path]:
    """The programs that scenarios run, and libbpf, where they are on this machine; empty if they run none.

    Raises:
        UserError: one is not installed.
    """
    names = dict.fromkeys(program.command[0] for scenario in scenarios for program in scenario.programs)
    return [*(_found(name) for name in names if not _is_in_userland(name)), libbpf()] if names else []


def libbpf() -> Path:
    """libbpf on this machine.

    Raises:
        UserError: it is not installed.
    """
    for folder in LIBRARY_FOLDERS:
        if (file := Path(folder, LIBRARY)).exists():
            return file
    raise UserError(f"{LIBRARY} is not installed; the host service cannot watch connections", "apt-get install libbpf1")


def service_files() -> dict[str, bytes]:
    """What the host service loads, by its name among the files of a job.

    Raises:
        UserError: it cannot be compiled.
    """
    return {OBJECT: watch_object().read_bytes()}


def service_environment() -> dict[str, str]:
    """Where it finds that inside."""
    return {OBJECT_VARIABLE: str(JOB / OBJECT)}


def _is_in_userland(name: str) -> bool:
    return name.startswith("python3") or name in ("sh", "bash")


def _found(name: str) -> Path:
    file = shutil.which(name, path=PROGRAMS)
    if file is None:
        raise UserError(f"the program {name} is not installed", f"apt-get install --no-install-recommends {name}")
    return Path(file)
