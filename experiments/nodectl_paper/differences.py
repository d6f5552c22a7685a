"""Why the other schemes come out differently on Linux than published: one thing changed at a time, measured."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.nodectl_paper.setup import (
    FRAME_BYTES,
    PAYLOAD_BYTES,
    PUBLISHED_NAMES,
    QUEUES_PACKETS,
    RECEIVER,
    SENDER,
    dumbbell,
    set_path,
)
from experiments.nodectl_paper.table3_time_to_bdp import bdp_bytes
from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block, Table, Text
from experiments.reproduction.experiment import Effort, Experiment, NetworkSpec
from experiments.reproduction.measures import time_to_reach, utilisation
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from experiments.reproduction.transfers import Sending

RATE_MBPS = 80
ONE_WAY_MS = 30
SIZE_BYTES = 3_000_000
SCHEMES = ("reno", "cubic", "bbr")
HYSTART = Path("/sys/module/tcp_cubic/parameters/hystart")

VARIANTS = {
    "default": "as in the tables",
    "window10": "initial window 10, Linux's default",
    "ack_each": "an ACK for every packet (route attribute `quickack`)",
    "no_sack": "without SACK, and so without RACK (`tcp_sack=0`, both ends)",
    "no_rack": "with SACK, losses by duplicate ACKs (`tcp_recovery=0`, sender)",
    "no_hystart": "Cubic without HyStart (`tcp_cubic.hystart=0`)",
}
QUICK_VARIANTS = ("default", "window10", "no_sack")


class Differences(Experiment):
    """Not a table of the paper."""

    name = "differences"
    title = "Why the other schemes differ: one thing changed at a time"
    source = "not in the paper; a file of 3 MB at 80 Mbit/s and 30 ms as in table 4, its first line"

    def cells(self, effort: Effort) -> list[Cell]:
        """Variants × queues; a quick look leaves out those that turned out to change nothing, and the small queue."""
        return [
            Cell(self.name, scheme, repetition, {"variant": variant, "queue_packets": queue})
            for repetition in range(1, effort.repetitions + 1)
            for variant in (QUICK_VARIANTS if effort.quick else VARIANTS)
            for queue in (QUEUES_PACKETS[-1:] if effort.quick else QUEUES_PACKETS)
            for scheme in SCHEMES
            if variant != "no_hystart" or (scheme == "cubic" and HYSTART.exists())
        ]

    def network(self, cell: Cell) -> NetworkSpec:  # noqa: ARG002 - one for all
        """That of table 4."""
        return dumbbell(RATE_MBPS)

    def duration_s(self, cell: Cell) -> float:  # noqa: ARG002
        """Some RTTs of slow start."""
        return 1.2

    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """One file, with one setting changed for it."""
        set_path(network, ONE_WAY_MS, cell["queue_packets"])
        with changed(network, cell["variant"]):
            run = network.transmit([Sending("A", SENDER, RECEIVER, cell.scheme, size_bytes=SIZE_BYTES)], folder)
        transfer = run["A"]
        took_s = transfer.last_data_s - transfer.connected_s if transfer.is_complete and transfer.last_data_s else None
        level = bdp_bytes(RATE_MBPS, 2 * ONE_WAY_MS) * PAYLOAD_BYTES / FRAME_BYTES
        reached_s = time_to_reach(transfer.column("bytes_in_flight"), level, transfer.connected_s)
        return Measurement(
            verdict=run.verdict,
            values={
                "utilization_percent": None if took_s is None else 100 * utilisation(SIZE_BYTES, took_s, RATE_MBPS * 1e6),
                "time_to_bdp_ms": None if reached_s is None else reached_s * 1e3,
                "queue_drops": run.queue_drops,
                "retransmits": transfer.summary["retransmits"],
            },
            facts={"congestion_control": transfer.congestion_control},
        )

    def report(self, results: Results) -> list[Block]:
        """Utilization, time to the BDP and lost packets of every variant."""
        rows = []
        for queue in QUEUES_PACKETS:
            for variant, what in VARIANTS.items():
                point: dict[str, Any] = {"variant": variant, "queue_packets": queue}
                if results.select(**point):
                    rows.append([
                        what,
                        str(queue),
                        *(results.text("utilization_percent", s, **point) for s in SCHEMES),
                        *(results.text("time_to_bdp_ms", s, "{:.0f}", **point) for s in SCHEMES),
                        *(results.text("queue_drops", s, "{:.0f}", **point) for s in SCHEMES),
                    ])  # fmt: skip
        names = [PUBLISHED_NAMES[scheme] for scheme in SCHEMES]
        header = ["changed", "queue"]
        header += [f"{name}: {value}" for value in ("utilization, %", "time to BDP, ms", "dropped") for name in names]
        return [
            Text(
                "The published values are from ns-3's own TCP, these from the kernel's. Whatever in the kernel may make the difference is "
                "changed here alone, for the transfers of one line, and the rest left as in the tables."
            ),
            Table("Measured; dropped: packets, by the queues.", header, rows, left_columns=1),
        ]


@contextlib.contextmanager
def changed(network: RunningNetwork, variant: str) -> Iterator[None]:
    """One setting changed while the block lasts, on the hosts alone wherever it can be."""
    undo: list[tuple[str, tuple[str, ...]]] = []
    hystart: str | None = None
    try:
        if variant == "window10":
            undo.append(_change_route(network, SENDER, "initcwnd", "10"))
        elif variant == "ack_each":
            undo.append(_change_route(network, RECEIVER, "quickack", "1"))
        elif variant == "no_sack":
            undo += [_set(network, host, "net.ipv4.tcp_sack", "0") for host in (SENDER, RECEIVER)]
        elif variant == "no_rack":
            undo.append(_set(network, SENDER, "net.ipv4.tcp_recovery", "0"))
        elif variant == "no_hystart":
            hystart = HYSTART.read_text()
            HYSTART.write_text("0")
        yield
    finally:
        for host, command in undo:
            network.command(host, *command)
        if hystart is not None:
            HYSTART.write_text(hystart)


def _set(network: RunningNetwork, host: str, key: str, value: str) -> tuple[str, tuple[str, ...]]:
    before = network.command(host, "sysctl", "-n", key).strip()
    network.command(host, "sysctl", "-q", "-w", f"{key}={value}")
    return host, ("sysctl", "-q", "-w", f"{key}={before}")


def _change_route(network: RunningNetwork, host: str, attribute: str, value: str) -> tuple[str, tuple[str, ...]]:
    """Changes an attribute of a host's one route, keeping the others."""
    route = network.command(host, "ip", "route", "show", "proto", "kernel").split("\n")[0].split()
    if attribute in route:
        position = route.index(attribute)
        changed_route = [*route[: position + 1], value, *route[position + 2 :]]
    else:
        changed_route = [*route, attribute, value]
    network.command(host, "ip", "route", "replace", *changed_route, "proto", "kernel")
    return host, ("ip", "route", "replace", *route, "proto", "kernel")
