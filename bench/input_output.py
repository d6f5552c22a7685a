"""The cost of a frame by each way of input and output, without a switch (``switch/crates/ports/examples/forwarder_by``)."""

from __future__ import annotations

import statistics
import subprocess
from dataclasses import dataclass

from common.errors import UserError

from .forwarding import packets_per_cpu_s, wait_until_it_forwards
from .generator import example, frames, send
from .interfaces import interfaces
from .processes import end

SWITCH = "ring_in"
"""The switch's own way: in by PACKET_MMAP version 2, out by ``sendmmsg``."""
METHODS = (SWITCH, "recvmsg", "recvmmsg", "packet_mmap_v2", "packet_mmap_v3", "io_uring", "af_xdp_generic", "af_xdp_native")
TIMED_PACKETS_PER_S = 1000
"""Few, so that a frame comes alone: this shows the cost of a method that waits for company."""


@dataclass(frozen=True)
class InputOutput:
    """Medians over the runs."""

    method: str
    frame_bytes: int
    packets_per_cpu_s: float
    of_switch: float
    """Beside the switch's own way, in the same round."""
    median_us: float
    """One way, frames that come alone."""
    p99_us: float
    runs: int


def measure(runs: int, seconds: float, frame_bytes: int, skipped: list[str]) -> list[InputOutput]:
    """Forward by every method in turn, `runs` times; a method that this kernel does not have is told in `skipped`.

    Raises:
        UserError: the switch's own method does not work.
    """
    lines = frames(frame_bytes)
    methods = list(METHODS)
    rounds: list[dict[str, tuple[float, float, float]]] = []
    for _ in range(runs):
        rounds.append({})
        for method in tuple(methods):
            try:
                rounds[-1][method] = _one(method, lines, seconds)
            except UserError as error:
                if method == SWITCH:
                    raise
                methods.remove(method)
                skipped.append(f"input and output, {frame_bytes} bytes: {error}")
    rows = []
    for method in methods:
        rates, medians_us, p99s_us = (statistics.median(each[method][index] for each in rounds) for index in range(3))
        part = statistics.median(each[method][0] / each[SWITCH][0] for each in rounds)
        rows.append(InputOutput(method, frame_bytes, rates, part, medians_us, p99s_us, runs))
    return rows


def _one(method: str, lines: str, seconds: float) -> tuple[float, float, float]:
    with interfaces() as between:
        process = subprocess.Popen([str(example("forwarder_by")), method, between.inside_in, between.inside_out])
        try:
            wait_until_it_forwards(f"forwarder_by {method}", process, between, lines)
            timed = send(lines, between.outside_in, TIMED_PACKETS_PER_S, seconds, into=between.outside_out)
            return packets_per_cpu_s(process.pid, between, lines, seconds), timed.median_us, timed.p99_us
        finally:
            end(process)
