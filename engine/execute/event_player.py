"""Makes the events of a scenario happen at their times, and notes what happened."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.takeover import TOOK_OVER
from engine.execute.network import RunningNetwork
from engine.plan.ideal import capacity_changes, changed, directions_of
from scenario.events import Event
from scenario.links import LinkParameters
from scenario.scenario import Scenario

HOST = "host "
"""How a scenario names a host's program: ``host h1``."""


@dataclass
class EventPlayer:
    """Plays the events of one run.

    Args:
        network: the one they happen to.
        scenario: the one with the events.
        start_s: when the transmissions start, CLOCK_MONOTONIC seconds.
    """

    network: RunningNetwork
    scenario: Scenario
    start_s: float
    happened: list[tuple[float, str]] = field(default_factory=list)
    """Seconds after the start, and the event in words."""
    takeover_s: float | None = None
    """From a controller's restart until the shares were right on the last of its switches."""

    def __post_init__(self) -> None:
        self._due = sorted(self.scenario.events, key=lambda event: event.at_s)
        plan = self.network.plan
        self._now: dict[tuple[str, str], LinkParameters] = {one: plan.direction(*one) for one in plan.directions()}
        changes = capacity_changes(self.scenario, plan, traces=self.scenario.tells_traces)
        self._capacities = [change for change in changes if change[2] > 0]
        """A port whose link is cut keeps its capacity: nobody tells a controller that a cable has broken."""
        self._told = bool(self._capacities)
        self._down: set[tuple[str, str]] = set()
        self._killed: set[str] = set()
        self._restarted_at_s = self.start_s

    @property
    def has_faults(self) -> bool:
        """Whether transmissions may fail because the scenario wants it."""
        return any(event.action in ("kill", "link_down") for event in self.scenario.events)

    @property
    def doomed_hosts(self) -> set[str]:
        """Hosts whose programs are killed at some time of the run; nobody knows how much they received."""
        return killed_hosts(self.scenario)

    def play(self, now_s: float) -> None:
        """Play everything that is due.

        Raises:
            UserError: it could not be done.
        """
        while self._due and self._due[0].at_s <= now_s - self.start_s:
            event = self._due.pop(0)
            self._play(event)
            self.happened.append((now_s - self.start_s, str(event)))
        while self._capacities and self._capacities[0][0] <= now_s - self.start_s:
            _, direction, rate_bps = self._capacities.pop(0)
            self.network.tell_capacity(*direction, rate_bps)
        for told in self.network.testbed.take_events():
            if told["event"] == TOOK_OVER:
                self._note_takeover(told)

    def finish(self) -> None:
        """Mend what is broken, so that the network can serve another run; if it cannot, it says so."""
        self.network.testbed.switches.stop_traces()
        for here, there in sorted(self._down):
            self.network.set_up(here, there, up=True)
        for host in self.doomed_hosts:
            self.network.forget_agent(host)
        self.network.is_broken |= bool(self._killed) or self._told

    def _note_takeover(self, told: Mapping[str, Any]) -> None:
        right_s = told["shares_right_at_s"]
        self.takeover_s = max(self.takeover_s or 0.0, right_s - self._restarted_at_s)
        changed_records = f"{told['records']} records, reduced {told['reduced']}, offered more to {told['offered']}"
        took = f"shares right {right_s - self._restarted_at_s:.3f} s after the restart"
        self.happened.append((right_s - self.start_s, f"{told['switch']}: the controller has taken over {changed_records}: {took}"))

    def _play(self, event: Event) -> None:
        testbed = self.network.testbed
        if event.kill is not None:
            testbed.kill(part_name(event.kill))
            self._killed.add(event.kill)
        elif event.restart is not None:
            testbed.restart(part_name(event.restart))
            self._killed.discard(event.restart)
            self._restarted_at_s = time.monotonic()
        for direction in directions_of(event):
            if event.action == "set_link":
                before = self._now[direction]
                self._now[direction] = changed(before, event)
                self.network.change_direction(*direction, before, self._now[direction])
            else:
                up = event.action == "link_up"
                self.network.set_up(*direction, up=up)
                (self._down.discard if up else self._down.add)(direction)


def killed_hosts(scenario: Scenario) -> set[str]:
    """Hosts whose programs the scenario kills."""
    return {event.kill.removeprefix(HOST) for event in scenario.events if event.kill and event.kill.startswith(HOST)}


def part_name(named: str) -> str:
    """The testbed's name for a part that a scenario names ``controller``, ``switch`` or ``host h1``."""
    return f"agent on {named.removeprefix(HOST)}" if named.startswith(HOST) else named
