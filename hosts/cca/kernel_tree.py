"""The user-mode kernel that modules are built for: its folder of objects, which the build of the kernel leaves behind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.errors import UserError

KERNEL = "linux"
_NEEDED = (".config", "Module.symvers", "include/generated/utsrelease.h")


@dataclass(frozen=True)
class KernelTree:
    """A built user-mode kernel; ``objects`` is the folder that its ``make`` was given as ``O=``."""

    objects: Path

    @property
    def kernel(self) -> Path:
        """The kernel itself, a program: the build's own, or beside the objects, where a package has no links."""
        own = self.objects / KERNEL
        return own if own.exists() else self.objects.with_name(KERNEL)

    @cached_property
    def checksum(self) -> str:
        """Checksum of the kernel, its configuration and its exported symbols: a module fits no other kernel.

        Raises:
            UserError: one of these is missing.
        """
        checksum = hashlib.sha256()
        for file in (*(self.objects / name for name in _NEEDED), self.kernel):
            try:
                checksum.update(hashlib.sha256(file.read_bytes()).digest())
            except OSError as error:
                raise UserError(f"{self.objects} is no built kernel: {file.name}: {error.strerror}", "build the kernel first") from error
        return checksum.hexdigest()
