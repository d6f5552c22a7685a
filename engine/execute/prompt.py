"""The Mininet prompt (`make cli`), with commands that show what the switches have allocated; where it runs, somebody else says."""

from __future__ import annotations

import time
from ipaddress import IPv4Address
from pathlib import Path
from typing import TextIO

from mininet.cli import CLI
from rich.console import Console
from rich.table import Table

from common.errors import UserError
from engine.execute.bring_up import labels_of
from engine.execute.network import RunningNetwork
from engine.execute.prompt_of_switches import SwitchCommands
from engine.execute.prompt_windows import Windows, is_there
from engine.plan.schemes import schemes_of
from hosts.cca.scheme_names import Scheme, parse_scheme
from hosts.plan import Plan, TransmissionPlan
from scenario.run_request import RunRequest
from scenario.scenario import Scenario
from topo.data_plane import DataPlane
from topo.layout import plan_network
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

READY_S = 20.0
START_UP_S = 1.0


class TestbedPrompt(SwitchCommands, CLI):  # type: ignore[misc]
    """Mininet's prompt and the commands `transfer`, `ports`, `records`, `links`, `show` and `trace`."""

    __test__ = False
    prompt = "nodectl> "

    def __init__(self, network: RunningNetwork, stdin: TextIO | None = None) -> None:
        SwitchCommands.__init__(self)
        self.network = network
        self.testbed = network.testbed
        self.switch_socket = self.testbed.switch_socket
        self.folder = self.testbed.options.folder
        self.console = Console()
        self._started = 0
        self._windows = Windows(self.switch_socket.parent)
        try:
            # Returns when the user leaves the prompt.
            CLI.__init__(self, self.testbed.mininet, **({} if stdin is None else {"stdin": stdin}))
        finally:
            self.end_traces()
            self._windows.close()

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

    def do_xterm(self, line: str, term: str = "xterm") -> None:
        """xterm HOST ...: a shell on each, in a window of tmux, or of X where tmux is not installed."""
        names = line.split()
        if not is_there() or not names:
            super().do_xterm(line, term)
            return
        for name in names:
            if name not in self.mn:
                print(f"there is no {name}; hosts are {' '.join(self.testbed.plan.hosts)}")
                continue
            shell = ["mnexec", "-a", str(self.mn[name].pid), "env", f"PS1={name}# ", "bash", "--norc"]
            try:
                print(self._windows.open(name, shell))
            except UserError as error:
                print(error)

    def do_transfer(self, line: str) -> None:
        """transfer FROM TO [SCHEME [SECONDS]]: send data in the background (nodectl, 30 s), then look at records and ports."""
        words = line.split()
        sender, receiver, scheme, seconds = (words + ["nodectl", "30"][len(words) - 2 :])[:4] if 2 <= len(words) <= 4 else [""] * 4
        hosts = self.testbed.plan.hosts
        if sender not in hosts or receiver not in hosts or sender == receiver or not seconds.isdecimal() or not 1 <= int(seconds) <= 3600:
            print(f"usage: transfer FROM TO [SCHEME [SECONDS]]; hosts are {' '.join(hosts)}")
            return
        try:
            self._transfer(sender, receiver, parse_scheme(scheme), int(seconds))
        except UserError as error:
            print(error)

    def _transfer(self, sender: str, receiver: str, scheme: Scheme, seconds: int) -> None:
        hosts = self.testbed.plan.hosts
        self.network.agent(receiver)
        agent = self.network.agent(sender)
        self._started += 1
        transmission = TransmissionPlan(
            to=IPv4Address(hosts[receiver].ip),
            name=f"{sender}-{receiver}-{self._started}",
            cc=scheme.text,
            stop_at=time.monotonic() + START_UP_S + seconds,
        )
        folder = self.testbed.options.folder
        file = folder / f"{self._started}-plan-{sender}.json"
        file.write_text(
            Plan(transmissions=(transmission,), summaries=folder / f"{self._started}-sent-{sender}.jsonl").model_dump_json(indent=1)
        )
        self.network.command(agent, "send", plan=str(file))
        self.network.answer(agent, "sending", READY_S)

    def _show_status(self, what: str) -> None:
        from controller import status

        status.main(["--socket", str(self.testbed.controller_socket), what])


def prompt_testbed(scenario: Scenario, folder: Path, request: RunRequest, toolchain: Toolchain, data_plane: DataPlane) -> Testbed:
    """The testbed that a prompt is for: all schemes of the scenario can be chosen.

    Args:
        scenario: its network.
        folder: for samples and logs.
        request: what was asked for.
        toolchain: whose compiler and switch.
        data_plane: what the switches run instead of the testbed's program.
    """
    plan = plan_network(scenario, request.grpc_base_port)
    ours = tuple(scheme.text for scheme in schemes_of(scenario) if not scheme.from_kernel)
    options = TestbedOptions(
        folder,
        labels_of([scenario], plan),
        ours,
        variant=scenario.nodectl,
        toolchain=toolchain,
        data_plane=data_plane,
        request=request,
    )
    return Testbed(plan, options)


def greeting(network: RunningNetwork) -> str:
    """What is said before the first prompt."""
    lines = [f"{scheme} is left out: {reason}" for scheme, reason in network.testbed.missing_schemes.items()]
    hosts = list(network.plan.hosts)
    example = f"{hosts[0]} ping -c 3 {hosts[-1]}"
    lines.append(
        f"Hosts: {' '.join(hosts)} - try: {example}, pingall, transfer {hosts[0]} {hosts[-1]}, ports, records, show s1 tables, "
        "trace s1 icmp, help; exit ends"
    )
    return "\n".join(lines)
