"""Frames to send, and the program that sends them (``switch/crates/ports/examples/packet_generator.rs``)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from .tools import RELEASE

SOURCE_IP = 0x0A000101
"""10.0.1.1"""
DESTINATION_IP = 0x0A000204
"""10.0.2.4"""
FRAMES = 64
"""Different frames, at least: the generator hands over many at once."""
LEAST_BYTES = 16
"""A frame has more: the generator's stamp takes these."""


@dataclass(frozen=True)
class Sent:
    """The figures that the generator prints."""

    sent: int
    seconds: float
    timed: int
    median_us: float
    p99_us: float
    max_us: float


@cache
def example(name: str) -> Path:
    """A program beside the switch's crates, compiled."""
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--workspace", "--example", name]
    subprocess.run(command, cwd=RELEASE.parents[1], check=True)
    return RELEASE / "examples" / name


def frames(frame_bytes: int, destinations: Sequence[int] = (DESTINATION_IP,)) -> str:
    """A frame for each destination, over and over until there are enough, in hexadecimal, a line each. No UDP checksum: payloads change."""
    header = (
        Ether(src="02:00:00:00:01:01", dst="02:00:00:00:00:01") / IP(src=str(ip_address(SOURCE_IP))) / UDP(sport=1000, dport=2000, chksum=0)
    )
    lines = []
    for destination in destinations:
        header[IP].dst = str(ip_address(destination))
        lines.append(bytes(header / Raw(bytes(frame_bytes - len(header)))).hex())
    return over_and_over(lines)


def over_and_over(frames: list[str]) -> str:
    """Frames in hexadecimal, a line each, repeated until there are enough."""
    return "\n".join(frames * -(-FRAMES // len(frames))) + "\n"


def mean_bytes(lines: str) -> int:
    """The mean length of frames, in bytes."""
    lengths = [len(line) // 2 for line in lines.split()]
    return round(sum(lengths) / len(lengths))


def send(lines: str, out_of: str, packets_per_s: float, seconds: float, into: str | None = None) -> Sent:
    """Sends frames at a rate (0: as fast as it can) and times them if they come back by an interface."""
    command = [str(example("packet_generator")), out_of, into or "-", str(packets_per_s), str(seconds)]
    result = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return Sent(**json.loads(result.stdout))
