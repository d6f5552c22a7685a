"""Samples of the queues of one port, added to a synthetic run: one queue whose packets wait, and one without."""

from __future__ import annotations

from engine.collect.description import CellDescription
from tests.view.recording.synthetic_run import BEGIN_S, SyntheticRun

HEADER = "time_ns,switch,port,queue,packets,bytes,tx_packets,tx_bytes,drops"
INTERVAL_S = 0.05
SHORT, LONG = 0, 3
"""Numbers of the queues."""

LONG_PACKETS = 40
DROPS_A_SAMPLE = 2
LAST_CHANGE_S = 4.0
"""From then on nothing of them changes, so no more lines come."""


def add_queues(run: SyntheticRun, cell: CellDescription, switch: str, port: int) -> None:
    """Write ``queues.csv`` of a cell, with a port's two queues."""
    lines = [HEADER]
    for number in range(1, round(LAST_CHANGE_S / INTERVAL_S) + 1):
        time_ns = round((BEGIN_S + number * INTERVAL_S) * 1e9)
        lines.append(f"{time_ns},{switch},{port},{SHORT},1,1000,{number},{1000 * number},0")
        lines.append(f"{time_ns},{switch},{port},{LONG},{LONG_PACKETS},40000,{9 * number},{9000 * number},{DROPS_A_SAMPLE * number}")
    (run.logs(cell) / "queues.csv").write_text("\n".join(lines) + "\n")
