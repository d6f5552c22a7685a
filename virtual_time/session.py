"""Everything that runs in virtual time have in common: the kernel, the file system, and which processor is whose."""

from __future__ import annotations

import hashlib
import os
import queue
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import kernel.build
from protocol.errors import UserError
from virtual_time import machine
from virtual_time.console import Event
from virtual_time.environment import inside_environment
from virtual_time.image import CACHE, INSIDE, Image, assemble, checkout
from virtual_time.layer import DIGITS, Layer, make_layer
from virtual_time.machine import Machine
from virtual_time.scratch import cannot_write, scratch_folder
from virtual_time.userland import commands_layer, testing, userland


def explain_missing() -> str | None:
    """Why nothing can run in virtual time here; None if it can."""
    if kernel.build.find() is not None:
        return None
    from kernel.missing import why_not_here

    return why_not_here() or "the user-mode kernel is not built yet (`make kernel`)"


@dataclass(frozen=True)
class Inputs:
    """What the digits of a run depend on, as checksums, besides its seed and what it is told to do."""

    kernel: str
    userland: str
    checkout: str

    def __str__(self) -> str:
        return f"kernel {self.kernel}, userland {self.userland}, checkout {self.checkout}"


@dataclass
class Session:
    """A kernel and a file system, for any number of runs, side by side too.

    Args:
        kernel: what is booted.
        image: its file system.
        inputs: what they are, as checksums.
    """

    kernel: kernel.build.Kernel
    image: Image
    inputs: Inputs
    _processors: queue.SimpleQueue[int] = field(default_factory=queue.SimpleQueue)

    @classmethod
    def prepare(cls, *, with_tests: bool = False, commands: Sequence[Path] = ()) -> Session:
        """Make what is not there yet.

        Args:
            with_tests: the tests and their packages too.
            commands: other programs that are wanted inside, where they are outside.

        Raises:
            UserError: there is no kernel, or something is not installed.
        """
        found = kernel.build.find()
        if found is None:
            raise UserError(f"no virtual time: {explain_missing()}", "or use TIME=real, as root")
        packages = testing() if with_tests else userland()
        layers = [make_layer("userland-tests" if with_tests else "userland", packages, CACHE)]
        if commands:
            layers.append(make_layer("commands", commands_layer(commands), CACHE))
        installed = _combined(layers)
        layers.append(make_layer("checkout-tests" if with_tests else "checkout", checkout(with_tests=with_tests), CACHE))
        session = cls(found, assemble(layers), Inputs(found.digest, installed, layers[-1].digest))
        for processor in sorted(os.sched_getaffinity(0)):
            session._processors.put(processor)
        return session

    @property
    def side_by_side(self) -> int:
        """How many runs may go on at once, each on a processor of its own."""
        return len(os.sched_getaffinity(0))

    def run(
        self,
        command: Sequence[str],
        *,
        seed: int,
        memory_mb: int = 2048,
        out: Path | None = None,
        patience_s: float = machine.PATIENCE_S,
        limit_s: float = machine.LIMIT_S,
        files: Mapping[str, bytes | Path] | None = None,
        environment: Mapping[str, str] | None = None,
        on_event: Callable[[Event], None] = lambda _event: None,
        on_text: Callable[[str], None] | None = None,
        on_end: Callable[[float], None] = lambda _processor_s: None,
        stop: threading.Event | None = None,
    ) -> int:
        """Run a command; returns its exit code. May be called from several threads.

        Args:
            command: program and arguments, inside.
            seed: all random numbers inside follow from it.
            memory_mb: of the machine inside.
            out: where what it leaves in ``/out`` is put; must exist. None: nowhere.
            patience_s: real seconds without a sign of life before it is ended.
            limit_s: virtual seconds before it is ended.
            files: what it finds in ``/job``, by relative path.
            environment: of the command.
            on_event: told of each event from inside.
            on_text: told of each line that is none.
            on_end: told how many seconds of this machine's processors it took.
            stop: when it is set, the run is ended.

        Raises:
            UserError: see :func:`virtual_time.machine.run`; or files cannot be written.
        """
        processor = self._processors.get()
        try:
            with scratch_folder() as folder:
                _put(files or {}, folder / "job")
                setting = Machine(self.kernel.program, self.image.file, memory_mb, seed, processor, patience_s, limit_s)
                status = machine.run(
                    setting,
                    command,
                    folder,
                    environment=environment or inside_environment(),
                    inside_folder=INSIDE,
                    on_event=on_event,
                    on_text=on_text,
                    on_end=on_end,
                    stop=stop,
                )
                if out is not None and (folder / "out").exists():
                    shutil.copytree(folder / "out", out, dirs_exist_ok=True, symlinks=True)
                return status
        except OSError as error:
            raise cannot_write(error) from None
        finally:
            self._processors.put(processor)


def _put(files: Mapping[str, bytes | Path], folder: Path) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copyfile(content, target)
        else:
            target.write_bytes(content)


def _combined(layers: Sequence[Layer]) -> str:
    if len(layers) == 1:
        return layers[0].digest
    return hashlib.sha256(" ".join(layer.digest for layer in layers).encode()).hexdigest()[:DIGITS]
