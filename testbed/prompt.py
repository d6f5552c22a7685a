"""The Mininet prompt (`make cli`), with commands that show what the switches have allocated."""

from __future__ import annotations

import time
from contextlib import nullcontext
from ipaddress import IPv4Address

from mininet.cli import CLI
from rich.console import Console
from rich.table import Table

from common.errors import UserError
from engine.collect.description import RunDescription
from engine.execute.bring_up import labels_of
from engine.execute.network import RunningNetwork
from engine.plan.schemes import schemes_of
from hosts.cca.scheme_names import Scheme, parse_scheme
from hosts.plan import Plan, TransmissionPlan
from scenario.run_request import RunRequest
from testbed.page_beside import page_beside
from testbed.places import RESULTS
from testbed.prepared_run import prepare
from testbed.scenario_run import new_result_folder
from testbed.switch_commands import SwitchCommands
from topo.frame_capture import FILE
from topo.layout import plan_network
from topo.testbed import Testbed, TestbedOptions

READY_S = 20.0
START_UP_S = 1.0


class TestbedPrompt(SwitchCommands, CLI):  # type: ignore[misc]
    """Mininet's prompt and the commands `transfer`, `ports`, `records`, `links`, `show` and `trace`."""

    __test__ = False
    prompt = "nodectl> "

    def __init__(self, network: RunningNetwork) -> None:
        SwitchCommands.__init__(self)
        self.network = network
        self.testbed = network.testbed
        self.switch_socket = self.testbed.switch_socket
        self.console = Console()
        self._started = 0
        try:
            # Returns when the user leaves the prompt.
            CLI.__init__(self, self.testbed.mininet)
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


def open_prompt(request: RunRequest) -> None:
    """Bring a scenario's network up, in real time, and hand it to the user until `exit`.

    Raises:
        UserError: the scenario says something impossible, something that is needed is missing, or something did not start.
    """
    page = request.page
    prepared = prepare(request, virtual=False)
    scenario, options = prepared.scenarios[0], prepared.options
    folder = new_result_folder(RESULTS, f"cli-{prepared.experiment.name}")
    plan = plan_network(scenario, request.grpc_base_port)
    ours = tuple(scheme.text for scheme in schemes_of(scenario) if not scheme.from_kernel)
    given = TestbedOptions(
        folder, labels_of([scenario], plan), ours, variant=scenario.nodectl, toolchain=options.toolchain, request=request
    )
    RunDescription.of_prompt(folder.name, scenario).write(folder)
    with nullcontext() if page is None else page_beside(folder, page, print), RunningNetwork(Testbed(plan, given)) as network:
        for scheme, reason in network.testbed.missing_schemes.items():
            print(f"{scheme} is left out: {reason}")
        print(
            "Hosts:",
            " ".join(plan.hosts),
            "- try: h1 ping -c 3 h4, pingall, transfer h1 h4, ports, records, show s1 tables, trace s1 icmp, help; exit ends",
        )
        TestbedPrompt(network)
    if request.capture:
        print(f"captured frames: {folder / FILE}")
