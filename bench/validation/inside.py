"""Runs in virtual time: one of two hosts sends over a bottleneck, and the other records the arrivals.

``python -m bench.validation.inside JOB OUT``; JOB is a :class:`TwoHosts`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from common.errors import UserError
from hosts.clock import sleep_until_ns
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.testbed import Testbed, TestbedOptions

READY_S = 30.0
START_IN_S = 1.0
DRAIN_S = 1.0
SENDER, RECEIVER = "h1", "h2"
ACCESS_MBPS = 100_000.0


class TwoHosts(BaseModel):
    """A job: two hosts with a bottleneck between them, and their traffic.

    Args:
        packet_bytes: MTU of the hosts.
        rate_mbps, delay_ms: of the bottleneck.
        kind: datagrams at the times of ``/job/plan.npy``, or a paced connection.
        seconds: how long it sends.
        pacing_bytes_per_s: of the connection.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    packet_bytes: int = 1500
    rate_mbps: float
    delay_ms: float
    kind: Literal["datagrams", "paced"]
    seconds: float
    pacing_bytes_per_s: int = 0

    @property
    def scenario(self) -> Scenario:
        """Its network: no queue ever drops, the access links take next to no time, and neither do switches."""
        return Scenario.model_validate(
            {
                "title": "Two hosts",
                "packet_bytes": self.packet_bytes,
                "socket_buffer_mb": 64,
                "computing": {"pipeline_us": 0},
                "topology": {
                    "kind": "dumbbell",
                    "pairs": 1,
                    "access": {"rate_mbps": ACCESS_MBPS, "queue_packets": 1_000_000},
                    "bottleneck": {"rate_mbps": self.rate_mbps, "delay_ms": self.delay_ms, "queue_packets": 1_000_000},
                },
                "transmissions": [{"name": "A", "sender": SENDER, "receiver": RECEIVER}],
                "run": {"schemes": ["reno"], "duration_s": 1},
            }
        )


def main(job_file: Path, out: Path) -> int:
    """Do it, and leave ``arrivals.npy`` (and ``sent.npy``) in ``out``."""
    job = TwoHosts.model_validate_json(job_file.read_text())
    plan = plan_network(job.scenario)
    logs = Path("/run")
    with Testbed(plan, TestbedOptions(folder=logs, labels={})) as testbed:
        address, interface = plan.hosts[RECEIVER].ip, plan.hosts[RECEIVER].interface
        module = [sys.executable, "-m"]
        recording = [*module, "bench.validation.arrivals", interface, str(out / "arrivals.npy")]
        recorder = testbed.start_on_host(RECEIVER, "the recorder", recording, logs / "recorder.log", may_end=True)
        recorder.wait_ready(READY_S)
        start_ns = time.monotonic_ns() + round(START_IN_S * 1e9)
        if job.kind == "datagrams":
            sending = ["bench.validation.datagrams", str(job_file.parent / "plan.npy"), str(out / "sent.npy"), address, str(start_ns)]
        else:
            sink = testbed.start_on_host(RECEIVER, "the sink", [*module, "bench.validation.paced", "sink"], logs / "sink.log", may_end=True)
            sink.wait_ready(READY_S)
            sending = ["bench.validation.paced", address, str(job.pacing_bytes_per_s), str(job.seconds)]
        sleep_until_ns(start_ns - round(START_IN_S * 5e8))
        sender = testbed.start_on_host(SENDER, "the sender", [*module, *sending], logs / "sender.log", may_end=True)
        try:
            status = sender.wait(READY_S + 2 * job.seconds)
        except subprocess.TimeoutExpired:
            raise UserError(f"the sender does not end\n{sender.log_tail()}") from None
        if status != 0:
            raise UserError(f"the sender ended with exit code {status}\n{sender.log_tail()}")
        time.sleep(DRAIN_S)
        recorder.stop()
        if not (out / "arrivals.npy").exists():
            raise UserError(f"nothing was recorded\n{recorder.log_tail()}")
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(Path(sys.argv[1]), Path(sys.argv[2])))
