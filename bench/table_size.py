"""What entries cost: how many are written in a second, how much memory each takes, and how much slower packets are looked up."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .forwarding import SETTLE_S, packets_per_cpu_s
from .generator import frames, send
from .interfaces import interfaces, received
from .processes import resident_bytes
from .switch_under_test import compile_program, routes, running
from .tools import PROJECT, Tool

PROGRAM = PROJECT / "bench" / "programs" / "ipv4.p4"
KINDS = {"exact": "MATCH_EXACT", "lpm": "MATCH_LPM", "ternary": "MATCH_TERNARY", "range": "MATCH_RANGE"}
FIRST = 0x0A000000
STEP = 13
"""Between addresses: they are no row without gaps."""
DESTINATIONS = 1000
"""Different addresses that packets go to, all over the table."""
FRAME_BYTES = 64
LOOKED_AT_LEAST = 10


@dataclass(frozen=True)
class TableSize:
    """A table of one size."""

    kind: str
    entries: int
    entries_per_s: float
    bytes_per_entry: float
    packets_per_cpu_s: float


def measure(tool: Tool, kind: str, sizes: Sequence[int], folder: Path, port: int, seconds: float) -> list[TableSize]:
    """Fill a table of a kind to each size, in a switch of its own, and forward.

    Raises:
        UserError: the switch does not start.
    """
    program = compile_program(PROGRAM, folder, KINDS[kind])
    rows = []
    for size in sizes:
        addresses = [FIRST + STEP * number for number in range(size)]
        requests = [request.SerializeToString() for request in routes(program, "routes", "forward", addresses)]
        chosen = random.Random(size).choices(addresses, k=DESTINATIONS)
        with interfaces() as between, running(tool, program, between, port) as switch:
            before_bytes = resident_bytes(switch.process.pid)
            started = time.perf_counter()
            for request in requests:
                switch.write_bytes(request)
            written_s = time.perf_counter() - started
            grown_bytes = resident_bytes(switch.process.pid) - before_bytes
            lines = frames(FRAME_BYTES, chosen)
            _wait(between.outside_in, between.outside_out, lines)
            rate = packets_per_cpu_s(switch.process.pid, between, lines, seconds)
        rows.append(TableSize(kind, size, size / written_s, grown_bytes / size, rate))
    return rows


def _wait(into: str, out_of: str, lines: str) -> None:
    for _ in range(LOOKED_AT_LEAST):
        send(lines, into, 1000, 0.05)
        if received(out_of) > 0:
            return
        time.sleep(SETTLE_S)
