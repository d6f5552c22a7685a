"""The solution of lab 6, computed from a run: prints answers.toml.

.venv/bin/python labs/06-congestion-seen/solution/answers.py results/latest
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

SCHEMES = ("reno", "cubic", "bbr")
RATE_BPS = 10e6
FRAME_BYTES, PAYLOAD_BYTES = 1514, 1448


def answers(run: Path) -> dict[str, dict[str, float | str]]:
    """All tables of answers.toml, of a folder of results."""
    reno, cubic, bbr = (values(run, scheme) for scheme in SCHEMES)
    queues = {scheme: bottleneck(run, scheme) for scheme in SCHEMES}
    longest = {scheme: max(float(row["queue_packets"]) for row in rows) for scheme, rows in queues.items()}
    base_rtt_ms = reno["handshake_rtt_ms.first"]
    first, second = cubic["mean_mbps.first"], cubic["mean_mbps.second"]
    dropped, sent = (float(queues["cubic"][-1][name]) for name in ("queue_drops", "tx_packets"))
    return {
        "path": {
            "base_rtt_ms": base_rtt_ms,
            "bdp_packets": RATE_BPS * base_rtt_ms / 1e3 / (8 * FRAME_BYTES),
        },
        "throughput": {
            "cubic_together_mbps": first + second,
            "reno_wire_mbps": reno["total_mbps"] * FRAME_BYTES / PAYLOAD_BYTES,
        },
        "fairness": {
            "cubic_jain": (first + second) ** 2 / (2 * (first**2 + second**2)),
        },
        "queue": {
            "reno_most_packets": longest["reno"],
            "bbr_most_packets": longest["bbr"],
            "reno_full_delay_ms": longest["reno"] * 8 * FRAME_BYTES / RATE_BPS * 1e3,
            "cubic_loss_percent": 100 * dropped / (dropped + sent),
        },
        "delay": {
            "cubic_rtt_ms": cubic["smoothed_rtt_ms"],
            "bbr_rtt_ms": bbr["smoothed_rtt_ms"],
        },
        "who": {
            "least_fair": min(SCHEMES, key=lambda scheme: values(run, scheme)["jain"]),
            "least_delay": min(SCHEMES, key=lambda scheme: values(run, scheme)["smoothed_rtt_ms"]),
            "most_dropped": max(SCHEMES, key=lambda scheme: values(run, scheme)["queue_drops"]),
        },
    }


def values(run: Path, scheme: str) -> dict[str, float]:
    """The values of a scheme's run."""
    content: dict[str, Any] = json.loads((run / "cells" / "run" / "all" / f"{scheme}-1.json").read_text())
    return dict(content["values"])


def bottleneck(run: Path, scheme: str) -> list[dict[str, str]]:
    """The samples of the queue between s1 and s2, in the order of their times."""
    with (run / "logs" / f"run_all_{scheme}-1" / "ports.csv").open(newline="") as stream:
        return [row for row in csv.DictReader(stream) if (row["switch"], row["port"], row["direction"]) == ("s1", "3", "egress")]


def toml(value: float | str) -> str:
    """A value as answers.toml has it."""
    return json.dumps(value) if isinstance(value, str) else f"{value:.6g}"


if __name__ == "__main__":
    for table, of_table in answers(Path(sys.argv[1])).items():
        print(f"[{table}]")
        for name, value in of_table.items():
            print(f"{name} = {toml(value)}")
