"""Control groups (cgroup v2): which programs' connections are watched."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from common.errors import UserError

OWN_MOUNT = Path("/run/nodectl/cgroup")
"""Where the hierarchy is mounted if the system has not mounted it."""

PARENT = "nodectl"
PROCESSES = "cgroup.procs"
_MOUNTS = Path("/proc/mounts")
_KINDS = Path("/proc/filesystems")


def hierarchy() -> Path:
    """The root of the version 2 hierarchy: all programs are in it. It is mounted if nobody has done so.

    Raises:
        UserError: this kernel has none, or it may not be mounted.
    """
    for line in _MOUNTS.read_text().splitlines():
        _, folder, kind, *_ = line.split()
        if kind == "cgroup2" and Path(folder, PROCESSES).exists():  # else something is mounted over it, as on a Mininet host
            return Path(folder)
    if "cgroup2" not in _KINDS.read_text().split():
        raise UserError("this kernel has no cgroup v2, by which programs are told apart", "it needs CONFIG_CGROUPS")
    try:
        OWN_MOUNT.mkdir(parents=True, exist_ok=True)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"none", str(OWN_MOUNT).encode(), b"cgroup2", 0, None) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError as error:
        raise UserError(f"cgroup v2 is not mounted, and cannot be: {error.strerror}", "run this as root") from error
    return OWN_MOUNT


class ControlGroup:
    """A control group of one host's service.

    Args:
        name: tells the services of one kernel apart.

    Raises:
        UserError: it cannot be made.
    """

    def __init__(self, name: str) -> None:
        self.folder = hierarchy() / PARENT / name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"the control group {self.folder} cannot be made: {error.strerror}", "run this as root") from error

    def take_in(self, process: int = 0) -> None:
        """Puts a process into it (0: this one); its children follow, and the connections that they make from now on.

        Raises:
            OSError: the kernel refuses.
        """
        (self.folder / PROCESSES).write_text(str(process))

    def processes(self) -> list[int]:
        """Those that are in it now."""
        return [int(number) for number in (self.folder / PROCESSES).read_text().split()]

    def remove(self) -> bool:
        """Removes it, unless there are still programs in it; returns whether no other service is left in this kernel."""
        try:
            self.folder.rmdir()
            self.folder.parent.rmdir()
        except OSError:
            return False
        return True
