"""Interfaces to forward between, and their counts of frames."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

UP_WITHIN_S, LOOK_S = 10.0, 0.005


class Interfaces(NamedTuple):
    """Two veth pairs: frames go in at the one's outside and come out at the other's."""

    outside_in: str
    inside_in: str
    inside_out: str
    outside_out: str


@contextmanager
def interfaces() -> Iterator[Interfaces]:
    """The pairs, up and quiet, until the end of the block."""
    mark = f"{os.getpid() % 100_000:05d}"
    names = Interfaces(*(f"b{mark}{letter}" for letter in "abcd"))
    try:
        for one, other in (names[:2], names[2:]):
            add_pair(one, other)
        yield names
    finally:
        for name in (names.outside_in, names.inside_out):
            subprocess.run(["ip", "link", "del", name], stderr=subprocess.DEVNULL, check=False)


def add_pair(one: str, other: str) -> None:
    """Two ends of one veth pair, up and quiet: frames that are sent from now on arrive.

    Raises:
        TimeoutError: the kernel does not let frames through.
    """
    subprocess.run(["ip", "link", "add", one, "type", "veth", "peer", "name", other], check=True)
    for name in (one, other):
        Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
        subprocess.run(["ip", "link", "set", name, "up", "promisc", "on"], check=True)
    for name in (one, other):
        _wait_until_up(name)


def _wait_until_up(interface: str) -> None:
    """The kernel lets frames through a little after it was told to; earlier frames are lost.

    Raises:
        TimeoutError: it does not.
    """
    state = Path(f"/sys/class/net/{interface}/operstate")
    deadline_s = time.monotonic() + UP_WITHIN_S
    while state.read_text().strip() != "up":
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"{interface} is {state.read_text().strip()}, {UP_WITHIN_S:g} s after it was set up")
        time.sleep(LOOK_S)


def received(interface: str) -> int:
    """Frames that have come in at an interface."""
    return int(Path(f"/sys/class/net/{interface}/statistics/rx_packets").read_text())
