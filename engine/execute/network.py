"""A network that stays up while cell after cell is measured on it: links are set, the hosts' programs told what to do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from common.errors import UserError
from common.units import US_PER_MS, US_PER_S
from controller.status_client import ask
from engine.collect.run_data import SwitchWork
from hosts.cca import loader
from hosts.cca.scheme_names import Scheme
from protocol.constants import TCP_DATA_PORT
from protocol.variant import Variant
from scenario.links import LinkParameters
from scenario.scenario import Scenario
from topo.child_process import ChildProcess
from topo.link_fields import direction_fields, link_seed, pipeline_us
from topo.network_plan import NetworkPlan
from topo.routes import way_between

if TYPE_CHECKING:
    from topo.testbed import Testbed

OVERCOMMITTED = "nodectl_overcommitted"
"""A counter of p4src/nodectl.p4."""

READY_S = 30.0
COMMAND_S = 10.0
SETTLE_S = 15.0
POLL_S = 0.02


class RunningNetwork:
    """Context manager around a testbed that is not entered yet. One program a host serves all cells: it receives, and sends when told."""

    def __init__(self, testbed: Testbed) -> None:
        self.testbed = testbed
        self.plan: NetworkPlan = testbed.plan
        self.is_broken = False
        """A part is gone for good: other cells need another network."""
        self.killable_hosts: Collection[str] | None = None
        """Hosts whose programs somebody may kill, so that each has a process of its own; None: all."""
        self._agents: dict[str, ChildProcess] = {}
        self._links: dict[tuple[str, str], tuple[LinkParameters, int]] = {}
        self._work_before = (0, 0)

    def __enter__(self) -> RunningNetwork:
        self.testbed.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.testbed.__exit__(kind, error, trace)

    def why_missing(self, scheme: Scheme) -> str | None:
        """Why no transmission can have this congestion control here; None if it can."""
        if scheme.text in self.testbed.missing_schemes:
            return self.testbed.missing_schemes[scheme.text]
        return None if loader.can_be_chosen(scheme) else "this kernel does not have it"

    # Links

    def prepare(self, scenario: Scenario, plan: NetworkPlan) -> None:
        """Set every link to what a scenario's plan says, its random losses to where the scenario's seed begins."""
        self.plan = plan
        for here, there in plan.directions():
            self.set_direction(here, there, plan.direction(here, there), link_seed(plan, here, there, scenario.seed))

    def set_direction(self, here: str, there: str, link: LinkParameters, seed: int) -> None:
        """Set a direction of a link, to its neighbour; either end may be a host. Its random losses begin anew.

        Raises:
            UserError: the switch process refuses it.
        """
        draws = link.loss or link.burst_loss or link.byte_error_rate or link.filtered_loss or link.trace
        if self._links.get((here, there)) == (link, seed) and not draws:
            return
        self._set(here, there, **direction_fields(self.plan, there, link), seed=seed)
        self._links[here, there] = link, seed

    def change_direction(self, here: str, there: str, before: LinkParameters, after: LinkParameters) -> None:
        """Change what differs between two descriptions; the rest, and a trace that is running, goes on.

        Raises:
            UserError: the switch process refuses it.
        """
        old, new = direction_fields(self.plan, there, before), direction_fields(self.plan, there, after)
        self._set(here, there, **{name: value for name, value in new.items() if value != old[name]})
        self._links.pop((here, there), None)

    def set_up(self, here: str, there: str, *, up: bool) -> None:
        """Cut a direction of a link, or mend it."""
        self._set(here, there, up=up)

    def _set(self, here: str, there: str, **fields: Any) -> None:
        switch, port, side = self.plan.end_of(here, there)
        self.testbed.switches.set_link(switch.name, port.number, side, **fields)

    def tell_capacity(self, here: str, there: str, rate_bps: float) -> None:
        """Tell the controller the rate that a direction carries now; no switch shares out a direction that a host sends into."""
        if here in self.plan.switches:
            self.testbed.set_capacity(here, self.plan.switches[here].port_to(there).number, round(rate_bps))

    def settle(self, pairs: Iterable[tuple[str, str]], poll: Callable[[], None]) -> None:
        """Wait until no packet is in any queue or on any link between these pairs of hosts.

        Raises:
            UserError: there is still traffic after a long time.
        """
        deadline_s = time.monotonic() + SETTLE_S
        delay_s = max(self.path_delay_s(sender, receiver) for sender, receiver in pairs)
        _pass(delay_s, poll)
        while any(link.queue_packets for link in self.testbed.switches.link_statistics()):
            if time.monotonic() > deadline_s:
                raise UserError("the queues do not run empty: something still sends")
            _pass(POLL_S, poll)
        _pass(delay_s, poll)

    def path_delay_s(self, sender: str, receiver: str) -> float:
        """The longest that the way from one host to another takes during a scenario, without queues and transmission times, seconds."""
        steps = pairwise(way_between(self.plan, sender, receiver))
        return sum(_longest_delay_ms(self.plan.direction(*step)) * US_PER_MS + pipeline_us(self.plan, step[1]) for step in steps) / US_PER_S

    # The switches and the controller

    def work(self, variant: Variant, *, is_whole: bool) -> SwitchWork:
        """Work of the switches and the controller since the last call.

        Args:
            variant: of Nodectl, as it runs.
            is_whole: whether one controller, the testbed's, ran all the time.
        """
        events, entries = self._controller_work() if is_whole else (None, None)
        return SwitchWork(events, entries, self._overcommitted() if variant.design.counts_overcommitted else None)

    def _controller_work(self) -> tuple[int, int] | tuple[None, None]:
        try:
            sessions = ask(self.testbed.controller_socket, "switches")["switches"]
            events, entries = (sum(one[key] for one in sessions) for key in ("events", "entries"))
        except (UserError, KeyError):  # another program in the controller's place need not say
            return None, None
        (events_before, entries_before), self._work_before = self._work_before, (events, entries)
        return events - events_before, entries - entries_before

    def _overcommitted(self) -> int | None:
        try:
            return sum(self.testbed.switches.counted(switch, OVERCOMMITTED) for switch in self.plan.switches)
        except UserError:  # BMv2 does not show its counters there, and another P4 program has none of that name
            return None

    # Programs on the hosts

    def agent(self, host: str) -> ChildProcess:
        """The program of a host, started when it is needed first."""
        if host not in self._agents:
            log = self.testbed.options.folder / f"agent-{host}.log"
            arguments = ["agent", "--bind", self.plan.hosts[host].ip, "--port", str(TCP_DATA_PORT)]
            if self.plan.is_multipath:
                arguments.append("--multipath")
            if (receiving := self.testbed.options.receiving) is not None:
                arguments += ["--cc", receiving]
            is_alone = self.killable_hosts is None or host in self.killable_hosts
            child = self.testbed.start_agent(host, arguments, log, alone=is_alone)
            child.wait_ready(READY_S)
            self._agents[host] = child
        return self._agents[host]

    def forget_agent(self, host: str) -> None:
        """A host's program is gone; it will be started anew when it is needed."""
        self._agents.pop(host, None)

    def record(self, files: Mapping[str, Path | None]) -> None:
        """Have hosts write down what they receive, each into a new file; None: it stops, and the file that it had is complete."""
        agents = {host: self._agents[host] for host in files if host in self._agents}
        for host, child in agents.items():
            self.command(child, "samples", file=None if files[host] is None else str(files[host]))
        for child in agents.values():
            self.answer(child, "samples", COMMAND_S)

    def command(self, child: ChildProcess, command: str, **fields: Any) -> None:
        """Give a host's program a command."""
        child.tell(json.dumps({"command": command, **fields}))

    def answer(
        self, child: ChildProcess, wanted: str, limit_s: float, poll: Callable[[], None] = lambda: None, *, may_end: bool = False
    ) -> dict[str, Any] | None:
        """Wait for an event of a host's program.

        Args:
            child: the program.
            wanted: the event's name; others before it are passed over.
            limit_s: how long to wait.
            poll: called all the while, some ten times a second.
            may_end: the program may end instead, since a fault is wanted.

        Returns:
            The event; None if the program has ended and may.

        Raises:
            UserError: it did not come in time, the program has ended, or says that it could not do it.
        """
        deadline_s = time.monotonic() + limit_s
        while True:
            event = child.next_event(min(0.1, max(0.0, deadline_s - time.monotonic())))
            poll()
            if event is None:
                if child.process.poll() is None and time.monotonic() <= deadline_s:
                    continue
                if may_end and child.process.poll() is not None:
                    return None
                state = "did not answer in time" if child.process.poll() is None else "has ended"
                raise UserError(f"{child.name} {state} ({wanted})\n{child.log_tail()}".rstrip(), f"its log: {child.log}")
            if event.get("event") == "error":
                raise UserError(f"{child.name}: {event.get('message')}")
            if event.get("event") == wanted:
                return event


def _longest_delay_ms(link: LinkParameters) -> float:
    return max([link.delay_ms, *(step.delay_ms for step in link.trace if step.delay_ms is not None)])


def _pass(seconds: float, poll: Callable[[], None]) -> None:
    end_s = time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0:
        poll()
        time.sleep(min(left_s, 0.1))
