"""How many packets a second of processor time a switch forwards between two interfaces, how many it loses, and how long they take.

Beside it, a forwarder without a switch runs in the same round, between interfaces of the same kind, with the same input and output
(``switch/crates/ports/examples/bare_forwarder.rs``). The difference between both figures is the switch. The benchmark measures the
processor time of the forwarding process, not its rate, at more packets than it can take, so that a busy machine changes little.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from finsy.proto import p4r

from common.errors import UserError

from .generator import DESTINATION_IP, SOURCE_IP, Sent, example, frames, mean_bytes, send
from .interfaces import Interfaces, interfaces, received
from .processes import CLOCK_TICKS, cpu_s, end
from .switch_under_test import PORT_IN, PORT_OUT, Compiled, routes, running
from .tools import Tool

BARE = "bare forwarder"
RING, MESSAGES = WAYS = ("ring", "messages")
"""How the switch and the bare forwarder can receive frames: from memory shared with the kernel (what they do by themselves), or by system
calls."""
READY_S = 15.0
SETTLE_S = 0.3
LOSS_FREE = 1e-4
"""At most this part of the frames is lost, at a rate that is called loss-free: a virtual machine stands still now and then."""
SEARCH_SECONDS = 1.0
SEARCH_STEPS = 6
MOST_SEARCH_STEPS = 12
"""For a switch that is so slow that the first steps find no rate at all."""
LATENCY_ROUNDS = 5
"""Of which the medians are told: a virtual machine stands still now and then, for longer than a frame takes."""
MOST_PACKETS_PER_S = 1_000_000


@dataclass(frozen=True)
class Subject:
    """The subject of a measurement: a switch with a program, or the bare forwarder."""

    owner: str
    tool: Tool
    receives_by: str | None = None
    """One of :data:`WAYS`; another's switch has ways of its own."""
    program: Compiled | None = None
    entries: Sequence[p4r.WriteRequest] = ()
    """A controller writes these before frames come."""

    @property
    def program_name(self) -> str:
        """For tables of figures."""
        return self.program.name if self.program else "—"


@dataclass(frozen=True)
class Forwarding:
    """Medians over the runs."""

    owner: str
    program: str
    receives_by: str | None
    frame_bytes: int
    packets_per_cpu_s: float
    of_bare: float
    """Its part of the packets a processor second of the bare forwarder that receives in the same way, in the same round."""
    runs: int


@dataclass(frozen=True)
class RateAndLatency:
    """The loss-free rate, and the latency at half of it."""

    owner: str
    program: str
    receives_by: str | None
    frame_bytes: int
    loss_free_packets_per_s: float
    median_us: float
    p99_us: float


def bare(receives_by: str) -> Subject:
    """The yardstick."""
    return Subject(BARE, Tool(BARE, example("bare_forwarder")), receives_by)


def subjects(tools: Sequence[Tool], programs: Sequence[tuple[Compiled, Sequence[p4r.WriteRequest]]]) -> list[Subject]:
    """Every switch with every program and its entries: the first switch, the embedded one, by each way, others by their own."""
    embedded, *others = tools
    ways = [*((embedded, way) for way in WAYS), *((tool, None) for tool in others)]
    return [Subject(tool.owner, tool, way, program, entries) for tool, way in ways for program, entries in programs]


@contextmanager
def forwarder(subject: Subject, between: Interfaces, port: int, lines: str) -> Iterator[int]:
    """Lets it forward these frames; yields the number of its process.

    Raises:
        UserError: it does not start or does not forward.
    """
    if subject.program is None:
        process = subprocess.Popen([str(subject.tool.command), str(subject.receives_by), between.inside_in, between.inside_out])
        try:
            wait_until_it_forwards(subject.tool.command, process, between, lines)
            yield process.pid
        finally:
            end(process)
        return
    options = [f"--receive-by={subject.receives_by}"] if subject.receives_by else []
    with running(subject.tool, subject.program, between, port, options) as switch:
        for request in subject.entries:
            switch.write(request)
        wait_until_it_forwards(subject.tool.command, switch.process, between, lines)
        yield switch.process.pid


def both_ways(program: Compiled, table: str, action: str) -> tuple[p4r.WriteRequest, ...]:
    """Routes from each interface to the other."""
    ways = ((DESTINATION_IP, PORT_OUT), (SOURCE_IP, PORT_IN))
    return tuple(request for address, out_of in ways for request in routes(program, table, action, [address], out_of))


def wait_until_it_forwards(name: object, process: subprocess.Popen[Any], between: Interfaces, lines: str) -> None:
    """Sends these frames until one comes out at the other end.

    Raises:
        UserError: none does, or the process has ended.
    """
    give_up = time.monotonic() + READY_S
    while received(between.outside_out) == 0:
        if process.poll() is not None or time.monotonic() > give_up:
            raise UserError(f"{name} does not forward")
        send(lines, between.outside_in, 1000, 0.05)


def packets_per_cpu_s(pid: int, between: Interfaces, lines: str, seconds: float) -> float:
    """At as many packets as the generator sends."""
    send(lines, between.outside_in, 0, 0.1)
    time.sleep(SETTLE_S)
    before_s, before = cpu_s(pid), received(between.outside_out)
    send(lines, between.outside_in, 0, seconds)
    time.sleep(SETTLE_S)
    return (received(between.outside_out) - before) / max(cpu_s(pid) - before_s, 1 / CLOCK_TICKS)


def measure(subjects: Sequence[Subject], port: int, runs: int, seconds: float, lines: str) -> list[Forwarding]:
    """Forward these frames with every one in turn, the bare forwarders before them, `runs` times.

    A switch with ways of its own is held against the bare forwarder that receives by messages.

    Raises:
        UserError: one does not start or does not forward.
    """
    rates: list[list[float]] = []
    everyone = [*map(bare, WAYS), *subjects]
    for _ in range(runs):
        rates.append([])
        for subject in everyone:
            with interfaces() as between, forwarder(subject, between, port, lines) as pid:
                rates[-1].append(packets_per_cpu_s(pid, between, lines, seconds))
    rows = []
    for number, subject in enumerate(everyone):
        rate = statistics.median(run[number] for run in rates)
        yardstick = WAYS.index(subject.receives_by or MESSAGES)
        part = statistics.median(run[number] / run[yardstick] for run in rates)
        rows.append(Forwarding(subject.owner, subject.program_name, subject.receives_by, mean_bytes(lines), rate, part, runs))
    return rows


def rate_and_latency(subject: Subject, port: int, frame_bytes: int) -> RateAndLatency:
    """Searches for the loss-free rate, and times frames at half of it: medians of :data:`LATENCY_ROUNDS`."""
    lines = frames(frame_bytes)
    with interfaces() as between, forwarder(subject, between, port, lines):
        good, bad = 0.0, float(MOST_PACKETS_PER_S)
        for step in range(MOST_SEARCH_STEPS):
            if good and step >= SEARCH_STEPS:
                break
            rate = (good + bad) / 2
            before = received(between.outside_out)
            result = send(lines, between.outside_in, rate, SEARCH_SECONDS)
            time.sleep(SETTLE_S)
            lost = 1 - (received(between.outside_out) - before) / max(result.sent, 1)
            achieved = result.sent / result.seconds
            if lost <= LOSS_FREE:
                good = max(good, achieved)
                if achieved < rate * 0.98:
                    break
            else:
                bad = min(bad, achieved)
        timed = [_timed(lines, between, good / 2) for _ in range(LATENCY_ROUNDS)] if good else []
    median_us = statistics.median(one.median_us for one in timed) if timed else 0.0
    p99_us = statistics.median(one.p99_us for one in timed) if timed else 0.0
    return RateAndLatency(subject.owner, subject.program_name, subject.receives_by, frame_bytes, good, median_us, p99_us)


def _timed(lines: str, between: Interfaces, packets_per_s: float) -> Sent:
    return send(lines, between.outside_in, packets_per_s, 2 * SEARCH_SECONDS, into=between.outside_out)
