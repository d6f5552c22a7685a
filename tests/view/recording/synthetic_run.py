"""A run's folder as a run would leave it, made up: it grows as far as a test wants."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path

from rich.console import Console

from engine.collect.description import CellDescription, RunDescription
from engine.collect.record import CellRecord
from engine.plan.options import RunOptions
from hosts.plan import Plan, TransmissionPlan
from hosts.sample_excerpt import INTERVAL_S, excerpt_file
from hosts.sample_row import COLUMNS
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest
from view.recording.network_view import NetworkView

BEGIN_S = 12.5
"""CLOCK_MONOTONIC of the start of the transmissions."""

EVERY_S = 0.01
PORTS = "time_ns,switch,port,direction,queue_packets,queue_bytes,tx_packets,tx_bytes,queue_drops,loss_drops,down_drops"
FLOWS = "time_ns,switch,port,src,dst,protocol,src_port,dst_port,tx_packets,tx_bytes,drops"


def dumbbell(schemes: Sequence[str] = ("nodectl",), *, pairs: int = 3, duration_s: float = 6, apart_s: float = 2) -> str:
    """A scenario: pairs of hosts over one link of 36 Mbit/s, one after the other."""
    transmissions = "".join(
        f'[[transmissions]]\nname = "{chr(65 + number)}"\nsender = "h{number + 1}"\nreceiver = "h{pairs + number + 1}"\n'
        f"start_s = {number * apart_s}\n"
        for number in range(pairs)
    )
    return (
        f'schema = 2\ntitle = "Made up"\n[topology]\nkind = "dumbbell"\npairs = {pairs}\n'
        "access = { rate_mbps = 200, delay_ms = 5 }\nbottleneck = { rate_mbps = 36, delay_ms = 20, queue_packets = 100 }\n"
        f"{transmissions}[run]\nschemes = {json.dumps(list(schemes))}\nduration_s = {duration_s}\n"
    )


def mesh(side: int = 4, transmissions: int = 50, duration_s: float = 20) -> str:
    """A scenario: a grid of switches with a host each, and transmissions all over it."""
    switches = [f"r{number}" for number in range(side * side)]
    links = [
        *([switches[row * side + column], switches[row * side + column + 1]] for row in range(side) for column in range(side - 1)),
        *([switches[row * side + column], switches[(row + 1) * side + column]] for row in range(side - 1) for column in range(side)),
    ]
    attached = ", ".join(f'h{number} = "{name}"' for number, name in enumerate(switches))
    count = side * side
    listed = "".join(
        f'[[transmissions]]\nname = "t{number}"\nsender = "h{number % count}"\n'
        f'receiver = "h{(number % count + 3 + 2 * (number // count)) % count}"\nstart_s = {number * duration_s / 100}\n'
        for number in range(transmissions)
    )
    return (
        f'schema = 2\ntitle = "A grid"\n[topology]\nkind = "graph"\nswitches = {json.dumps(switches)}\nattached = {{ {attached} }}\n'
        "access = { rate_mbps = 100, delay_ms = 1 }\ntrunk = { rate_mbps = 40, delay_ms = 2, queue_packets = 100 }\n"
        f'links = {json.dumps(links)}\n{listed}[run]\nschemes = ["nodectl"]\nduration_s = {duration_s}\n'
    )


def sample(time_s: float) -> str:
    """A sample of a sender's connection, seconds after the start."""
    return f"{round((BEGIN_S + time_s) * 1e9)},1,1,0,10,10660,20,61000,60000,12000000,12000000,0,1,12000000"


@dataclass
class SyntheticRun:
    """Writes what the parts of a testbed write.

    Transmissions share the narrowest link of a dumbbell equally; in other networks each sends 2 Mbit/s.

    Args:
        folder: of the run.
        scenario: as a file's text.
        dropped: packets that a full link of 36 Mbit/s drops in each step, from the second transmission on.
    """

    folder: Path
    scenario: str
    dropped: int = 0
    description: RunDescription = field(init=False)
    _grown_s: dict[str, float] = field(default_factory=dict, init=False)
    _admitted: set[tuple[str, str]] = field(default_factory=set, init=False)
    _sent: dict[tuple[str, str, str], float] = field(default_factory=dict, init=False)
    _lost: dict[str, int] = field(default_factory=dict, init=False)
    _attempts: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        file = self.folder.parent / f"{self.folder.name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.scenario)
        options = RunOptions(RunRequest(), Console(quiet=True), virtual=True)
        self.description = RunDescription.of([ReportedExperiment.read(file)], options)
        self.description.write(self.folder)
        self.network = NetworkView(self.description.scenarios[0])

    @property
    def cells(self) -> list[CellDescription]:
        """Of the run."""
        return self.description.cells

    def logs(self, cell: CellDescription) -> Path:
        """A cell's logs; the folder is made."""
        folder = self.folder / cell.logs
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def samples(self, cell: CellDescription, attempt: int = 1) -> Path:
        """A cell's samples; the folder is made."""
        folder = self.folder / cell.samples.replace("*", str(attempt))
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def begin(self, cell: CellDescription, attempt: int = 1, begin_s: float = BEGIN_S) -> None:
        """The hosts have their plans."""
        self._attempts[cell.key] = attempt
        addresses = {name: address for address, name in self.network.addresses.items()}
        for one in self.network.transmissions:
            told = TransmissionPlan(
                to=IPv4Address(addresses[one.planned.receiver]),
                name=one.name,
                cc=cell.scheme,
                start_at=begin_s + one.planned.start_s,
                stop_at=begin_s + self.network.duration_s,
            )
            plan = Plan(transmissions=(told,), summaries=Path("x.jsonl"))
            (self.samples(cell, attempt) / f"plan-{one.planned.sender}.json").write_text(plan.model_dump_json(indent=1))

    def say(self, cell: CellDescription, time_s: float, text: str) -> None:
        """The controller says something, seconds after the start."""
        moment = datetime.fromtimestamp(self.description.wall_clock_s + BEGIN_S + time_s, UTC)
        with (self.logs(cell) / "controller.log").open("a") as stream:
            stream.write(f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} INFO    {text}\n")

    def grow(self, cell: CellDescription, until_s: float) -> None:
        """Write the samples up to then, seconds after the start, and the controller's lines about newcomers meanwhile."""
        begin_s = self._grown_s.get(cell.key, -0.1)
        self._grown_s[cell.key] = until_s
        ports, flows = [], []
        by_name = {name: port for port, name in self.network.by_port.items()}
        steps = round((until_s - begin_s) / EVERY_S)
        for step in range(1, steps + 1):
            time_s = begin_s + step * EVERY_S
            now = [one for one in self.network.transmissions if one.planned.start_s <= time_s]
            for one in now:
                if cell.scheme == "nodectl" and (cell.key, one.name) not in self._admitted:
                    self._admitted.add((cell.key, one.name))
                    self._admit(cell, time_s, [one.name for one in now])
            time_ns = round((BEGIN_S + time_s) * 1e9)
            rate = 36e6 / max(1, len(now)) if len(self.network.transmissions) <= 3 else 2e6
            carried: dict[str, float] = {}
            for number, one in enumerate(now):
                for link in one.ways[0]:
                    carried[link] = carried.get(link, 0.0) + rate
                    switch, port, side = by_name[link]
                    if side == "egress":
                        sent = self._count(cell.key, one.name, link, rate)
                        source, target = (next(ip for ip, name in self.network.addresses.items() if name == end)
                                          for end in (one.planned.sender, one.planned.receiver))  # fmt: skip
                        flows.append(f"{time_ns},{switch},{port},{source},{target},tcp,{40000 + number},5001,{sent // 1066},{sent},0")
            for link, (switch, port, side) in by_name.items():
                sent = self._count(cell.key, "", link, carried.get(link, 0.0))
                queue = min(100, 5 * (len(now) - 1)) if carried.get(link, 0.0) >= 36e6 else 0
                lost = self._lose(cell, link) if queue else self._lost.get(f"{cell.key} {link}", 0)
                ports.append(f"{time_ns},{switch},{port},{side},{queue},{queue * 1066},{sent // 1066},{sent},{lost},0,0")
        self._append(self.logs(cell) / "ports.csv", PORTS, ports)
        self._append(self.logs(cell) / "flows.csv", FLOWS, flows)
        for one in self.network.transmissions:
            first, last = (math.ceil((time_s - one.planned.start_s) / INTERVAL_S - 1e-9) for time_s in (begin_s, until_s))
            times_s = [one.planned.start_s + number * INTERVAL_S for number in range(max(0, first), max(0, last))]
            rows = [sample(time_s) for time_s in times_s]
            if rows:
                file = self.samples(cell, self._attempts[cell.key]) / f"sender-{one.name}.csv"
                self._append(excerpt_file(file), ",".join(COLUMNS), rows)

    def finish(self, cell: CellDescription, failure: str | None = None) -> None:
        """The cell has its result, and its senders have written their samples."""
        for one in self.network.transmissions:
            rows = [",".join(COLUMNS)]
            for step in range(round((self.network.duration_s - one.planned.start_s) / EVERY_S)):
                rows.append(sample(one.planned.start_s + step * EVERY_S))
            file = self.samples(cell) / f"sender-{one.name}.csv"
            file.write_text("\n".join(rows) + "\n")
            excerpt_file(file).unlink(missing_ok=True)
        record = CellRecord(
            experiment=self.description.name,
            scheme=cell.scheme,
            repetition=cell.repetition,
            parameters=cell.parameters,
            values={} if failure else {"jain": 0.999, "queue_drops": 0.0},
            series={} if failure else self._series(),
            failure=failure,
        )
        file = self.folder / "cells" / f"{cell.key}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(record.model_dump_json())

    def _series(self) -> dict[str, list[float]]:
        """Payload read: a tenth less than the frames."""
        times = [round(0.05 + 0.1 * number, 2) for number in range(round(self.network.duration_s * 10))]
        found = {}
        for one in self.network.transmissions:
            found[f"throughput.{one.name}.time_s"] = times
            found[f"throughput.{one.name}"] = [32.4 if time_s >= one.planned.start_s else 0.0 for time_s in times]
        return found

    def whole(self) -> SyntheticRun:
        """The run as it is when it is over."""
        for cell in self.cells:
            self.begin(cell)
            self.grow(cell, self.network.duration_s)
            self.finish(cell)
        return self

    def _admit(self, cell: CellDescription, time_s: float, names: Sequence[str]) -> None:
        *others, newcomer = names
        if len(self.network.transmissions) > 3:
            share, before = 2.0, 2.0
        else:
            share, before = 36 / len(names), 36 / max(1, len(others))
        reduced = "".join(f", {name} reduced {before:.1f} → {share:.1f}" for name in others if share < before)
        for link in self._links_of(newcomer):
            switch, port, side = next(port for port, name in self.network.by_port.items() if name == link)
            if side == "egress":
                first = link == self._links_of(newcomer)[1]
                self.say(cell, time_s, f"{switch} port {port}: {newcomer} admitted at {share:.1f} Mbit/s{reduced if first else ''}")

    def _links_of(self, name: str) -> tuple[str, ...]:
        return next(one.ways[0] for one in self.network.transmissions if one.name == name)

    def _lose(self, cell: CellDescription, link: str) -> int:
        """The packets that a link has dropped by now; with Nodectl it drops none."""
        key = f"{cell.key} {link}"
        self._lost[key] = self._lost.get(key, 0) + (0 if cell.scheme == "nodectl" else self.dropped)
        return self._lost[key]

    def _count(self, cell: str, name: str, link: str, rate_bps: float) -> int:
        key = (cell, name, link)
        self._sent[key] = self._sent.get(key, 0.0) + rate_bps * EVERY_S / 8
        return round(self._sent[key])

    def _append(self, file: Path, header: str, rows: Sequence[str]) -> None:
        is_new = not file.exists()
        with file.open("a") as stream:
            stream.writelines(f"{row}\n" for row in ([header] if is_new else []))
            stream.writelines(f"{row}\n" for row in rows)
