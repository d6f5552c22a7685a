"""One session at the prompt: its lines, and the parts of its answers that are compared."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.installation import PROJECT

ON_HOSTS = Path(__file__).parent / "on_hosts"
LISTEN_S = 8
RATE_S = 10
PORT_OF_RATES = 80
"""One that packet filters let through more often than iperf's own."""

ANSWER_TO = re.compile(r"^nodectl [0-9.]+ s> (.*)$")
RATE = re.compile(r"([0-9.]+) ([KMG])bits/sec")
MBPS = {"K": 1e-3, "M": 1.0, "G": 1e3}


@dataclass(frozen=True)
class Session:
    """The outcome of a session.

    Args:
        received: frames by host, in hexadecimal digits.
        sent: how many frames all hosts have sent.
        reached: the results that `pingall` prints in the end.
        rates_mbps: of TCP, in the order asked for, Mbit/s of payload.
    """

    received: dict[str, list[str]]
    sent: int
    reached: str
    rates_mbps: list[float]


def lines_of(hosts: Sequence[str], pairs: Sequence[tuple[str, str]], first: Sequence[str] = ()) -> list[str]:
    """Lines for the prompt.

    Args:
        hosts: all of the network's.
        pairs: between which TCP is to be measured.
        first: lines before all others.
    """
    lines = [*first, "pingall"]
    lines += [f"{host} {_program('receive.py')} {LISTEN_S} > /tmp/{host}.received &" for host in hosts]
    lines.append("run 500ms")
    lines += [f"{host} {_program('send.py')} {' '.join([host, *(other for other in hosts if other != host)])}" for host in hosts]
    lines.append(f"run {LISTEN_S}s")
    lines += [f"{host} cat /tmp/{host}.received" for host in hosts]
    for number, (sender, receiver) in enumerate(pairs):
        port = PORT_OF_RATES + number
        lines += [f"{receiver} iperf -s -p {port} > /tmp/iperf-{number} &", "run 500ms"]
        lines.append(f"{sender} iperf -c {receiver} -p {port} -t {RATE_S}")
    return lines


def carried_out(command: Sequence[str], lines: Sequence[str]) -> Session:
    """A session of ``testbed cli`` or ``testbed tutorial``.

    Args:
        command: the words behind ``testbed``.
        lines: for the prompt.

    Raises:
        UserError: it did not come to its end; the message has its last words.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as script:
        script.write("\n".join(lines) + "\n")
        script.flush()
        words = [sys.executable, "-m", "testbed", *command, "--script", script.name]
        done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{' '.join(command)}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return said(done.stdout)


def said(text: str) -> Session:
    """The parts of a session's text that are compared."""
    received: dict[str, list[str]] = {}
    host = ""
    for line in text.splitlines():
        if (question := ANSWER_TO.match(line)) is not None:
            asked = re.match(r"(\S+) cat /tmp/\S+\.received$", question[1])
            host = asked[1] if asked else ""
            received |= {host: []} if host else {}
        elif host and line.startswith("received "):
            received[host].append(line.split()[1])
    reached = re.findall(r"\*\*\* Results: (.*)", text)
    return Session(
        received,
        sum(int(number) for number in re.findall(r"^sent (\d+)", text, re.MULTILINE)),
        reached[0] if reached else "",
        [float(number) * MBPS[unit] for number, unit in RATE.findall(text)],
    )


def _program(name: str) -> str:
    """A program in one line, since no file of a scenario's has to be there for it."""
    packed = base64.b64encode(zlib.compress((ON_HOSTS / name).read_bytes(), 9)).decode()
    return f"python3 -c \"import zlib,base64;exec(zlib.decompress(base64.b64decode('{packed}')))\""
