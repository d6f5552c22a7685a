"""A kernel that has booted and waits: each copy of it goes on with a job of its own.

Boot and imports are done once, and are the same for all jobs, so a copy computes what a kernel of its own would. A copy is a fork of the
kernel's process (kernel/patches/0021) and becomes a child of this one.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from common.errors import UserError
from virtual_time.boot import CONSOLE, LOOK_INTERVAL_S, Machine, boot
from virtual_time.console_reader import Console
from virtual_time.ended_kernel import end, reason
from virtual_time.kernel_process import CopiedKernel, KernelProcess
from virtual_time.kernel_silence import KernelSilence
from virtual_time.process_table import PARENT, processes_in, stat_fields
from virtual_time.processor_time import has_ended
from virtual_time.scratch import scratch_folder

NUMBER = struct.Struct("i")
"""The kernel's answer: a process, or a negative error of the host."""


class BootedKernel:
    """The kernel that is copied. Copies end with the thread that made this one.

    Args:
        machine: the one that each copy is, but for seed and processor.
        process: the kernel's.
        console: its output.
        channel: on which copies are asked for.
    """

    def __init__(self, machine: Machine, process: KernelProcess, console: Console, channel: socket.socket) -> None:
        self.machine = machine
        self._process = process
        self._console = console
        self._channel = channel

    @property
    def process(self) -> int:
        """The kernel's process."""
        return self._process.pid

    def may_be(self, machine: Machine) -> bool:
        """Whether a copy can be a machine: these differ in what is said after the boot at most."""
        own = self.machine
        return machine == replace(
            own, seed=machine.seed, processor=machine.processor, patience_s=machine.patience_s, limit_s=machine.limit_s
        )

    @property
    def has_ended(self) -> bool:
        """Whether it can no longer be copied."""
        return has_ended(self._process)

    def copy(self, processor: int | None, folder: Path, stop: threading.Event) -> CopiedKernel:
        """Make a copy, once it has booted.

        Args:
            processor: of this machine, on which it stays; None: any that the booted one may use.
            folder: with the job; its console is ``console.log`` in it.
            stop: when it is set, nobody wants a copy any more.

        Raises:
            UserError: the kernel has ended, or says nothing, or nobody wants a copy any more.
        """
        try:
            pid = self._copied(f"{-1 if processor is None else processor} {folder}", stop)
        except UserError:
            self._end_with_copy(folder)
            raise
        if pid < 0:
            raise UserError(f"a kernel cannot be copied: {os.strerror(-pid)}", "end other programs")
        return CopiedKernel(pid)

    def _copied(self, wanted: str, stop: threading.Event) -> int:
        silence = KernelSilence(self._process.pid)
        try:
            self._channel.send(wanted.encode())
            while (answer := self._answer()) is None:
                if stop.is_set():
                    raise UserError("interrupted")
                if silence.is_longer_than(self.machine.patience_s):
                    raise UserError(f"a kernel that is to be copied has said nothing for {self.machine.patience_s:.0f} s")
        except OSError:
            answer = b""
        if answer:
            pid: int = NUMBER.unpack(answer)[0]
            return pid
        self.end()
        self._console.read()
        said = f"{reason(self._process, self._console)}\n{self._console.tail()}".rstrip()
        raise UserError(f"a kernel that was to be copied has ended: {said}")

    def end(self) -> None:
        """End it, unless it has been ended."""
        if self._process.returncode is None:
            end(self._process)

    def _end_with_copy(self, folder: Path) -> None:
        """End it, and the copy that it has made for a job if nobody has heard of that one."""
        self.end()
        for pid in processes_in(folder):
            if stat_fields(pid, PARENT) == [os.getpid()]:  # not the programs in it
                end(CopiedKernel(pid))

    def _answer(self) -> bytes | None:
        """None: there is none yet; empty: the kernel is gone."""
        try:
            return self._channel.recv(NUMBER.size)
        except TimeoutError:
            return b"" if has_ended(self._process) else None


@contextmanager
def booted(machine: Machine) -> Iterator[BootedKernel]:
    """A kernel that boots, and ends in the end.

    Args:
        machine: the one that each copy is, but for its seed and processor.

    Raises:
        UserError: see :func:`virtual_time.boot.boot`.
    """
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with scratch_folder() as folder, ours:
        ours.settimeout(LOOK_INTERVAL_S)
        console = Console(folder / CONSOLE, lambda _event: None)
        with its:
            kernel = BootedKernel(machine, boot(machine, folder, console.file, its.fileno()), console, ours)
        try:
            yield kernel
        finally:
            kernel.end()
