"""A TCP connection from one host through one switch to another: its speed, and its cost to the switch."""

from __future__ import annotations

import ipaddress
import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from common.errors import UserError

from .forwarding import Subject, forwarder
from .generator import DESTINATION_IP, frames
from .hosts import Hosts, hosts
from .interfaces import interfaces
from .processes import cpu_s, end

SMALL_FRAME_BYTES = 64
SPARE_S = 20.0
"""For everything but the transfer itself."""


@dataclass(frozen=True)
class Tcp:
    """Medians over the runs."""

    owner: str
    program: str
    receives_by: str | None
    mbit_per_s: float
    """Of payload, at the receiver."""
    processors: float
    """That the forwarding process kept busy."""
    runs: int


def measure(subjects: Sequence[Subject], port: int, runs: int, seconds: float) -> list[Tcp]:
    """One connection through every one in turn, `runs` times.

    Raises:
        UserError: a switch does not start or does not forward, or iperf3 does not measure.
    """
    measured = [[_one(subject, port, seconds) for subject in subjects] for _ in range(runs)]
    rows = []
    for number, subject in enumerate(subjects):
        rate, processors = (statistics.median(run[number][index] for run in measured) for index in range(2))
        rows.append(Tcp(subject.owner, subject.program_name, subject.receives_by, rate, processors, runs))
    return rows


def _one(subject: Subject, port: int, seconds: float) -> tuple[float, float]:
    with interfaces() as between, forwarder(subject, between, port, frames(SMALL_FRAME_BYTES)) as pid, hosts(between) as ends:
        before_s = cpu_s(pid)
        mbit_per_s, lasted_s = _transfer(ends, seconds)
        return mbit_per_s, (cpu_s(pid) - before_s) / lasted_s


def _transfer(ends: Hosts, seconds: float) -> tuple[float, float]:
    """Mbit/s and seconds of a transfer by iperf3, which takes whole seconds."""
    address = str(ipaddress.ip_address(DESTINATION_IP))
    iperf3 = [["ip", "netns", "exec", host, "iperf3"] for host in ends]
    with subprocess.Popen([*iperf3[1], "--server", "--one-off", "--forceflush"], stdout=subprocess.PIPE, text=True) as server:
        try:
            _wait_until_listening(server)
            command = [*iperf3[0], "--json", "--time", str(max(1, round(seconds))), "--client", address]
            result = subprocess.run(command, capture_output=True, check=True, timeout=seconds + SPARE_S)
            received = json.loads(result.stdout)["end"]["sum_received"]
            return received["bits_per_second"] / 1e6, received["seconds"]
        except (KeyError, ValueError, subprocess.SubprocessError) as error:
            raise UserError(f"iperf3 did not measure: {error}") from error
        finally:
            end(server)


def _wait_until_listening(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    for line in server.stdout:
        if "listening" in line:
            return
    raise UserError("iperf3 does not listen")
