"""The Mininet prompt (`make cli`), with commands that show what the switches have allocated; its callers say where it runs."""

from __future__ import annotations

import time
from ipaddress import IPv4Address
from pathlib import Path
from typing import TextIO

from mininet.cli import CLI
from rich.console import Console
from rich.table import Table

from common.errors import UserError
from common.time_mode import is_virtual_time
from engine.execute.bring_up import labels_of
from engine.execute.forwarding_loops import ForwardingLoops
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
from topo.network_plan import THRIFT_BASE_PORT
from topo.testbed import Testbed, TestbedOptions
from topo.toolchain import Toolchain

LOOP_S = 1.0
"""How often it is looked for packets that go round."""

READY_S = 20.0
START_UP_S = 1.0

PORTS_WIDTH = 100
"""Characters, for addresses to be whole."""


class TestbedPrompt(SwitchCommands, CLI):  # type: ignore[misc]
    """Mininet's prompt and the commands `transfer`, `ports`, `records`, `links`, `show` and `trace`."""

    __test__ = False
    prompt = "nodectl> "

    def __init__(self, network: RunningNetwork, stdin: TextIO | None = None) -> None:
        SwitchCommands.__init__(self)
        self.network = network
        self.testbed = network.testbed
        self.plan = network.plan
        self.is_beside_bmv2 = self.testbed.options.toolchain.bmv2 is not None
        self.switch_socket = self.testbed.switch_socket
        self.folder = self.testbed.options.folder
        self.console = Console()
        self._started = 0
        self._loops = ForwardingLoops(network.plan)
        self._looked_s = 0.0
        self._windows = Windows(self.switch_socket.parent)
        try:
            # Returns when the user leaves the prompt.
            CLI.__init__(self, self.testbed.mininet, **({} if stdin is None else {"stdin": stdin}))
        finally:
            self.end_traces()
            self._windows.close()

    def postcmd(self, stop: bool, _line: str) -> bool:
        """After each line it is looked for packets that go round."""
        self.look_for_loops()
        return stop

    def look_for_loops(self) -> None:
        """Say which link carries packets that no host sends, now and then."""
        if time.monotonic() < self._looked_s + LOOP_S:
            return
        self._looked_s = time.monotonic()
        try:
            told = self._loops.look(self.testbed.switches.link_statistics())
        except UserError:  # the switches are gone, as whatever asks them for something says
            return
        if told is not None:
            print(told, flush=True)

    def do_ports(self, _line: str) -> None:
        """ports: every port and its link; under the testbed's controller its capacity, and which transmissions share it."""
        if self.testbed.controller_socket.exists():
            self._show_status("ports")
        else:
            self._show_plain_ports()

    def do_records(self, _line: str) -> None:
        """records: every transmission that a port has a record of, with its rate."""
        if self.testbed.controller_socket.exists():
            self._show_status("records")
        else:
            print("records are what the testbed's controller keeps, and it does not run here")

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

    def _show_plain_ports(self) -> None:
        table = Table("switch", "port", "to", "address", "MAC", "Mbit/s", "ms", "queue")
        for switch in self.plan.switches.values():
            for port in sorted(switch.ports, key=lambda port: port.number):
                host = self.plan.hosts.get(port.peer)
                address, mac = ("", "") if host is None else (str(host.address), host.mac)
                link = port.link
                table.add_row(
                    switch.name, str(port.number), port.peer, address, mac,
                    f"{link.rate_mbps:g}", f"{link.delay_ms:g}", str(link.queue_packets),
                )  # fmt: skip
        Console(width=max(self.console.width, PORTS_WIDTH)).print(table)


def prompt_testbed(scenario: Scenario, folder: Path, request: RunRequest, toolchain: Toolchain, data_plane: DataPlane) -> Testbed:
    """The testbed for a prompt: all schemes of the scenario can be chosen.

    Args:
        scenario: its network.
        folder: for samples and logs.
        request: the person's request.
        toolchain: whose compiler and switch.
        data_plane: the one that the switches run instead of the testbed's program.
    """
    plan = plan_network(scenario, request.grpc_base_port)
    if is_virtual_time():  # nobody else has these ports there
        plan.thrift_base_port = THRIFT_BASE_PORT
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
    """The text before the first prompt."""
    lines = [f"{scheme} is left out: {reason}" for scheme, reason in network.testbed.missing_schemes.items()]
    hosts = list(network.plan.hosts)
    pair, switch = f"{hosts[0]} {hosts[-1]}", next(iter(network.plan.switches))
    shares = ["transfer " + pair, "ports", "records"] if network.testbed.controller_socket.exists() else ["ports"]
    examples = [f"{hosts[0]} ping -c 3 {hosts[-1]}", "pingall", *shares, "links", f"tables {switch}", f"trace {hosts[0]} icmp", "help"]
    lines.append(f"Hosts: {' '.join(hosts)} - try: {', '.join(examples)}; exit ends")
    return "\n".join(lines)
