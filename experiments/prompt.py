"""The Mininet prompt (`make cli`), with commands that show what the switches have allocated."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from mininet.cli import CLI
from rich.console import Console
from rich.table import Table

from experiments.scenario_run import transmission_labels
from experiments.schemes import bpf_schemes
from experiments.switch_commands import SwitchCommands
from protocol.errors import UserError
from scenario.file import Scenario
from topo.child_process import ChildProcess
from topo.layout import plan_network
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

READY_S = 20.0
START_UP_S = 1.0


class TestbedPrompt(SwitchCommands, CLI):  # type: ignore[misc]
    """Mininet's prompt and the commands `transfer`, `ports`, `records`, `links`, `show` and `trace`."""

    __test__ = False
    prompt = "nodectl> "

    def __init__(self, testbed: Testbed) -> None:
        SwitchCommands.__init__(self)
        self.testbed = testbed
        self.switch_socket = testbed.switch_socket
        self.console = Console()
        self._receivers: dict[str, ChildProcess] = {}
        self._started = 0
        try:
            # Returns when the user leaves the prompt.
            CLI.__init__(self, testbed.mininet)
        finally:
            self.end_traces()

    def do_ports(self, _line: str) -> None:
        """ports: every port's capacity, what is allocated of it, and how many transmissions share it."""
        self._show_status("ports")

    def do_records(self, _line: str) -> None:
        """records: every transmission that a port has a record of, with its rate."""
        self._show_status("records")

    def do_links(self, _line: str) -> None:
        """links: queue, packets sent and lost, and lateness of every link."""
        table = Table("link", "direction", "in queue", "sent", "dropped", "lost", "late p99, ms")
        for link in self.testbed.switches.link_statistics():
            table.add_row(
                link.name, link.direction, str(link.queue_packets), str(link.tx_packets), str(link.queue_drops), str(link.loss_drops),
                f"{link.lateness.p99_us / 1000:.3f}",
            )  # fmt: skip
        self.console.print(table)

    def do_transfer(self, line: str) -> None:
        """transfer FROM TO [SCHEME [SECONDS]]: send data in the background (nodectl, 30 s), then look at records and ports."""
        words = line.split()
        sender, receiver, scheme, seconds = (words + ["nodectl", "30"][len(words) - 2 :])[:4] if 2 <= len(words) <= 4 else [""] * 4
        hosts = self.testbed.plan.hosts
        if sender not in hosts or receiver not in hosts or sender == receiver or not seconds.isdecimal() or not 1 <= int(seconds) <= 3600:
            print(f"usage: transfer FROM TO [SCHEME [SECONDS]]; hosts are {' '.join(hosts)}")
            return
        try:
            if receiver not in self._receivers:
                self._receivers[receiver] = self._start(receiver, "receive", "--bind", hosts[receiver].ip)
            stop_at = f"{time.monotonic() + START_UP_S + int(seconds):.3f}"
            self._start(sender, "send", "--to", hosts[receiver].ip, "--name", f"{sender}-{receiver}", "--cc", scheme, "--stop-at", stop_at)
        except UserError as error:
            print(error)

    def _start(self, host: str, *arguments: str) -> ChildProcess:
        self._started += 1
        log = self.testbed.options.folder / f"{self._started}-{arguments[0]}-{host}.log"
        command = [sys.executable, "-m", "hosts", *arguments]
        child = self.testbed.start_on_host(host, f"{arguments[0]} on {host}", command, log)
        child.wait_ready(READY_S)
        return child

    def _show_status(self, what: str) -> None:
        from controller import status

        status.main(["--socket", str(self.testbed.controller_socket), what])


def open_prompt(scenario: Scenario, folder: Path, *, toolchain: Toolchain, grpc_base_port: int) -> None:
    """Bring the scenario's network up and hand it to the user until `exit`.

    Raises:
        UserError: something did not start.
    """
    plan = plan_network(scenario, grpc_base_port)
    needed = bpf_schemes(scenario)
    options = TestbedOptions(folder, transmission_labels(scenario, plan), tuple(needed), variant=scenario.variant, toolchain=toolchain)
    with Testbed(plan, options) as testbed:
        for scheme, reason in testbed.missing_schemes.items():
            print(f"{scheme} is left out: {reason}")
        print(
            "Hosts:",
            " ".join(plan.hosts),
            "- try: h1 ping -c 3 h4, pingall, transfer h1 h4, ports, records, show s1 tables, trace s1 icmp, help; exit ends",
        )
        TestbedPrompt(testbed)
