"""A switch of `simple_switch` or `simple_switch_grpc` that `simple_switch_CLI` speaks to."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.harness.free_port import free_port
from tests.harness.switches import binaries
from tests.harness.waiting import LIMIT_S, wait_for

INTRODUCTION = "Control utility for runtime P4 table manipulation\n"


class CommandedSwitch:
    """A running switch."""

    def __init__(self, port: int, pid: int) -> None:
        self.port, self.pid = port, pid

    def cli(self, *lines: str) -> list[str]:
        """Type lines in one session; returns the output of each."""
        command = [str(binaries() / "simple_switch_CLI"), "--thrift-port", str(self.port)]
        text = "\n".join(lines) + "\n"
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=LIMIT_S, check=True)
        parts: list[str] = result.stdout.split("RuntimeCmd: ")
        introduction, *answers, end = parts
        assert (introduction, end) == (INTRODUCTION, "\n")
        return answers


@contextlib.contextmanager
def running(name: str, program: Path, *words: str) -> Iterator[CommandedSwitch]:
    """A switch of that command, which answers."""
    port = free_port()
    process = subprocess.Popen([str(binaries() / name), "--thrift-port", str(port), str(program), *words])
    try:

        def answers() -> bool:
            assert process.poll() is None, "the switch has ended"
            probe = [str(binaries() / "simple_switch_CLI"), "--thrift-port", str(port)]
            return subprocess.run(probe, input=b"", capture_output=True, check=False).returncode == 0

        wait_for("the switch", answers)
        yield CommandedSwitch(port, process.pid)
    finally:
        process.terminate()
        process.wait(10)
