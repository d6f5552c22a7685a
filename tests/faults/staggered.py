"""A run for tests of faults: three transmissions over one bottleneck of 36 Mbit/s on a whole testbed, at 0, 5 and 10 s."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.installation import PROJECT
from controller.status_client import ask
from hosts.plan import NODECTL
from tests.harness.scenario_file import load_scenario
from topo.child_process import ChildProcess
from topo.layout import plan_network
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

SCENARIO = PROJECT / "scenario" / "examples" / "staggered.toml"
GRPC_BASE_PORT = 50171
"""Not the default, nor that of other tests."""
BOTTLENECK = ("s1", 4)
READY_S = 30.0
WARM_UP_S = 4.0
CHECK_INTERVAL_S = 0.1


@contextlib.contextmanager
def staggered_testbed(folder: Path, toolchain: Toolchain, *, with_nodectl: bool = True) -> Iterator[Testbed]:
    """The scenario's network, up."""
    scenario = load_scenario(SCENARIO)
    plan = plan_network(scenario, GRPC_BASE_PORT)
    labels = {f"{plan.hosts[t.sender].ip}>{plan.hosts[t.receiver].ip}": t.name for t in scenario.transmissions}
    options = TestbedOptions(folder, labels, (NODECTL,) if with_nodectl else (), toolchain=toolchain)
    with Testbed(plan, options) as testbed:
        yield testbed


class StaggeredRun:
    """The transmissions on a testbed that is up. Time is seconds since A's start."""

    def __init__(self, testbed: Testbed, folder: Path, duration_s: float) -> None:
        self.testbed = testbed
        self.folder = folder
        self.shares: list[tuple[float, dict[str, float]]] = []
        """The controller's shares of the bottleneck, Mbit/s by name, with the time (s) of each look that it answered."""
        transmissions = load_scenario(SCENARIO).transmissions
        receivers = [self._start(t.receiver, "receiver", ["receive", "--bind", self._ip(t.receiver)]) for t in transmissions]
        self.start_s = time.monotonic() + WARM_UP_S
        stop_s = self.start_s + duration_s
        self.senders = [
            self._start(
                t.sender, "sender",
                ["send", "--to", self._ip(t.receiver), "--name", t.name, "--cc", NODECTL,
                 "--start-at", f"{self.start_s + t.start_s:.3f}", "--stop-at", f"{stop_s:.3f}",
                 "--samples", str(self.samples(t.name)), "--summary", str(folder / f"{t.name}.json")],
            )
            for t in transmissions
        ]  # fmt: skip
        for child in [*receivers, *self.senders]:
            child.wait_ready(READY_S)
        assert time.monotonic() < self.start_s, "the programs took too long to start"

    def samples(self, name: str) -> Path:
        """A transmission's samples."""
        return self.folder / f"{name}.csv"

    def go_on_until(self, at_s: float) -> None:
        """Let time pass, as a run does: with checks, and a look at the shares."""
        while (elapsed_s := time.monotonic() - self.start_s) < at_s:
            self.testbed.check(self.start_s)
            with contextlib.suppress(UserError):
                self.shares.append((elapsed_s, self._shares()))
            time.sleep(min(CHECK_INTERVAL_S, max(0.0, at_s - elapsed_s)))

    def _shares(self) -> dict[str, float]:
        if self.testbed.parts["controller"].is_over:
            raise UserError("the controller is not there")
        ports: list[dict[str, Any]] = ask(self.testbed.controller_socket, "ports")["ports"]
        (port,) = [port for port in ports if (port["switch"], port["port"]) == BOTTLENECK]
        return {share["name"]: share["rate_bps"] / 1e6 for share in port["shares"]}

    def _ip(self, host: str) -> str:
        return self.testbed.plan.hosts[host].ip

    def _start(self, host: str, kind: str, arguments: list[str]) -> ChildProcess:
        command = [sys.executable, "-m", "hosts", *arguments]
        log = self.folder / f"{kind}-{host}.log"
        return self.testbed.start_on_host(host, f"the {kind} on {host}", command, log, may_end=kind == "sender")
