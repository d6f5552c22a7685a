"""The scenario file of a chain of switches, to find out what the testbed costs and carries."""

from __future__ import annotations

from itertools import pairwise

DELAY_MS = 20.0
SCENARIO = """\
schema = 2
title = "A chain of {count} switches"
socket_buffer_mb = 64

[topology]
kind = "graph"
switches = {switches}
attached = {{ a = "s1", b = "s{count}" }}
access = {{ rate_mbps = {rate_mbps}, delay_ms = {access_ms}, queue_bytes = {queue_bytes} }}
trunk = {{ rate_mbps = {rate_mbps}, delay_ms = {trunk_ms}, queue_bytes = {queue_bytes} }}
links = {links}

{transmissions}
[run]
schemes = ["cubic"]
duration_s = {seconds}
attempts = {attempts}
"""


def scenario(count: int, connections: int, rate_mbps: int, seconds: float, attempts: int = 3) -> str:
    """The scenario file of a chain of switches with all connections from one end to the other."""
    names = [f"s{number}" for number in range(1, count + 1)]
    links = "[" + ", ".join(f'["{one}", "{other}"]' for one, other in pairwise(names)) + "]"
    return SCENARIO.format(
        count=count,
        switches=str(names).replace("'", '"'),
        access_ms=2 if count > 1 else DELAY_MS / 2,
        trunk_ms=(DELAY_MS - 4) / max(count - 1, 1),
        links=links,
        transmissions="".join(f'[[transmissions]]\nname = "t{number}"\nsender = "a"\nreceiver = "b"\n\n' for number in range(connections)),
        rate_mbps=rate_mbps,
        queue_bytes=round(rate_mbps * 2 * DELAY_MS * 1e3 / 8),
        seconds=seconds,
        attempts=attempts,
    )
