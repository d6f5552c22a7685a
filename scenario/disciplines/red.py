"""RED (Floyd and Jacobson 1993)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, model_validator

from common.units import BITS_PER_BYTE
from scenario.disciplines.base import DECISIONS, Discipline, ManagedPort

PROBABILITY_BITS = 56
HALVING_BITS = 36
PARTS_OF_HALVING = 64
MOST = 2**31


class Red(Discipline):
    """Random early detection; the paper's w_q is 2^-weight_shift. With ``idle_decay``, the average falls also while no packets come."""

    program: ClassVar[str | None] = "red.p4"
    min_packets: int = Field(default=5, ge=1, le=1_000_000)
    max_packets: int = Field(default=15, ge=2, le=1_000_000)
    max_probability: float = Field(default=0.1, gt=0, le=1)
    weight_shift: int = Field(default=9, ge=1, le=16)
    idle_decay: bool = True
    ecn: bool = False

    @model_validator(mode="after")
    def _thresholds_in_order(self) -> Red:
        if self.min_packets >= self.max_packets:
            raise ValueError(f"min_packets ({self.min_packets}) has to be less than max_packets ({self.max_packets})")
        return self

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """See :meth:`Discipline.entries`."""
        lowest, highest = self.min_packets << self.weight_shift, self.max_packets << self.weight_shift
        packet_us = port.frame_bytes * BITS_PER_BYTE / port.rate_mbps
        halved_after_us = packet_us * math.log(2) / -math.log1p(-(2.0**-self.weight_shift))
        decisions = {
            "with_weight_shift": self.weight_shift,
            "with_min_average": lowest,
            "with_max_average": highest,
            "with_slope": round(self.max_probability * 2**PROBABILITY_BITS / (highest - lowest)),
            "with_halving": min(MOST, round(PARTS_OF_HALVING * 2**HALVING_BITS / halved_after_us)) if self.idle_decay else 0,
            "with_seed": port.seed,
            "with_marks": int(self.ecn),
        }
        return {DECISIONS: decisions}
