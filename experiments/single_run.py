"""One run: all transmissions of a scenario with one scheme, from start to measured values."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from experiments.fidelity import FidelityVerdict
from experiments.link_account import LinkAccountant
from experiments.samples import Series, received_bytes, sender_column
from experiments.statistics import first_data_s, jain_index, mean_bps, reduced_at_s
from hosts.plan import DATA_PORT, NODECTL, Plan, TransmissionPlan
from protocol.errors import UserError
from protocol.variant import Decision
from scenario.file import BITS_PER_MEGABIT, Scenario, Transmission
from topo.child_process import ChildProcess
from topo.testbed import Testbed

NEGOTIATED_SCHEME = NODECTL
READY_S = 30.0
WARM_UP_S = 4.0
FINISH_GRACE_S = 15.0


@dataclass(frozen=True)
class TransmissionResult:
    """What one transmission of a run came to."""

    name: str
    mean_bps: float
    """Mean payload throughput over the scenario's last ``measure_last_s`` seconds."""
    retransmitted_packets: int
    congestion_control: str
    """Its source: the kernel's own, or BPF."""
    negotiation: str
    """How the negotiation ended: allocated, unanswered, refused, or none where the scheme negotiates nothing."""
    lead_s: dict[str, float] = field(default_factory=dict)
    """For each earlier transmission that was reduced for this one: by how many seconds the reduction came before this one's first data."""


@dataclass(frozen=True)
class RunResult:
    """One run of one scheme."""

    scheme: str
    repetition: int
    attempt: int
    start_s: float
    folder: Path
    transmissions: dict[str, TransmissionResult]
    queue_drops: int
    """Packets that the links' queues dropped during the run."""
    link_losses: int
    jain: float
    """Jain's index of the transmissions that send in the measured seconds."""
    verdict: FidelityVerdict

    def as_json(self) -> dict[str, Any]:
        """The result as a JSON-able dictionary."""
        return asdict(self) | {"folder": str(self.folder)}


class SingleRun:
    """Runs one scheme once on a testbed that is up.

    Args:
        testbed: the running network.
        scenario: what is transmitted.
        scheme: congestion control of all transmissions.
        folder: where the samples go; must exist.
        on_progress: called with the seconds since the start of the transmissions.
    """

    def __init__(
        self, testbed: Testbed, scenario: Scenario, scheme: str, folder: Path, on_progress: Callable[[float], None] = lambda _s: None
    ) -> None:
        self._testbed = testbed
        self._scenario = scenario
        self._scheme = scheme
        self._folder = folder
        self._on_progress = on_progress

    def execute(self, repetition: int, attempt: int) -> RunResult:
        """Start hosts, let them transmit, stop them, and work the samples up.

        Raises:
            UserError: a host did not start, or ended early.
        """
        with contextlib.ExitStack() as hosts:
            self._start_receivers(hosts)
            start_s = time.monotonic() + WARM_UP_S
            sending = sorted({transmission.sender for transmission in self._scenario.transmissions})
            senders = [self._start_sender(hosts, host, start_s) for host in sending]
            for child in senders:
                child.wait_ready(READY_S)
            if time.monotonic() > start_s:
                raise UserError(
                    "the hosts' programs took longer to start than the run waits for them", "the machine is too busy; try again"
                )
            accountant = LinkAccountant(self._testbed.switches)
            self._wait(start_s)
            self._finish(senders)
            links = accountant.close()
        results = {transmission.name: self._evaluate(transmission, start_s) for transmission in self._scenario.transmissions}
        return RunResult(
            scheme=self._scheme,
            repetition=repetition,
            attempt=attempt,
            start_s=start_s,
            folder=self._folder,
            transmissions=results,
            queue_drops=links.queue_drops,
            link_losses=links.loss_drops,
            jain=jain_index([results[name].mean_bps for name in self._scenario.measured_together]),
            verdict=links.verdict(),
        )

    def _start_receivers(self, hosts: contextlib.ExitStack) -> None:
        receivers = []
        for host in sorted({transmission.receiver for transmission in self._scenario.transmissions}):
            command = [
                sys.executable, "-m", "hosts", "receive",
                "--bind", self._testbed.plan.hosts[host].ip,
                "--port", str(DATA_PORT),
                "--samples", str(self._receiver_samples(host)),
            ]  # fmt: skip
            if self._testbed.plan.is_multipath:
                command.append("--multipath")
            child = self._testbed.start_on_host(host, f"the receiver on {host}", command, self._folder / f"receiver-{host}.log")
            hosts.callback(child.stop)
            receivers.append(child)
        for child in receivers:
            child.wait_ready(READY_S)

    def _start_sender(self, hosts: contextlib.ExitStack, host: str, start_s: float) -> ChildProcess:
        plan = Plan(
            transmissions=tuple(self._plan(t, start_s) for t in self._scenario.transmissions if t.sender == host),
            sample_interval_s=self._testbed.sample_interval_s,
        )
        file = self._folder / f"sender-{host}-plan.json"
        file.write_text(plan.model_dump_json(indent=1) + "\n")
        command = [sys.executable, "-m", "hosts", "send", "--plan", str(file)]
        child = self._testbed.start_on_host(host, f"the sender on {host}", command, self._folder / f"sender-{host}.log")
        hosts.callback(child.stop)
        return child

    def _plan(self, transmission: Transmission, start_s: float) -> TransmissionPlan:
        return TransmissionPlan(
            to=IPv4Address(self._testbed.plan.hosts[transmission.receiver].ip),
            name=transmission.name,
            port=DATA_PORT,
            cc=self._scheme,
            multipath=transmission.multipath,
            min_rate_bps=round(transmission.min_rate_mbps * BITS_PER_MEGABIT),
            max_rate_bps=round((transmission.max_rate_mbps or self._scenario.topology.access.rate_mbps) * BITS_PER_MEGABIT),
            bytes=transmission.size_bytes,
            start_at=start_s + transmission.start_s,
            stop_at=start_s + (transmission.stop_s or self._scenario.run.duration_s),
            refreshes=Decision.D5 in self._scenario.variant,
            samples=self._sender_samples(transmission),
            summary=self._summary(transmission),
        )

    def _wait(self, start_s: float) -> None:
        while (elapsed := time.monotonic() - start_s) < self._scenario.run.duration_s:
            self._on_progress(max(0.0, elapsed))
            time.sleep(min(0.25, self._scenario.run.duration_s - elapsed))
        self._on_progress(self._scenario.run.duration_s)

    def _finish(self, senders: list[ChildProcess]) -> None:
        for child in senders:
            try:
                status = child.wait(FINISH_GRACE_S)
            except subprocess.TimeoutExpired:
                raise UserError(f"{child.name} did not end in time", f"its log: {child.log}") from None
            if status != 0:
                raise UserError(f"{child.name} ended with exit code {status}\n{child.log_tail()}", f"its log: {child.log}")

    def _evaluate(self, transmission: Transmission, start_s: float) -> TransmissionResult:
        summary = json.loads(self._summary(transmission).read_text())
        end_s = start_s + self._scenario.run.duration_s
        received = self.received(transmission)
        return TransmissionResult(
            name=transmission.name,
            mean_bps=mean_bps(received, end_s - self._scenario.run.measure_last_s, end_s),
            retransmitted_packets=int(summary["retransmits"]),
            congestion_control=str(summary["congestion_control_source"]),
            negotiation=str(summary["negotiation"]),
            lead_s=self._leads(transmission, received, start_s) if self._scheme == NEGOTIATED_SCHEME else {},
        )

    def _leads(self, newcomer: Transmission, received: Series, start_s: float) -> dict[str, float]:
        first_s = first_data_s(received)
        if first_s is None:
            return {}
        leads = {}
        for earlier in self._scenario.transmissions:
            if earlier.start_s < newcomer.start_s:
                allocated = sender_column(self._sender_samples(earlier), "allocated_rate_bps")
                reduced_s = reduced_at_s(allocated, start_s + newcomer.start_s)
                if reduced_s is not None:
                    leads[earlier.name] = first_s - reduced_s
        return leads

    def received(self, transmission: Transmission) -> Series:
        """Payload bytes of a transmission that had arrived, over time."""
        return received_bytes(self._receiver_samples(transmission.receiver), self._summary(transmission))

    def _receiver_samples(self, host: str) -> Path:
        return self._folder / f"receiver-{host}.csv"

    def _sender_samples(self, transmission: Transmission) -> Path:
        return self._folder / f"sender-{transmission.name}.csv"

    def _summary(self, transmission: Transmission) -> Path:
        return self._folder / f"sender-{transmission.name}.json"
