"""Congestion controls as modules of the user-mode kernel that this process runs in. They were built outside (modules.py)."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

from common.errors import UserError
from hosts.cca.record import Registered
from hosts.cca.registry import Origin
from hosts.cca.scheme_names import Scheme, socket_name
from hosts.cca.sources import SchemeSource

FOLDER_VARIABLE = "NODECTL_CCA_MODULES"
"""The program that boots the kernel names the folder of its modules in it. It is set nowhere else, so it also tells where we are."""

SUFFIX = ".ko"
_LOADED_FILE = Path("/proc/modules")
_FINIT_MODULE, _DELETE_MODULE = 313, 176
"""System calls of x86-64, the only processor with a user-mode Linux that is used here."""


def module_folder() -> Path | None:
    """The folder of modules if this is the user-mode kernel; None on the machine itself."""
    folder = os.environ.get(FOLDER_VARIABLE)
    return Path(folder) if folder else None


class ModuleRegistry:
    """Loads the modules of ``folder``; each is called as the congestion control that it registers."""

    stays_in_use = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def explain_missing_support(self) -> str | None:
        """As the protocol says: no folder, or a kernel that takes no modules."""
        if not self._folder.is_dir():
            return f"there is no folder {self._folder} ({FOLDER_VARIABLE})"
        if not _LOADED_FILE.exists():
            return "this kernel takes no modules"
        return None

    def object_of(self, scheme: Scheme) -> Path:
        """The module, which must be there: inside the kernel nothing is built."""
        path = self._folder / (socket_name(scheme) + SUFFIX)
        if not path.exists():
            raise UserError(f"{scheme.text} was not built for this kernel: there is no {path}", "name it where the kernel is booted")
        return path

    def register(self, scheme: Scheme, path: Path) -> None:
        """As the protocol says."""
        with path.open("rb") as file:
            number = _system_call(_FINIT_MODULE, file.fileno(), b"", 0)
        if number == errno.EPERM:
            raise UserError(f"{scheme.text}: the kernel does not let us load modules", "run this as root, with CAP_SYS_MODULE")
        if number == errno.EEXIST:
            raise UserError(f"{scheme.text} is registered already", "`python -m hosts.cca list` shows by whom")
        if number == errno.ENOEXEC:
            raise UserError(f"{path} is no module of this kernel", "build it for the kernel that is booted")
        if number:
            raise UserError(f"{scheme.text} is not loaded: {os.strerror(number)}", "the kernel's log (dmesg) may say more")

    def unregister(self, entry: Registered) -> bool:
        """As the protocol says; a module with connections stays as it is."""
        number = _system_call(_DELETE_MODULE, entry.kernel_name.encode("ascii"), os.O_NONBLOCK)
        if number == errno.EPERM:
            raise UserError(f"{entry.text}: the kernel does not let us remove modules", "run this as root, with CAP_SYS_MODULE")
        if number not in (0, errno.ENOENT, errno.EAGAIN):
            raise UserError(f"{entry.text} is not removed: {os.strerror(number)}", "the kernel's log (dmesg) may say more")
        return number == errno.EAGAIN

    def origin(self, kernel_name: str, record: Registered | None, source: SchemeSource | None) -> Origin:  # noqa: ARG002 (BPF's registry needs them)
        """As the protocol says: the kernel knows its modules."""
        return Origin.MODULE if kernel_name in _loaded() else Origin.KERNEL


def _loaded() -> set[str]:
    return {line.split(" ", 1)[0] for line in _LOADED_FILE.read_text(encoding="ascii").splitlines()}


def _system_call(number: int, *arguments: int | bytes) -> int:
    """Returns the errno, or 0."""
    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_char_p(word) if isinstance(word, bytes) else ctypes.c_long(word) for word in arguments]
    return ctypes.get_errno() if library.syscall(ctypes.c_long(number), *words) != 0 else 0
