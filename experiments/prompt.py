"""The Mininet prompt (`make cli`), with commands that show what the switches have allocated."""

from __future__ import annotations

from pathlib import Path

from mininet.cli import CLI
from rich.console import Console
from rich.table import Table

from experiments.scenario_run import bpf_schemes, transmission_labels
from nodectl.scenario import Scenario
from topo.dumbbell import plan_dumbbell
from topo.testbed import Testbed, TestbedOptions


class TestbedPrompt(CLI):  # type: ignore[misc]
    """Mininet's prompt and the commands `ports`, `records` and `links`."""

    __test__ = False
    prompt = "nodectl> "

    def __init__(self, testbed: Testbed) -> None:
        self.testbed = testbed
        self.console = Console()
        super().__init__(testbed.mininet)

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

    def _show_status(self, what: str) -> None:
        from controller import status

        status.main(["--socket", str(self.testbed.controller_socket), what])


def open_prompt(scenario: Scenario, folder: Path, *, grpc_base_port: int) -> None:
    """Bring the scenario's network up and hand it to the user until `exit`.

    Raises:
        UserError: something did not start.
    """
    plan = plan_dumbbell(scenario, grpc_base_port)
    needed = bpf_schemes(scenario)
    options = TestbedOptions(folder, transmission_labels(scenario, plan), tuple(needed), scenario.reallocate_on_departure)
    with Testbed(plan, options) as testbed:
        print("Hosts:", " ".join(plan.hosts), "- try: h1 ping -c 3 h4, pingall, ports, records, links, help; exit ends")
        TestbedPrompt(testbed)
