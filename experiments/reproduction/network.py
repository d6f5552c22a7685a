"""A network that stays up while cell after cell is measured on it: links are changed, transmissions carried out."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from types import TracebackType
from typing import Any

from experiments.link_account import LinkAccountant
from experiments.reproduction.transfers import Outcome, Sending, TransferRun
from experiments.samples import ReceiverSamples
from experiments.standstills import read_standstills
from hosts.cca import loader
from hosts.plan import DATA_PORT, Plan, TransmissionPlan
from protocol.errors import UserError
from scenario.file import BITS_PER_MEGABIT, LinkParameters
from topo.child_process import ChildProcess
from topo.management import LinkStatistics
from topo.network_plan import PortPlan, SwitchPlan
from topo.testbed import Testbed

READY_S = 30.0
START_IN_S = 0.2
"""From handing out the plans until the first transmission starts: time for the senders to read them."""

FINISH_GRACE_S = 10.0
COMMAND_S = 10.0
SETTLE_S = 15.0
POLL_S = 0.02
WATCH_S = 0.1
MILLISECONDS = 1e-3


class RunningNetwork:
    """Context manager around a testbed that is not entered yet. Programs on the hosts are started once and serve all cells."""

    def __init__(self, testbed: Testbed) -> None:
        self.testbed = testbed
        self.plan = testbed.plan
        self._agents: dict[str, ChildProcess] = {}
        self._links: dict[tuple[str, str], LinkParameters] = {}

    def __enter__(self) -> RunningNetwork:
        self.testbed.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.testbed.__exit__(kind, error, trace)

    def why_missing(self, scheme: str) -> str | None:
        """Why no transmission can have this congestion control here; None if it can."""
        if scheme in self.testbed.missing_schemes:
            return self.testbed.missing_schemes[scheme]
        return None if loader.can_be_chosen(scheme) else "this kernel does not have it"

    # Links

    def link(self, sender: str, receiver: str) -> LinkParameters:
        """The link from ``sender`` to its neighbour ``receiver`` (either may be a host), as it is set now."""
        return self._links.get((sender, receiver)) or self._planned(sender, receiver)

    def set_link(self, sender: str, receiver: str, *, seed: int | None = None, both_ways: bool = True, **changes: Any) -> None:
        """Change a link until the end of the cell.

        Args:
            sender, receiver: neighbours; either may be a host.
            seed: where the sequence of random losses begins.
            both_ways: also the direction from ``receiver`` to ``sender``.
            changes: fields of ``LinkParameters``: ``delay_ms``, ``queue_packets``, ``loss_percent``, ``control_loss_percent``,
                ``rate_mbps``. The controller does not learn of another rate.

        Raises:
            UserError: there is no such link, or a value is impossible.
        """
        link = LinkParameters.model_validate(self.link(sender, receiver).model_dump() | changes)
        self._apply(sender, receiver, link, seed)
        if both_ways:
            self.set_link(receiver, sender, seed=None if seed is None else seed + 1, both_ways=False, **changes)

    def restore_links(self) -> None:
        """Set every link back to the plan."""
        for sender, receiver in list(self._links):
            self._apply(sender, receiver, self._planned(sender, receiver), None)
        self._links.clear()

    def _planned(self, sender: str, receiver: str) -> LinkParameters:
        return self._end_of(sender, receiver)[1].link

    def _apply(self, sender: str, receiver: str, link: LinkParameters, seed: int | None) -> None:
        switch, port, direction = self._end_of(sender, receiver)
        fields: dict[str, Any] = {
            "rate_bps": link.rate_bps,
            "delay_us": link.delay_us,
            "queue": {"packets": link.queue_packets},
            "loss": link.loss,
            "control_loss": link.control_loss,
        }
        if seed is not None:
            fields["seed"] = seed
        self.testbed.switches.set_link(switch.name, port.number, direction, **fields)
        self._links[sender, receiver] = link

    def _end_of(self, sender: str, receiver: str) -> tuple[SwitchPlan, PortPlan, str]:
        """Where the direction from ``sender`` to ``receiver`` is modelled: a switch's port, and which side of it."""
        if sender in self.plan.switches:
            return self.plan.switches[sender], self.plan.switches[sender].port_to(receiver), "egress"
        return self.plan.switches[receiver], self.plan.switches[receiver].port_to(sender), "ingress"

    # Transmissions

    def transmit(
        self, sendings: Sequence[Sending], folder: Path, *, duration_s: float | None = None, watch_links: bool = False
    ) -> TransferRun:
        """Carry out transmissions and wait until all have ended and the network is empty again.

        Args:
            sendings: who sends what to whom. What says neither when to stop nor how much to send stops at ``duration_s``.
            folder: for samples.
            duration_s: the latest end, seconds after the start.
            watch_links: take all links' counters every 100 ms meanwhile.

        Raises:
            UserError: a host could not do it, or did not end in time.
        """
        receivers = {host: self._agent(host) for host in sorted({sending.receiver for sending in sendings})}
        hosts = sorted({sending.sender for sending in sendings})
        senders = {host: self._agent(host) for host in hosts}
        samples = {host: folder / f"receiver-{host}.csv" for host in receivers}
        for host, child in receivers.items():
            self._record_to(child, samples[host])
        accountant = LinkAccountant(self.testbed.switches)
        start_s = time.monotonic() + START_IN_S
        for host, child in senders.items():
            plan = Plan(transmissions=tuple(self._plan(s, folder, start_s, duration_s) for s in sendings if s.sender == host))
            file = folder / f"plan-{host}.json"
            file.write_text(plan.model_dump_json(indent=1) + "\n")
            child.tell(json.dumps({"command": "send", "plan": str(file)}))
        limit_s = max(sending.latest_end_s(duration_s) for sending in sendings) + START_IN_S + FINISH_GRACE_S
        watched: list[tuple[float, list[LinkStatistics]]] = []

        def watch() -> None:
            if watch_links:
                watched.append((time.monotonic(), self.testbed.switches.link_statistics()))

        for child in senders.values():
            self._await(child, "sent", limit_s, watch)
        end_s = time.monotonic()
        self.settle({(sending.sender, sending.receiver) for sending in sendings})
        links = accountant.close()
        for child in receivers.values():
            self._record_to(child, None)
        received = {host: ReceiverSamples(file) for host, file in samples.items()}
        standstills_file = self.testbed.standstills_file
        outcomes = {sending.name: Outcome.read(sending, folder, received[sending.receiver]) for sending in sendings}
        return TransferRun(
            folder=folder,
            start_s=start_s,
            end_s=end_s,
            links=links,
            outcomes=outcomes,
            standstills=None if standstills_file is None else read_standstills(standstills_file, start_s, end_s),
            watched=watched,
        )

    def command(self, host: str, *command: str) -> str:
        """Run a short command on a host, e.g. ``ip`` or ``sysctl``, and return what it prints.

        Raises:
            UserError: it failed; with its own words.
        """
        output, error, status = self.testbed.mininet.get(host).pexec(*command)
        if status != 0:
            raise UserError(f"{host}: {' '.join(command)}: {(output + error).strip()}")
        return str(output)

    def settle(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Wait until no packet is in any queue or on any link between these pairs of hosts.

        Raises:
            UserError: there is still traffic after a long time.
        """
        deadline_s = time.monotonic() + SETTLE_S
        delay_s = max(self.path_delay_s(sender, receiver) for sender, receiver in pairs)
        time.sleep(delay_s)
        while any(link.queue_packets for link in self.testbed.switches.link_statistics()):
            if time.monotonic() > deadline_s:
                raise UserError("the queues do not run empty: something still sends")
            time.sleep(POLL_S)
        time.sleep(delay_s)

    def path_delay_s(self, sender: str, receiver: str) -> float:
        """Propagation delay of the way from one host to another, seconds."""
        hops = self.plan.next_hops(receiver)
        here = self.plan.attachment(sender)[0].name
        delay_ms = self.link(sender, here).delay_ms
        while here != receiver:
            following = hops[here].peer
            delay_ms += self.link(here, following).delay_ms
            here = following
        return delay_ms * MILLISECONDS

    def _plan(self, sending: Sending, folder: Path, start_s: float, duration_s: float | None) -> TransmissionPlan:
        stop_s = sending.stop_s if sending.stop_s is not None else duration_s
        fields: dict[str, Any] = {
            "to": IPv4Address(self.plan.hosts[sending.receiver].ip),
            "name": sending.name,
            "port": DATA_PORT,
            "cc": sending.scheme,
            "min_rate_bps": round(sending.min_rate_mbps * BITS_PER_MEGABIT),
            "max_rate_bps": round(sending.max_rate_mbps * BITS_PER_MEGABIT),
            "bytes": sending.size_bytes,
            "start_at": start_s + sending.start_s,
            "stop_at": None if stop_s is None else start_s + stop_s,
            "samples": sending.samples_file(folder) if sending.sampled else None,
            "summary": sending.summary_file(folder),
        }
        return TransmissionPlan.model_validate(fields | dict(sending.extra))

    # Programs on the hosts

    def _agent(self, host: str) -> ChildProcess:
        if host not in self._agents:
            command = [sys.executable, "-m", "hosts", "agent", "--bind", self.plan.hosts[host].ip, "--port", str(DATA_PORT)]
            if self.plan.is_multipath:
                command.append("--multipath")
            log = self.testbed.options.folder / f"agent-{host}.log"
            child = self.testbed.start_on_host(host, f"the agent on {host}", command, log, takes_commands=True)
            child.wait_ready(READY_S)
            self._agents[host] = child
        return self._agents[host]

    def _record_to(self, child: ChildProcess, file: Path | None) -> None:
        child.tell(json.dumps({"command": "samples", "file": None if file is None else str(file)}))
        self._await(child, "samples", COMMAND_S)

    def _await(self, child: ChildProcess, wanted: str, limit_s: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        deadline_s = time.monotonic() + limit_s
        while True:
            event = child.next_event(min(WATCH_S, max(0.0, deadline_s - time.monotonic())))
            meanwhile()
            if event is None and (child.process.poll() is not None or time.monotonic() > deadline_s):
                state = "did not answer in time" if child.process.poll() is None else "has ended"
                raise UserError(f"{child.name} {state} ({wanted})\n{child.log_tail()}".rstrip(), f"its log: {child.log}")
            if event is not None and event.get("event") == "error":
                raise UserError(f"{child.name}: {event.get('message')}", f"its log: {child.log}")
            if event is not None and event.get("event") == wanted:
                if event.get("status", 0) != 0:
                    raise UserError(f"{child.name}: a transmission failed\n{child.log_tail()}".rstrip(), f"its log: {child.log}")
                return
