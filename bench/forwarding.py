"""How many packets a second of processor time a switch forwards between two interfaces.

Frames go in by a raw socket on one veth pair and are counted as they come out of another. Not the rate is measured but the
processor time of the switch process, so that a busy machine changes little. The program brings its routes, so that no controller
is needed.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from protocol.errors import UserError

from .tools import Tool

FRAME_BYTES = 200
BURST = 32
READY_S = 15.0
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Forwarding:
    """Medians over the runs."""

    owner: str
    packets_per_cpu_s: float
    sent_packets: int
    lost_fraction: float
    runs: int


@contextmanager
def interfaces() -> Iterator[tuple[str, str, str, str]]:
    """Two veth pairs: outside in, inside in, inside out, outside out."""
    mark = f"{os.getpid() % 100_000:05d}"
    names = (f"b{mark}a", f"b{mark}b", f"b{mark}c", f"b{mark}d")
    try:
        for one, other in (names[:2], names[2:]):
            subprocess.run(["ip", "link", "add", one, "type", "veth", "peer", "name", other], check=True)
        for name in names:
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
            subprocess.run(["ip", "link", "set", name, "up", "promisc", "on"], check=True)
        yield names
    finally:
        for name in (names[0], names[2]):
            subprocess.run(["ip", "link", "del", name], stderr=subprocess.DEVNULL, check=False)


def _received(interface: str) -> int:
    return int(Path(f"/sys/class/net/{interface}/statistics/rx_packets").read_text())


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def _frame() -> bytes:
    header = Ether(src="02:00:00:00:01:01", dst="02:00:00:00:00:01") / IP(src="10.0.1.1", dst="10.0.2.4") / UDP(sport=1000, dport=2000)
    return bytes(header / Raw(bytes(FRAME_BYTES - len(header))))


def send_frames(interface: str, seconds: float, packets_per_s: int) -> int:
    """Sends frames at a steady rate; how many."""
    frame = _frame()
    sent = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((interface, 0))
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            if sent >= elapsed * packets_per_s:
                time.sleep(0.0005)
                continue
            for _ in range(BURST):
                with suppress(BlockingIOError):
                    raw.send(frame)
                    sent += 1
    return sent


def _once(tool: Tool, program: Path, port: int, seconds: float, packets_per_s: int) -> tuple[float, int, float]:
    with interfaces() as (outside_in, inside_in, inside_out, outside_out):
        ports = ["-i", f"1@{inside_in}", "-i", f"2@{inside_out}"]
        command = [str(tool.command), *ports, str(program), "--", "--grpc-server-addr", f"127.0.0.1:{port}"]
        switch = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            give_up = time.monotonic() + READY_S
            while _received(outside_out) == 0:
                if switch.poll() is not None or time.monotonic() > give_up:
                    raise UserError(f"{tool.command} does not forward (is port {port} free?)")
                send_frames(outside_in, 0.05, 1000)
            send_frames(outside_in, 0.2, packets_per_s)
            time.sleep(0.3)
            before_cpu, before = _cpu_s(switch.pid), _received(outside_out)
            sent = send_frames(outside_in, seconds, packets_per_s)
            time.sleep(0.3)
            forwarded, cpu_s = _received(outside_out) - before, _cpu_s(switch.pid) - before_cpu
        finally:
            switch.send_signal(signal.SIGTERM)
            try:
                switch.wait(5)
            except subprocess.TimeoutExpired:
                switch.kill()
                switch.wait()
    return forwarded / max(cpu_s, 1 / CLOCK_TICKS), sent, 1 - forwarded / max(sent, 1)


def measure(tools: Sequence[Tool], program: Path, port: int, runs: int, seconds: float, packets_per_s: int) -> list[Forwarding]:
    """Forward with every switch in turn, `runs` times.

    Raises:
        UserError: a switch does not start or does not forward.
    """
    all_: dict[str, list[tuple[float, int, float]]] = {tool.owner: [] for tool in tools}
    for _ in range(runs):
        for tool in tools:
            all_[tool.owner].append(_once(tool, program, port, seconds, packets_per_s))
    return [
        Forwarding(owner, statistics.median(r for r, _, _ in runs_), sum(s for _, s, _ in runs_), max(f for _, _, f in runs_), len(runs_))
        for owner, runs_ in all_.items()
    ]
