"""One run of a cell on a network that is up: the transmissions are carried out, the scenario's events happen, samples are read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

from common.errors import UserError
from common.units import MS_PER_S
from engine.collect.entries import EntryCounter
from engine.collect.link_account import LinkAccountant
from engine.collect.processor_standstills import read_standstills
from engine.collect.run_data import RunData, read_transmissions, sender_samples
from engine.collect.samples import ReceiverSamples
from engine.execute.event_player import EventPlayer, killed_hosts
from engine.execute.network import COMMAND_S, RunningNetwork
from engine.execute.start_moment import wait_for_moment
from engine.plan.cell import Cell
from engine.plan.queue_programs import managed_switches
from hosts.plan import Plan, TransmissionPlan
from protocol.constants import TCP_DATA_PORT
from protocol.variant import Decision
from scenario.transmissions import Transmission
from topo.layout import plan_network

START_IN_S = 0.3
"""From handing out the plans until the first transmission starts: time for the hosts' programs to read them."""

PLANNING_S = 0.002
"""More of it for each transmission."""

FINISH_GRACE_S = 15.0


@dataclass
class CellRun:
    """One attempt at a cell.

    Args:
        network: up and idle.
        cell: the cell to measure.
        folder: empty, for samples.
        on_progress: called now and then with the seconds since the start of the transmissions.
    """

    network: RunningNetwork
    cell: Cell
    folder: Path
    on_progress: Callable[[float], None] = lambda _seconds: None
    _start_s: float = field(default=0.0, init=False)

    def carry_out(self) -> RunData:
        """Run it from its start to the last packet.

        Raises:
            UserError: a part of the testbed ended that should not have, or a host could not do it: there is no result.
        """
        network, scenario, testbed = self.network, self.cell.scenario, self.network.testbed
        transmissions = scenario.all_transmissions
        senders = sorted({t.sender for t in transmissions})
        receivers = sorted({t.receiver for t in transmissions})
        network.killable_hosts = killed_hosts(scenario)
        for host in sorted({*senders, *receivers}):
            network.agent(host)
        moment_s = wait_for_moment(len(network.plan.hosts))
        network.prepare(scenario, plan_network(scenario, network.plan.grpc_base_port))
        received_files = {host: self.folder / f"receiver-{host}.csv" for host in receivers}
        network.record(received_files)
        entries, accountant = EntryCounter(), LinkAccountant(testbed.switches, managed_switches(scenario, network.plan))
        begin_s = time.monotonic() if moment_s is None else moment_s
        self._start_s = begin_s + START_IN_S + PLANNING_S * len(transmissions)
        run = scenario.run
        accountant.watch_window(self._start_s + run.measure_from_s, self._start_s + run.measured_to_s)
        player = EventPlayer(network, scenario, self._start_s)
        testbed.switches.start_traces(self._start_s)
        summaries = {host: self._tell(host, [t for t in transmissions if t.sender == host]) for host in senders}
        if time.monotonic() > self._start_s:
            raise UserError("the hosts' programs took too long to read their plans", "the machine is too busy; try again")

        def poll() -> None:
            now_s = time.monotonic()
            testbed.check(self._start_s)
            player.play(now_s)
            accountant.look(now_s)
            self.on_progress(now_s - self._start_s)

        deadline_s = self._start_s + scenario.run.duration_s + FINISH_GRACE_S
        for host in senders:
            left_s = max(0.0, deadline_s - time.monotonic())
            sent = network.answer(network.agent(host), "sent", left_s, poll, may_end=host in player.doomed_hosts)
            if sent is not None and sent["failed"] and not player.has_faults:
                raise UserError(f"on {host}, transmissions failed: {', '.join(sent['failed'])}", f"the log: {network.agent(host).log}")
        end_s = time.monotonic()
        player.finish()
        network.settle({(t.sender, t.receiver) for t in transmissions}, testbed.check)
        links = accountant.close()
        entries.close(links.frames, testbed.options.folder)
        network.record(dict.fromkeys(receivers))
        work = network.work(scenario.nodectl, is_whole=not player.has_faults) if scenario.workloads else None
        testbed.check()
        return RunData(
            scenario=scenario,
            scheme=self.cell.scheme,
            folder=self.folder,
            start_s=self._start_s,
            end_s=end_s,
            links=links,
            transmissions=read_transmissions(
                transmissions,
                self.folder,
                summaries,
                {host: ReceiverSamples(file) for host, file in received_files.items() if host not in player.doomed_hosts},
                {host: one.ip for host, one in network.plan.hosts.items()},
            ),
            standstills=read_standstills(testbed.standstills_file, self._start_s, end_s),
            happened=sorted(player.happened),
            takeover_s=player.takeover_s,
            work=work,
        )

    def _tell(self, host: str, transmissions: list[Transmission]) -> Path:
        summaries = self.folder / f"summaries-{host}.jsonl"
        plan = Plan(
            transmissions=tuple(self._plan(one) for one in transmissions),
            sample_interval_s=self.cell.scenario.run.sample_ms / MS_PER_S,
            summaries=summaries,
        )
        file = self.folder / f"plan-{host}.json"
        file.write_text(plan.model_dump_json(indent=1) + "\n")
        agent = self.network.agent(host)
        self.network.command(agent, "send", plan=str(file))
        self.network.answer(agent, "sending", COMMAND_S)
        return summaries

    def _plan(self, transmission: Transmission) -> TransmissionPlan:
        scenario, plan = self.cell.scenario, self.network.plan
        return TransmissionPlan(
            to=IPv4Address(plan.hosts[transmission.receiver].ip),
            name=transmission.name,
            port=TCP_DATA_PORT,
            cc=transmission.scheme or self.cell.scheme,
            multipath=transmission.multipath,
            other_addresses=tuple(one.address.ip for one in plan.interfaces(transmission.sender)[1:]) if transmission.other_paths else (),
            min_rate_bps=transmission.min_rate_bps,
            max_rate_bps=scenario.max_rate_bps(transmission),
            bytes=transmission.size_bytes,
            start_at=self._start_s + transmission.start_s,
            stop_at=self._start_s + (transmission.stop_s or scenario.run.duration_s),
            refreshes=Decision.REFRESHED in scenario.nodectl,
            variant=scenario.variant,
            samples=sender_samples(self.folder, transmission) if transmission.sampled else None,
        )
