"""Runs jobs in copies of kernels that have booted, so that short jobs do not boot one after the other."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from virtual_time.boot import Machine, boot
from virtual_time.booted_kernel import BootedKernel, booted
from virtual_time.host_check import MEMORY_MB, Unfit, memory_folder
from virtual_time.job import Job, Outside
from virtual_time.kernel_process import KernelProcess
from virtual_time.session import Session

KERNELS_A_JOB = 2
"""The one that waits and its copy: both have memory."""


class Copies:
    """A place for jobs (:class:`virtual_time.job.Place`). Each thread has a kernel that waits, the last kind that it needed.

    Args:
        session: the kernel and file system.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._own = threading.local()
        self._kernels: dict[ExitStack, BootedKernel] = {}

    def __enter__(self) -> Copies:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for place in self._kernels:
            place.close()

    @property
    def booted(self) -> list[BootedKernel]:
        """The kernels that wait."""
        return list(self._kernels.values())

    @property
    def side_by_side(self) -> int:
        """How many jobs may go on at once, each on a processor of its own."""
        return self._session.side_by_side

    def run(self, job: Job, outside: Outside) -> int:
        """Run a job on this machine, as :class:`virtual_time.job.Place` says."""
        return self._session.run(job, outside, self._start)

    def _start(self, machine: Machine, folder: Path, console: Path, stop: threading.Event) -> KernelProcess:
        if not machine.module or machine.joined is not None or machine.counts_entries or not self._has_room():
            return boot(machine, folder, console)
        console.touch()
        return self._booted(machine).copy(machine.processor, folder, stop)

    def _has_room(self) -> bool:
        return not isinstance(memory_folder(needed_mb=KERNELS_A_JOB * MEMORY_MB * self.side_by_side), Unfit)

    def _booted(self, machine: Machine) -> BootedKernel:
        if not hasattr(self._own, "place"):
            self._own.place = ExitStack()
        place: ExitStack = self._own.place
        kernel = self._kernels.get(place)
        if kernel is None or kernel.has_ended or not kernel.may_be(machine):
            place.close()
            kernel = self._kernels[place] = place.enter_context(booted(machine))
        return kernel
