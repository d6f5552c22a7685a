"""Wanted faults, for a scenario's events: a part of a running testbed is killed or started again, a link gets another rate."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from common.errors import UserError
from common.units import BITS_PER_KILOBIT
from controller import capacity_change
from scenario.network_description import MAX_RATE_BPS
from topo.network_plan import NetworkPlan
from topo.watch import Part, Watch

CONTROLLER = "controller"
READY_AGAIN_S = 60.0
KILLED, RESTARTED, CAPACITY_SET = "killed", "restarted", "capacity_set"
"""Events that :meth:`Watch.take_events` gives."""


class Faults:
    """Brings wanted faults about.

    Args:
        plan: the network.
        watch: told that a part's end is wanted before it ends.
        start_controller: starts another controller with the capacities that hold now, and has it watched under the same name.
        controller_socket: the controller's status socket; None: it has none, and cannot be told of rates.
    """

    def __init__(self, plan: NetworkPlan, watch: Watch, start_controller: Callable[[], Part], controller_socket: Path | None) -> None:
        self.capacities_bps: dict[tuple[str, int], int] = {}
        """Rates that links were given since, by switch and port: a controller that starts again has to know them."""
        self._plan = plan
        self._watch = watch
        self._start_controller = start_controller
        self._controller_socket = controller_socket
        self._untold: list[tuple[str, int]] = []

    def kill(self, name: str) -> None:
        """Kill a part with SIGKILL. That it is gone is no error from then on.

        Raises:
            UserError: there is no such part, or it has ended already.
        """
        part = self._watch.part(name)
        child = part.child
        if not part.is_running:
            raise UserError(f"{child.name} cannot be killed: it has ended already")
        child.kill()
        self._watch.note(KILLED, part.name)

    def restart(self, name: str) -> None:
        """Start a part again that was killed, or that is to begin anew, in which case it is ended first. Does not wait until it is ready.

        Raises:
            UserError: there is no such part, or it is none that can be started again.
        """
        part = self._watch.part(name)
        child = part.child
        if part.name != CONTROLLER:
            raise UserError(
                f"{child.name} cannot be restarted", "only the controller can: with any other part the links, or the samples, would be gone"
            )
        child.stop()
        self._watch.note(RESTARTED, part.name)
        self._untold.clear()
        part = self._start_controller()
        part.ready_by_s = None if self._controller_socket is None else time.monotonic() + READY_AGAIN_S

    def set_capacity(self, switch: str, port: int, rate_bps: int) -> None:
        """Tell the controller that the link behind a port carries another rate; a controller that is dead is told when it starts again.

        The link itself is not changed (:meth:`topo.management.ManagementClient.set_link` does that).

        Args:
            switch, port: whose port.
            rate_bps: the link's rate in bit/s.

        Raises:
            UserError: there is no such port, the rate is impossible, or the controller does not answer.
        """
        known = self._plan.switches.get(switch)
        if known is None or port not in {plan.number for plan in known.ports}:
            raise UserError(f"there is no port {port} on a switch {switch!r}", f"the switches are {', '.join(self._plan.switches)}")
        if not BITS_PER_KILOBIT <= rate_bps <= MAX_RATE_BPS:
            raise UserError(f"{switch} port {port} cannot have a capacity of {rate_bps} bit/s")
        self.capacities_bps[switch, port] = rate_bps
        if self._controller_socket is None:
            return
        self._untold.append((switch, port))
        self._watch.note(CAPACITY_SET, switch, port=port, rate_bps=rate_bps)
        self.go_on()

    def go_on(self) -> None:
        """Take in the controller's events, and tell it the rates that it could not be told while it was starting.

        Raises:
            UserError: it does not answer, or refuses.
        """
        if self._controller_socket is None:
            return
        controller = self._watch.parts[CONTROLLER]
        self._watch.read_events(controller)
        while self._untold and not controller.is_over and controller.ready_by_s is None:
            switch, port = self._untold.pop(0)
            capacity_change.set_capacity(self._controller_socket, switch, port, self.capacities_bps[switch, port])
