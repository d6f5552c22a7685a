"""What metrics see of a run: the part of ``experiments.run.outcome`` that they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from experiments.samples import Series
from experiments.standstills import Standstill
from scenario.file import Scenario


class Outcome(Protocol):
    """One transmission that was carried out. Times are CLOCK_MONOTONIC seconds."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """See ``hosts.summary.Summary``."""

    @property
    def received(self) -> Series:
        """Payload bytes that had arrived, over time."""

    @property
    def connected_s(self) -> float:
        """When the connection was ESTABLISHED at the sender."""

    @property
    def last_data_s(self) -> float | None:
        """When the last byte was read."""

    @property
    def received_bytes(self) -> float:
        """Payload that had arrived at the end."""

    @property
    def is_complete(self) -> bool:
        """Whether all of a given size arrived."""

    def column(self, name: str, subflow: int | None = None) -> Series:
        """A column of the sender's 1 ms samples (``hosts.sender_samples.COLUMNS``), of one subflow (0, 1, …) of several.

        Raises:
            OSError: there are no such samples.
        """


class RunData(Protocol):
    """Transmissions that were carried out together."""

    @property
    def start_s(self) -> float:
        """CLOCK_MONOTONIC seconds."""

    @property
    def outcomes(self) -> Mapping[str, Outcome]:
        """By the transmission's name."""

    @property
    def standstills(self) -> list[Standstill] | None:
        """Of this machine's processors meanwhile; None where they could not be watched."""

    @property
    def scenario(self) -> Scenario:
        """What was carried out."""

    @property
    def fair_mbps(self) -> Mapping[str, float]:
        """Ideal max-min fair shares in the measuring window, payload, by transmission."""

    def queue_drops_over_time(self) -> Series:
        """Packets that queues had dropped, over time; only where the links were watched."""

    def __getitem__(self, name: str) -> Outcome: ...


def window_s(run: RunData, from_s: float | None = None, to_s: float | None = None) -> tuple[float, float]:
    """An interval given in seconds after the start, by default the measuring window, on the clock of the samples."""
    wanted = run.scenario.run
    return (
        run.start_s + (wanted.measure_from_s if from_s is None else from_s),
        run.start_s + (wanted.measured_to_s if to_s is None else to_s),
    )
