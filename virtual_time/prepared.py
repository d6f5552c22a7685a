"""A program inside that has imported a module before anyone knows the job for which it runs it.

``python -m virtual_time.prepared MODULE`` imports the module, says so, and waits to be told arguments, folder and environment. Then it is
as ``python -m MODULE ARGUMENTS``. Kernels are copied while it waits, so the imports are done once.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from virtual_time.environment import inside_environment
from virtual_time.places import INSIDE

PROGRAM = ("python3", "-m")


def start_command(command: Sequence[str], folder: str, environment: Mapping[str, str], **more: Any) -> subprocess.Popen[bytes]:
    """Start a command.

    Args:
        command: program and arguments.
        folder: where it starts.
        environment: complete.
        more: for ``subprocess.Popen``.
    """
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD}),
        **more,
    )  # fmt: skip


class Prepared:
    """The side of the first process: starts such a program, and waits until its imports are done.

    Args:
        module: the one that it imports.

    Raises:
        OSError: it has ended instead.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._environment = inside_environment()
        ready, says = os.pipe()
        told, self._tells = os.pipe()
        command = [*PROGRAM, __name__, module, str(says), str(told)]
        self._process = start_command(command, INSIDE, self._environment, pass_fds=(says, told))
        os.close(says)
        os.close(told)
        if not os.read(ready, 1):
            raise OSError(f"{module} cannot be imported")
        os.close(ready)

    def start(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Have it be a command. The command gets a program of its own if it is another one.

        Args:
            command: ``python3 -m`` with the module, and arguments.
            folder: where it starts.
            environment: complete; variables that imports may read must be in it.
        """
        if tuple(command[:3]) != (*PROGRAM, self._module) or not self._environment.items() <= environment.items():
            os.close(self._tells)
            return start_command(command, folder, environment)
        with os.fdopen(self._tells, "w") as stream:
            json.dump({"arguments": list(command[3:]), "folder": folder, "environment": dict(environment)}, stream)
        return self._process


def main(module: str, says: int, told: int) -> None:
    """Import, wait, run."""
    importlib.import_module(module)
    gc.freeze()  # the modules stay: nobody need look through them time and again
    os.write(says, b"\n")
    os.close(says)
    with os.fdopen(told) as stream:
        text = stream.read()
    if not text:
        return  # the job is another program
    job = json.loads(text)
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    sys.argv[1:] = job["arguments"]
    del sys.modules[module]  # it runs under another name
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
