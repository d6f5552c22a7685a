"""P4 switches that tests drive frame by frame. One class a kind of switch; the tests know only `P4Switch`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from nodectl.events import CLONE_SESSION, CPU_PORT

REPOSITORY = Path(__file__).resolve().parents[2]
KINDS = ("embedded", "bmv2")

Frames = dict[int, list[bytes]]
"""Frames by the port they leave by, in order."""


class P4Switch(Protocol):
    """One switch that runs one program."""

    def send(self, port: int, frame: bytes, time_us: int) -> Frames:
        """What leaves the switch because of a frame that comes in."""

    def add_entry(self, table: str, match: Sequence[dict[str, Any]], action: str, parameters: Sequence[int]) -> None:
        """A table entry; `match` as p4sim takes it."""

    def register(self, name: str, index: int) -> int:
        """A register's value."""

    def write_register(self, name: str, index: int, value: int) -> None:
        """Sets a register, as no pipeline would."""

    def counter(self, name: str, index: int) -> int:
        """A counter's packets."""

    def close(self) -> None:
        """Ends it."""


def binaries() -> Path:
    """Where the embedded toolchain is; NODECTL_BINARIES overrides the usual place."""
    return Path(os.environ.get("NODECTL_BINARIES", REPOSITORY / "switch" / "target" / "release"))


def require(kind: str) -> None:
    """Skips the test if this kind of switch is not there, and says so."""
    if kind == "bmv2":
        if not shutil.which("simple_switch_grpc") or not shutil.which("p4c-bm2-ss"):
            pytest.skip("BMv2 is not installed")
        pytest.skip("BMv2 is installed, but there is no test adapter for it yet")
    for name in ("p4sim", "p4c-bm2-ss"):
        if not (binaries() / name).exists():
            pytest.skip(f"the embedded toolchain is not built ({binaries() / name} is missing): run `make setup`")


def compile_program(source: Path, directory: Path, defines: Sequence[str] = ()) -> Path:
    """The program's BMv2 JSON, compiled with the embedded compiler; NODECTL_P4C overrides that."""
    output = directory / f"{'-'.join([source.stem, *defines])}.json"
    compiler = os.environ.get("NODECTL_P4C", str(binaries() / "p4c-bm2-ss"))
    command = [compiler, "--arch", "v1model", "--p4v", "16", "-o", str(output), *(f"-D{name}" for name in defines), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.fail(f"{source} does not compile:\n{result.stderr}")
    return output


class EmbeddedSwitch:
    """The embedded switch without queues or links: a `p4sim` process."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(binaries() / "p4sim"), str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._ask(op="clone_session", session=CLONE_SESSION, port=CPU_PORT)

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"p4sim ended with status {self._process.wait()} at {request}")
        answer: dict[str, Any] = json.loads(line)
        assert "error" not in answer, f"{answer['error']} at {request}"
        return answer

    def send(self, port: int, frame: bytes, time_us: int) -> Frames:
        answer = self._ask(op="packet", port=port, data=frame.hex(), time_us=time_us)
        frames: Frames = defaultdict(list)
        for packet in answer["packets"]:
            frames[packet["port"]].append(bytes.fromhex(packet["data"]))
        return dict(frames)

    def add_entry(self, table: str, match: Sequence[dict[str, Any]], action: str, parameters: Sequence[int]) -> None:
        hexadecimal = [f"{parameter:x}".zfill(2) for parameter in parameters]
        self._ask(op="table_add", table=table, match=list(match), action=action, params=hexadecimal)

    def register(self, name: str, index: int) -> int:
        return int(self._ask(op="register_read", register=name, index=index)["value"])

    def write_register(self, name: str, index: int, value: int) -> None:
        self._ask(op="register_write", register=name, index=index, value=value)

    def counter(self, name: str, index: int) -> int:
        return int(self._ask(op="counter_read", counter=name, index=index)["packets"])

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
