"""Runs the study's network in one kernel or in two, and measures how fast virtual time goes."""

from __future__ import annotations

import csv
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bench.modules_inside import LOADED, modules_inside
from bench.studies.several_kernels import network as networks
from bench.studies.several_kernels.network import SIDES, STARTS_S, Network, Shared
from bench.switch_under_test import compile_program
from bench.tools import PROJECT
from common.errors import UserError
from common.units import NS_PER_S
from virtual_time.console import Event
from virtual_time.environment import inside_environment
from virtual_time.job import Job, Outside
from virtual_time.joined import Joined
from virtual_time.processor_time import wait_and_account
from virtual_time.session import Session

HERE = Path(__file__).resolve().parent
KERNEL = f"6.12+{HERE / 'patches'}"
MEMORY_BYTES = 8 << 20
DIGITS = 12
LAST_WORDS = 30
COUNTED = ("time_ns", "port", "tx_packets", "tx_bytes", "queue_drops")


class Way(Enum):
    """How the network is run; the values are the words for it."""

    ONE = "one kernel"
    MEETING = "two kernels, whose switches meet"
    CALENDAR = "two kernels, one calendar"


@dataclass
class Pace:
    """When virtual time was where, on a clock of this machine.

    Args:
        until_s: virtual time of the end.
    """

    until_s: float
    began_s: float | None = None
    ended_s: float | None = None

    def hear(self, event: Event) -> None:
        """Take in an event from inside."""
        virtual_s = event.get("virtual_s")
        if virtual_s is None:
            return
        if self.began_s is None and virtual_s >= STARTS_S:
            self.began_s = time.monotonic()
        if self.ended_s is None and virtual_s >= self.until_s:
            self.ended_s = time.monotonic()


@dataclass(frozen=True)
class Run:
    """A run of the network.

    Attributes:
        real_per_virtual: seconds, while transfers send.
        processor_s: of all kernels, from boot to end.
        calendar_s: of the calendar's processor, from its start to its end.
        received: bytes of each transfer.
        links: checksum of the packets, bytes and drops of each link, every 10 ms.
    """

    way: Way
    real_per_virtual: float
    processor_s: float
    calendar_s: float
    received: dict[str, int]
    links: str


def run(session: Session, network: Network, way: Way, seed: int = 1) -> Run:
    """Run the whole network in one of the ways.

    Raises:
        UserError: a kernel did not end well; with its last words.
    """
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(SIDES)) as pool:
        folder = Path(name)
        memory, place = folder / "memory", folder / "calendar"
        memory.write_bytes(bytes(MEMORY_BYTES))
        is_calendar = way is Way.CALENDAR
        shared = None if way is Way.ONE else Shared(memory_bytes=MEMORY_BYTES, waits=not is_calendar)
        parts: list[tuple[int, ...]] = [SIDES] if way is Way.ONE else [(side,) for side in SIDES]
        paces, spent_s = [Pace(network.ends_s) for _ in parts], [0.0]
        with _calendar(place, len(parts), round(network.trunk_delay_us * 1e3)) if is_calendar else nullcontext([0.0]) as calendar:
            stop, started = threading.Event(), []
            for number, (sides, pace) in enumerate(zip(parts, paces, strict=True)):
                out = folder / f"out-{number}"
                out.mkdir()
                joined = None if way is Way.ONE else Joined(number, memory, place if is_calendar else None)
                job = _job(network.model_copy(update={"sides": sides, "shared": shared}), joined, seed)
                said: list[str] = []
                outside = Outside(out, pace.hear, said.append, on_end=spent_s.append, stop=stop)
                started.append((pool.submit(session.run, job, outside), said))
            try:
                for future, said in started:
                    if (status := future.result()) != 0:
                        raise UserError("\n".join([f"{way.value}: a kernel's command ended with exit code {status}", *said[-LAST_WORDS:]]))
            finally:
                stop.set()  # a kernel whose neighbour has failed would wait for it
        real_s = max(pace.ended_s - pace.began_s for pace in paces if pace.began_s is not None and pace.ended_s is not None)
        received = {file.stem: int(file.read_text()) for file in sorted(folder.glob("out-*/h*.txt"))}
        return Run(way, real_s / network.seconds, sum(spent_s), calendar[0], received, _checksum(folder, network))


def _job(network: Network, joined: Joined | None, seed: int) -> Job:
    files: dict[str, bytes | Path] = {"network.json": network.model_dump_json().encode(), **modules_inside(HERE)}
    template = (HERE / "forward.p4").read_text()
    for side in network.sides:
        files[f"s{side}.json"] = _compiled(networks.program(template, network, side))
    return Job(
        ["python3", "-m", "bench.studies.several_kernels.inside", "/job", "/out"],
        seed,
        files=files,
        environment=inside_environment(PYTHONPATH=LOADED),
        joined=joined,
    )


def _compiled(program: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name, "forward.p4")
        source.write_text(program)
        return compile_program(source, Path(name)).json.read_bytes()


@contextmanager
def _calendar(place: Path, count: int, window_ns: int) -> Iterator[list[float]]:
    """A calendar process; the list has its processor seconds afterwards."""
    command = [sys.executable, "-m", "bench.studies.several_kernels.window_calendar", str(place), str(count), str(window_ns)]
    spent_s = [0.0]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise UserError("the calendar has not begun")
            yield spent_s
        finally:
            os.kill(process.pid, signal.SIGTERM)  # not terminate(), which would forget its processor time if it has ended
            spent_s[0] = wait_and_account(process)


def _checksum(folder: Path, network: Network) -> str:
    lines = []
    for file in sorted(folder.glob("out-*/ports.csv")):
        with file.open(newline="") as stream:
            for row in csv.DictReader(stream):
                if row["direction"] == "egress" and STARTS_S <= int(row["time_ns"]) / NS_PER_S <= network.ends_s:
                    lines.append(" ".join([row["switch"], *(row[name] for name in COUNTED)]))
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:DIGITS]
