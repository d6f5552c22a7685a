"""The kernel and the file system, which all runs in virtual time have in common."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import virtual_time.kernel.build as kernel_build
from common.errors import UserError
from common.installation import INSTALLED
from virtual_time.file_system.brought_layers import brought_layers
from virtual_time.file_system.image import Image, assemble
from virtual_time.file_system.layer import DIGITS, Layer
from virtual_time.file_system.made_layers import made_layers
from virtual_time.host_check import why_unfit
from virtual_time.job import Job, Outside, run_here
from virtual_time.kernel.choice import KernelChoice
from virtual_time.machine import Starter


def explain_missing() -> str | None:
    """Why nothing can run in virtual time here; None if it can."""
    if kernel_build.find() is not None:
        unfit = why_unfit()
        return None if unfit is None else f"{unfit.why} ({unfit.remedy})"
    from virtual_time.kernel.missing import why_not_here

    return why_not_here() or "the user-mode kernel is not built yet (`make kernel`)"


@dataclass(frozen=True)
class Inputs:
    """Checksums of everything that the digits of a run depend on, besides its job and the seed in it."""

    kernel: str
    userland: str
    checkout: str

    def __str__(self) -> str:
        return f"kernel {self.kernel}, userland {self.userland}, checkout {self.checkout}"


@dataclass(frozen=True)
class Session:
    """A kernel and a file system, for any number of runs, side by side too.

    Args:
        kernel: the one that is booted.
        image: its file system.
        inputs: their checksums.
    """

    kernel: kernel_build.Kernel
    image: Image
    inputs: Inputs

    @classmethod
    def prepare(
        cls,
        *,
        kernel: str = "",
        with_tests: bool = False,
        commands: Sequence[Path] = (),
        programs: Sequence[Path] = (),
        packages: Sequence[str] = (),
    ) -> Session:
        """Find the kernel, and make the parts of the file system that are not there yet.

        Args:
            kernel: which (virtual_time/kernel/choice.py); one that is named is built if it is not there. Empty: the usual one.
            with_tests: the tests and their packages too.
            commands: other programs that are wanted inside (``command_inside`` in file_system/userland.py), by their paths outside.
            programs: ordinary programs that are wanted inside with all that they need (virtual_time/file_system/programs_layer.py).
            packages: Python packages that programs import, besides those of the testbed.

        Raises:
            UserError: there is no kernel, or something is not installed.
        """
        found = _kernel(kernel)
        if (unfit := why_unfit()) is not None:
            raise UserError(f"no virtual time: {unfit.why}", unfit.remedy)
        if INSTALLED is None:
            *installed, own = made_layers(with_tests=with_tests, commands=commands, programs=programs, packages=packages)
        else:
            *installed, own = brought_layers(INSTALLED, with_tests=with_tests, commands=commands, programs=programs, packages=packages)
        return cls(found, assemble([*installed, own]), Inputs(found.digest, _combined(installed), own.digest))

    @property
    def side_by_side(self) -> int:
        """How many runs may go on at once, each on a processor of its own."""
        return len(os.sched_getaffinity(0))

    def run(self, job: Job, outside: Outside | None = None, start: Starter | None = None) -> int:
        """Run a job on this machine, as :class:`virtual_time.job.Place` says.

        Args:
            job: the one to run.
            outside: gets its results.
            start: starts the kernel; None: it boots.
        """
        return run_here(job, outside or Outside(), self.kernel.program, self.image.file, start)


def _kernel(text: str) -> kernel_build.Kernel:
    if text and INSTALLED is not None:
        raise UserError(f"KERNEL={text}: the package brings one kernel", "other kernels are built in a checkout of the testbed")
    choice = KernelChoice.of(text)
    found = kernel_build.find(choice)
    if found is not None:
        return found
    if not text:
        raise UserError(f"no virtual time: {explain_missing()}", "or use TIME=real, as root")
    return kernel_build.build(choice, len(os.sched_getaffinity(0)))


def _combined(layers: Sequence[Layer]) -> str:
    if len(layers) == 1:
        return layers[0].digest
    return hashlib.sha256(" ".join(layer.digest for layer in layers).encode()).hexdigest()[:DIGITS]
