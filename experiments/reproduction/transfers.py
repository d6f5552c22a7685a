"""Transmissions of a measurement: what is wanted, and what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from experiments.fidelity import FidelityVerdict
from experiments.link_account import LinkAccount, dropped
from experiments.samples import ReceiverSamples, Series, sender_column
from experiments.standstills import Standstill
from topo.management import LinkStatistics

DEFAULT_LIMIT_S = 60.0
"""A transfer of a given size without a time limit may take this long."""


@dataclass(frozen=True)
class Sending:
    """One transmission that is wanted.

    Args:
        name: unique in the run.
        sender, receiver: hosts.
        scheme: congestion control.
        start_s, stop_s: seconds after the run's start.
        size_bytes: payload; None: as much as goes until it is stopped.
        min_rate_mbps, max_rate_mbps: what a negotiating sender asks for.
        sampled: take TCP_INFO every millisecond.
        extra: further fields of ``hosts.plan.TransmissionPlan``.
    """

    name: str
    sender: str
    receiver: str
    scheme: str
    start_s: float = 0.0
    stop_s: float | None = None
    size_bytes: int | None = None
    min_rate_mbps: float = 0.0
    max_rate_mbps: float = 200.0
    sampled: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)

    def latest_end_s(self, duration_s: float | None) -> float:
        """When it is over at the latest, seconds after the run's start."""
        return self.stop_s or duration_s or self.start_s + DEFAULT_LIMIT_S

    def samples_file(self, folder: Path) -> Path:
        """The sender's samples."""
        return folder / f"sender-{self.name}.csv"

    def summary_file(self, folder: Path) -> Path:
        """The sender's summary."""
        return folder / f"sender-{self.name}.json"


@dataclass(frozen=True)
class Outcome:
    """One transmission that was carried out. Times are CLOCK_MONOTONIC seconds."""

    sending: Sending
    folder: Path
    summary: dict[str, Any]
    """See ``hosts.summary.Summary``."""
    received: Series
    """Payload bytes that had arrived, every 10 ms."""
    last_data_s: float | None
    """When the last byte was read."""

    @classmethod
    def read(cls, sending: Sending, folder: Path, receiver_samples: ReceiverSamples) -> Outcome:
        """Put together what the hosts wrote."""
        summary = json.loads(sending.summary_file(folder).read_text())
        connection = receiver_samples.of(summary)
        if connection is None:
            return cls(sending, folder, summary, Series(np.empty(0), np.empty(0)), None)
        return cls(sending, folder, summary, connection.received, connection.last_data_s)

    @property
    def connected_s(self) -> float:
        """When the connection was ESTABLISHED at the sender."""
        return float(self.summary["connected_s"])

    @property
    def received_bytes(self) -> float:
        """Payload that had arrived at the end."""
        return float(self.received.value[-1]) if self.received.value.size else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all of ``size_bytes`` arrived."""
        return self.sending.size_bytes is not None and self.received_bytes >= self.sending.size_bytes

    @property
    def congestion_control(self) -> str:
        """Where the scheme came from: the kernel, or BPF."""
        return str(self.summary["congestion_control_source"])

    def column(self, name: str) -> Series:
        """A column of the sender's 1 ms samples (``hosts.sender_samples.COLUMNS``)."""
        return sender_column(self.sending.samples_file(self.folder), name)


@dataclass(frozen=True)
class TransferRun:
    """Transmissions that were carried out together."""

    folder: Path
    start_s: float
    end_s: float
    links: LinkAccount
    outcomes: dict[str, Outcome]
    standstills: list[Standstill] | None = None
    """Of this machine's processors meanwhile; None where they could not be watched."""
    watched: list[tuple[float, list[LinkStatistics]]] = field(default_factory=list)
    """With ``watch_links``: CLOCK_MONOTONIC seconds and all links' counters."""

    @cached_property
    def verdict(self) -> FidelityVerdict:
        """Whether the links kept their model meanwhile."""
        return self.links.verdict(few_packets=True)

    def __getitem__(self, name: str) -> Outcome:
        return self.outcomes[name]

    @property
    def queue_drops(self) -> int:
        """Packets that queues had no room for."""
        return self.links.queue_drops

    def queue_drops_over_time(self) -> Series:
        """Packets that queues had dropped, over time; needs ``watch_links``."""
        start = dropped(self.links.before)
        points = [(self.start_s, 0)] + [(at, dropped(links) - start) for at, links in self.watched]
        times, counts = np.array(points, dtype=float).T
        return Series(times, counts)

    @property
    def loss_drops(self) -> int:
        """Packets lost on the links by chance."""
        return self.links.loss_drops
