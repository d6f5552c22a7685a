"""Reno's rate at random losses, against formulas (docs/validation.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.validation import loss_theory
from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT
from engine.collect.record import CellRecord

FILE = Path(__file__).resolve().parent / "reno_losses.toml"
MSS_BYTES = 1448
FRAME_BITS = 1514 * BITS_PER_BYTE
RTT_S = 0.050 + 3 * FRAME_BITS / 1e9
"""Delays there and back, and a packet's transmission on three links of 1 Gbit/s."""

LEAST_TIMEOUT_S = 0.2
"""Linux adds this to the RTT."""


@dataclass(frozen=True)
class LossResult:
    """Reno at one loss rate; all rates are payload, Mbit/s.

    Attributes:
        loss: probability.
        quick_ack: every packet acknowledged by itself.
        measured_mbps: of each seed.
    """

    loss: float
    quick_ack: bool
    measured_mbps: tuple[float, ...]

    @property
    def mean_mbps(self) -> float:
        """Over the seeds."""
        return sum(self.measured_mbps) / len(self.measured_mbps)

    def predicted(self) -> dict[str, float]:
        """The predictions of the formulas, by name."""
        window = {
            "Mathis": loss_theory.mathis(self.loss),
            "independent losses": loss_theory.poisson_losses(self.loss),
            "Padhye": loss_theory.padhye(self.loss, RTT_S, RTT_S + LEAST_TIMEOUT_S),
            "window by window": loss_theory.window_chain(self.loss),
        }
        return {name: packets * MSS_BYTES * BITS_PER_BYTE / RTT_S / BITS_PER_MEGABIT for name, packets in window.items()}


def of_records(records: Iterable[CellRecord]) -> list[LossResult]:
    """Results of the run engine's records, by acknowledgement and loss."""
    found: dict[tuple[bool, float], list[float]] = defaultdict(list)
    for record in records:
        key = bool(record.parameters["quick_ack"]), float(record.parameters["loss_percent"]) / 100
        found[key].append(float(record.values["mean_mbps"] or 0.0))
    return [LossResult(loss, quick_ack, tuple(values)) for (quick_ack, loss), values in sorted(found.items())]
