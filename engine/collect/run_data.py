"""Data of a run: of each transmission, of the links, of all together."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from common.units import BITS_PER_MEGABIT
from engine.collect.completions import Completion, completions
from engine.collect.fidelity import FidelityVerdict
from engine.collect.link_account import LinkAccount
from engine.collect.processor_standstills import Standstill
from engine.collect.samples import ReceiverSamples, SenderSamples, Series
from engine.plan.ideal import ideal
from hosts.subflow_samples import subflow_file
from hosts.summary import Summary
from scenario.scenario import Scenario
from scenario.transmissions import Program, Transmission


@dataclass(frozen=True)
class TransmissionData:
    """One transmission that was carried out. Times are CLOCK_MONOTONIC seconds."""

    transmission: Transmission
    samples_file: Path
    summary: Mapping[str, Any]
    """See ``hosts.summary.Summary``."""
    received: Series
    """Payload bytes that had arrived, over time."""
    last_data_s: float | None
    """When the last byte was read; None: none was, or the receiver was not sampled."""

    @property
    def connected_s(self) -> float:
        """When the connection was ESTABLISHED at the sender; not a number if it never was."""
        connected: float | None = self.summary["connected_s"]
        return math.nan if connected is None else connected

    @property
    def received_bytes(self) -> float:
        """Payload that had arrived at the end."""
        return float(self.received.value[-1]) if self.received.value.size else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all of ``size_bytes`` arrived."""
        return self.transmission.size_bytes is not None and self.received_bytes >= self.transmission.size_bytes

    @property
    def took_s(self) -> float | None:
        """From the connection being ESTABLISHED to the last byte being read; None if not everything arrived."""
        if not self.is_complete or self.last_data_s is None:
            return None
        return self.last_data_s - self.connected_s

    @property
    def was_refused(self) -> bool:
        """Whether the network gave it no rate although it asked."""
        return self.summary["negotiation"] not in ("none", "allocated")

    @property
    def delivered(self) -> Series:
        """Payload bytes that the receiver is known to have, in order or not, over time: those that a link carried, without duplicates.

        ``received`` stands still while a lost packet is missing. When it comes, ``received`` jumps by more than links carry meanwhile.

        Raises:
            OSError: its sender was not sampled.
        """
        return self.column("bytes_delivered")

    def column(self, name: str, subflow: int | None = None) -> Series:
        """A column of the sender's samples (``hosts.sample_row.COLUMNS``), of one subflow (0, 1, …) of several.

        Raises:
            OSError: there are no such samples.
        """
        if subflow is None:
            return self._samples.column(name)
        return SenderSamples(subflow_file(self.samples_file, subflow)).column(name)

    @cached_property
    def _samples(self) -> SenderSamples:
        return SenderSamples(self.samples_file)


@dataclass(frozen=True)
class ProgramData:
    """One ordinary program that was run.

    Attributes:
        started_s: seconds after the run's start.
        took_s: from its start to its end; None: it had not ended when the run did.
        status: its exit code; None likewise.
        said: the last lines that it printed.
        not_found: programs that a shell said it could not find.
    """

    name: str
    program: Program
    started_s: float
    took_s: float | None
    status: int | None
    said: str
    not_found: tuple[str, ...] = ()

    @property
    def is_server(self) -> bool:
        """Whether it was to run until the end."""
        return self.program.listens_on is not None

    @property
    def how(self) -> str:
        """How it ended, in words: exit code or signal, and which programs a shell did not find."""
        ended = "ran to the end" if self.is_server else "had not ended"
        if self.status is not None:
            ended = f"exit code {self.status}" if self.status >= 0 else f"killed by signal {-self.status}"
        return f"{ended}, not found: {', '.join(self.not_found)}" if self.not_found else ended

    @property
    def has_succeeded(self) -> bool:
        """Whether it did what it was to do, as far as its exit code tells."""
        return self.status == 0 and not self.not_found

    @property
    def has_failed(self) -> bool:
        """Whether it makes the run fail."""
        return not self.program.may_fail and (self.status not in (0, None) or bool(self.not_found))


@dataclass(frozen=True)
class SwitchWork:
    """Work of the switches and the controller for a run's transmissions.

    Attributes:
        events: packet-ins that the controller took in; None: unknown, after faults or with another controller.
        entries: of packet-outs that it sent; None likewise.
        overcommitted: operations that left a port of the deployable variant with too much reserved; None: another variant, or unknown.
    """

    events: int | None
    entries: int | None
    overcommitted: int | None


@dataclass(frozen=True)
class RunData:
    """Transmissions that were carried out together, with one scheme."""

    scenario: Scenario
    scheme: str
    folder: Path
    start_s: float
    end_s: float
    """When the last transmission was over."""
    links: LinkAccount
    transmissions: dict[str, TransmissionData]
    standstills: list[Standstill] | None = None
    """Of this machine's processors meanwhile; None where they could not be watched."""
    happened: list[tuple[float, str]] = field(default_factory=list)
    """Events of the scenario and what followed: seconds after the start, and words."""
    takeover_s: float | None = None
    """From a controller's restart until the shares were right again."""
    programs: dict[str, ProgramData] = field(default_factory=dict)
    """Of a scenario with programs, which has no transmissions; servers are among them only if they ended before the run."""
    work: SwitchWork | None = None
    """Of a scenario with workloads."""

    @cached_property
    def verdict(self) -> FidelityVerdict:
        """Whether the links kept their model meanwhile."""
        return self.links.verdict()

    def __getitem__(self, name: str) -> TransmissionData:
        return self.transmissions[name]

    @cached_property
    def fair_mbps(self) -> Mapping[str, float]:
        """Ideal max-min fair shares in the measuring window, payload, by transmission."""
        window, model = self.scenario.run, ideal(self.scenario)
        return {name: model.mean_bps(name, window.measure_from_s, window.measured_to_s) / BITS_PER_MEGABIT for name in self.transmissions}

    @cached_property
    def completions(self) -> list[Completion]:
        """How long transmissions of a given size took; see :func:`engine.collect.completions.completions`."""
        return completions(self)

    def queue_drops_over_time(self) -> Series:
        """Packets that queues had dropped since the run began, over time."""
        return self.links.queue_drops_over_time()

    @property
    def failure(self) -> str | None:
        """Why it is no result although the links kept their model: which programs failed; None: none did."""
        failed = [one for one in self.programs.values() if one.has_failed]
        lines = [f"program {one.name} failed: {one.how}{f' ({one.said.splitlines()[-1]})' if one.said else ''}" for one in failed]
        return "\n".join(lines) or None

    @property
    def window_s(self) -> tuple[float, float]:
        """The measuring window, CLOCK_MONOTONIC seconds."""
        return self.start_s + self.scenario.run.measure_from_s, self.start_s + self.scenario.run.measured_to_s


def read_transmissions(
    transmissions: list[Transmission],
    folder: Path,
    summaries: Mapping[str, Path],
    received: Mapping[str, ReceiverSamples],
    addresses: Mapping[str, str],
) -> dict[str, TransmissionData]:
    """Put the hosts' files together.

    Args:
        transmissions: those that were planned.
        folder: of the senders' samples.
        summaries: by sending host.
        received: by receiving host.
        addresses: of the hosts.
    """
    said = {}
    for file in (file for file in summaries.values() if file.exists()):
        for line in file.read_text(encoding="utf-8").splitlines():
            summary = json.loads(line)
            said[summary["name"]] = summary
    found = {}
    for transmission in transmissions:
        # The program of a host that was killed on purpose says nothing.
        summary = said.get(transmission.name, Summary(transmission.name, addresses[transmission.receiver], "", "").to_json())
        samples = received.get(transmission.receiver)
        connection = None if samples is None else samples.of(summary)
        counted, last_data_s = (Series.empty(), None) if connection is None else (connection.received, connection.last_data_s)
        found[transmission.name] = TransmissionData(transmission, sender_samples(folder, transmission), summary, counted, last_data_s)
    return found


def sender_samples(folder: Path, transmission: Transmission) -> Path:
    """Where the samples of a transmission's connection are, if it is sampled."""
    return folder / f"sender-{transmission.name}.csv"
