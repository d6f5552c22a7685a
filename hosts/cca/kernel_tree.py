"""The user-mode kernel that modules are built for: its folder of objects, which the build of the kernel leaves behind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.errors import UserError

KERNEL = "linux"
_NEEDED = (".config", "Module.symvers", "include/generated/utsrelease.h", KERNEL)


@dataclass(frozen=True)
class KernelTree:
    """A built user-mode kernel; ``objects`` is what its ``make`` was given as ``O=``."""

    objects: Path

    @property
    def kernel(self) -> Path:
        """The kernel itself, a program."""
        return self.objects / KERNEL

    @cached_property
    def checksum(self) -> str:
        """Of the kernel, its configuration and what it exports: a module fits no other.

        Raises:
            UserError: something of these is missing.
        """
        checksum = hashlib.sha256()
        for name in _NEEDED:
            try:
                checksum.update(hashlib.sha256((self.objects / name).read_bytes()).digest())
            except OSError as error:
                raise UserError(f"{self.objects} is no built kernel: {name}: {error.strerror}", "build the kernel first") from error
        return checksum.hexdigest()
