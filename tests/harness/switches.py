"""P4 switches that tests drive frame by frame. One class a kind of switch; the tests know only `P4Switch`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from protocol.constants import CLONE_SESSION, CPU_PORT
from tests.harness.bmv2_switch import bmv2_command, bmv2_or_skip
from tests.harness.waiting import LIMIT_S

REPOSITORY = Path(__file__).resolve().parents[2]

Frames = dict[int, list[bytes]]
"""Frames by the port they leave by, in order."""


@dataclass(frozen=True)
class Combination:
    """A compiler and a switch, each the embedded one or the real one."""

    compiler: str
    switch: str

    def __str__(self) -> str:
        return f"{self.compiler}-{self.switch}"


COMPILERS = ["embedded", *(["p4c"] if shutil.which("p4c-bm2-ss") else [])]
SWITCHES = ["embedded", *(["bmv2"] if bmv2_command() else [])]
COMBINATIONS = [Combination(compiler, switch) for switch in SWITCHES for compiler in COMPILERS]
"""Of what is on PATH: tests of the others are not collected, see :func:`not_collected`."""


def not_collected() -> str:
    """Which compiler and switch the tests cannot compare with here, in one line; empty if both are there."""
    absent = [name for name, found in (("p4c", COMPILERS), ("BMv2", SWITCHES)) if len(found) == 1]
    return f"not on PATH, so tests with {' and '.join(absent)} are not collected" if absent else ""


@dataclass(frozen=True)
class Held:
    """A packet that waits in a queue of the embedded switch, until :meth:`EmbeddedSwitch.leave`."""

    packet: int
    port: int
    queue: int
    rank: int


class P4Switch(Protocol):
    """One switch that runs one program."""

    is_real_time: bool
    """It has a clock of its own, so `time_us` is not heeded and registers cannot be looked into: BMv2."""

    def send(self, port: int, frame: bytes, time_us: int) -> Frames:
        """The frames that leave the switch because of a frame that comes in."""

    def restart(self) -> None:
        """Real-time only: as at the start, without entries."""

    def now_between_us(self) -> tuple[int, int]:
        """Real-time only: the time that its clock shows, at the least and at the most."""

    def handled_between_us(self) -> tuple[int, int]:
        """Real-time only: when it handled the last frame, by its own clock, at the earliest and at the latest."""

    def handled_at(self, time_us: int) -> None:
        """Real-time only: when it did, as it has said itself."""

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


def require(combination: Combination) -> None:
    """Skips the test if this compiler or switch is not there, and says so."""
    if combination.switch == "bmv2":
        bmv2_or_skip()
    if combination.compiler == "p4c" and not shutil.which("p4c-bm2-ss"):
        pytest.skip("p4c is not installed (no p4c-bm2-ss on PATH)")
    needed = [name for name, kind in (("p4c-bm2-ss", combination.compiler), ("p4sim", combination.switch)) if kind == "embedded"]
    for name in needed:
        if not (binaries() / name).exists():
            pytest.skip(f"the embedded toolchain is not built ({binaries() / name} is missing): run `make setup`")


def compile_program(source: Path, directory: Path, compiler: str = "embedded", defines: Sequence[str] = ()) -> Path:
    """The program's BMv2 JSON, with its P4Info beside it."""
    output = directory / f"{'-'.join([source.stem, *defines])}.json"
    executable = binaries() / "p4c-bm2-ss" if compiler == "embedded" else shutil.which("p4c-bm2-ss")
    p4info = output.with_suffix(".p4info.txtpb")
    options = ["--arch", "v1model", "--std", "p4-16", *(f"-D{name}" for name in defines), "--p4runtime-files", str(p4info)]
    command = [str(executable), *options, "-o", str(output), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.fail(f"{source} does not compile:\n{result.stderr}")
    return output


class EmbeddedSwitch:
    """The embedded switch without queues or links: a `p4sim` process."""

    is_real_time = False

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

    def send(self, port: int, frame: bytes, time_us: int, **queue: int) -> Frames:
        """As :class:`P4Switch` says; ``queue`` is what the packet finds there: enq_qdepth, deq_qdepth, deq_timedelta_us, queue_bytes."""
        return self._frames(self._ask(op="packet", port=port, data=frame.hex(), time_us=time_us, queue=queue))

    def arrive(self, port: int, frame: bytes, time_us: int) -> list[Held]:
        """The packets that wait in queues because of a frame that comes in."""
        return [Held(**held) for held in self._ask(op="arrive", port=port, data=frame.hex(), time_us=time_us)["held"]]

    def leave(self, packet: int, time_us: int, **queue: int) -> Frames:
        """The frames that leave the switch when a packet leaves its queue; ``queue`` is what it leaves behind: deq_qdepth, queue_bytes …"""
        return self._frames(self._ask(op="leave", packet=packet, time_us=time_us, queue=queue))

    @staticmethod
    def _frames(answer: dict[str, Any]) -> Frames:
        frames: Frames = defaultdict(list)
        for packet in answer["packets"]:
            frames[packet["port"]].append(bytes.fromhex(packet["data"]))
        return dict(frames)

    def restart(self) -> None:
        raise AssertionError("a fresh one is started instead")

    def now_between_us(self) -> tuple[int, int]:
        raise AssertionError("its time is the caller's")

    def handled_between_us(self) -> tuple[int, int]:
        raise AssertionError("its time is the caller's")

    def handled_at(self, time_us: int) -> None:
        raise AssertionError("its time is the caller's")

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
            self._process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
