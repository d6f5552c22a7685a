"""The costs of computing for a controller in real time: the defaults of virtual time (topo/computing.py, docs/timing.md).

    python -m bench.studies.controller_costs

event:    the time of an event, from a packet-in taken from gRPC to the last packet-out handed to gRPC, by the controller's own clock
record:   the time on top of it for each entry of the packet-outs, when a newcomer makes 1, 10, 100 and 1000 others slow down
channel:  half of the time of a small P4Runtime request to the embedded switch over loopback, gRPC at both ends included

Medians, since other work of the machine makes single times long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from finsy import P4Client
from finsy.proto import p4r

from bench.studies.controller_latency import process
from bench.tools import embedded
from common.units import MS_PER_S, US_PER_MS
from protocol.constants import CPU_PORT

RECORDS = (1, 10, 100, 1000)
BETWEEN_REQUESTS_S = 0.002


def costs_ms(rounds: int) -> tuple[float, float]:
    """(of an event, of an entry)."""
    entries, took_ms = [], []
    for records in RECORDS:
        controller, _ = asyncio.run(process(records, rounds))
        entries.append(records + (rounds - 1) / 2 + 1)  # each round has one more; and the read of the totals
        took_ms.append(controller.p50_ms)
        print(f"{entries[-1]:.0f} entries: {took_ms[-1]:.3f} ms")
    # By relative errors: the largest one would decide alone otherwise.
    record_ms, event_ms = np.polyfit(entries, took_ms, 1, w=[1 / took for took in took_ms])
    return float(event_ms), float(record_ms)


async def channel_s(requests: int, grpc_port: int) -> float:
    """One way to the embedded switch."""
    address = f"127.0.0.1:{grpc_port}"
    switch = {"name": "s1", "device_id": 1, "grpc_addr": address, "cpu_port": CPU_PORT, "ports": []}
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / "switch.json"
        description.write_text(json.dumps({"switches": [switch]}))
        with subprocess.Popen([embedded("p4switch").command, "run", description], stdout=subprocess.PIPE, text=True) as running:
            try:
                assert running.stdout is not None
                assert "ready" in running.stdout.readline()
                async with P4Client(address) as client:
                    took_s = []
                    for _ in range(requests):
                        started_s = time.monotonic()
                        await client.request(p4r.CapabilitiesRequest())
                        took_s.append(time.monotonic() - started_s)
                        await asyncio.sleep(BETWEEN_REQUESTS_S)
            finally:
                running.terminate()
    return statistics.median(took_s) / 2


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--grpc-port", type=int, default=50051, help="of the embedded switch")
    parser.add_argument("--requests", type=int, default=1000)
    options = parser.parse_args()
    event_ms, record_ms = costs_ms(options.rounds)
    print(f"event {event_ms:.3f} ms, record {US_PER_MS * record_ms:.2f} µs")
    print(f"channel, one way: {MS_PER_S * asyncio.run(channel_s(options.requests, options.grpc_port)):.3f} ms")


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(main)
