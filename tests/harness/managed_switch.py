"""A switch with a queue discipline, for differential tests: each example has a port of its own, whose state is as at the start."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.model.verdict import Verdict
from scenario.disciplines.base import CLASSES, Discipline, ManagedPort
from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import REPOSITORY, Combination, EmbeddedSwitch, Frames, compile_program, require

CONGESTION_EXPERIENCED = 3
FRAME_BYTES = 1514
RATE_MBPS = 10.0


class ManagedSwitch(EmbeddedSwitch):
    """The embedded switch, which alone can be told what a queue is like, with the program of a discipline."""

    def __init__(self, program: str, folder: Path, compiler: str) -> None:
        require(Combination(compiler, "embedded"))
        super().__init__(compile_program(REPOSITORY / "p4src" / program, folder, compiler))
        self._port = 0

    def route(self) -> int:
        """Route a network to a port that nothing has used yet."""
        self._port += 1
        macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(self._port % 200), neighbour_mac(self._port % 200))]
        self.add_entry("ipv4_lpm", [{"lpm": [f"0b{self._port:04x}00", 24]}], "forward", [self._port, *macs])
        return self._port

    def manage(self, discipline: Discipline, seed: int = 1) -> int:
        """The same, with a discipline at the port."""
        port = self.route()
        for table, arguments in entries(discipline, port, seed).items():
            action = "classify" if table == CLASSES else "manage"
            self.add_entry(table, [{"exact": f"{port:04x}"}], action, list(arguments.values()))
        return port


def entries(discipline: Discipline, number: int = 0, seed: int = 1) -> dict[str, dict[str, int]]:
    """The arguments that the testbed gives a program for a port, by table."""
    told = ManagedPort(FRAME_BYTES, RATE_MBPS, seed, number)
    return {table: dict(arguments) for table, arguments in discipline.entries(told).items()}


def model_arguments(discipline: Discipline, table: str, seed: int = 1) -> dict[str, int]:
    """The arguments of a table's action as its model takes them."""
    return {name.removeprefix("with_"): value for name, value in entries(discipline, seed=seed)[table].items()}


@lru_cache(maxsize=4096)
def frame_to(port: int, ecn: int, flow: int = 1) -> bytes:
    """A small frame that is routed to a port, of one of many flows."""
    addresses = IP(src=f"10.0.1.{flow % 250 + 1}", dst=f"11.{port >> 8}.{port & 255}.1", tos=ecn)
    return bytes(Ether(src=neighbour_mac(1), dst=switch_mac(1)) / addresses / UDP(sport=1000 + flow, dport=5000) / b"x")


def verdict_of(frames: Frames, port: int, ecn: int) -> Verdict:
    """The fate of a packet that left a queue."""
    if not frames:
        return Verdict.DROPPED
    was_marked = ecn != CONGESTION_EXPERIENCED and Ether(frames[port][0])[IP].tos & 3 == CONGESTION_EXPERIENCED
    return Verdict.MARKED if was_marked else Verdict.SENT
