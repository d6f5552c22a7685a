"""DualPI2 (RFC 9332)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from common.units import NS_PER_S, US_PER_S
from protocol.model.dualpi2_model import ONE
from scenario.disciplines.base import CLASSES, DECISIONS, Discipline, ManagedPort, Milliseconds, microseconds, nanoseconds
from scenario.disciplines.schedulers import Drr, Pifo

PERCENT = 100
BYTES_OF_WEIGHT = 32
"""Of round robin: all weights' bytes together are some two packets, so that queues alternate."""

Gain = Annotated[float, Field(gt=0, le=100)]
Microseconds = Annotated[float, Field(ge=0, le=1_000_000)]


class Dualpi2(Discipline):
    """DualPI2; marks of the low-latency queue begin at ``min_threshold_us``, and all are marked from ``max_threshold_us`` on."""

    program: ClassVar[str | None] = "dualpi2.p4"
    shared: ClassVar[str | None] = "arriving"
    target_ms: Milliseconds = 15.0
    tick_ms: Milliseconds = 16.0
    alpha_hz: Gain = 0.16
    beta_hz: Gain = 3.2
    coupling: int = Field(default=2, ge=1, le=15)
    min_threshold_us: Microseconds = 800.0
    max_threshold_us: Microseconds = 1200.0
    marks: Literal["even", "random"] = "even"
    scheduler: Literal["time_shift", "round_robin"] = "time_shift"
    time_shift_ms: Milliseconds = 30.0
    classic_percent: int = Field(default=10, ge=1, le=99)

    @model_validator(mode="after")
    def _thresholds_in_order(self) -> Dualpi2:
        if self.min_threshold_us > self.max_threshold_us:
            raise ValueError(f"min_threshold_us ({self.min_threshold_us}) is above max_threshold_us ({self.max_threshold_us})")
        return self

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        if self.scheduler == "time_shift":
            return Pifo(queues=2).fields_of_link()
        weights = (PERCENT - self.classic_percent, self.classic_percent)
        return Drr(queues=2, weights=weights, quantum_bytes=BYTES_OF_WEIGHT).fields_of_link()

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """See :meth:`Discipline.entries`."""
        lowest, highest = (round(us * NS_PER_S / US_PER_S) for us in (self.min_threshold_us, self.max_threshold_us))
        decisions = {
            "with_target_ns": nanoseconds(self.target_ms),
            "with_tick_ns": nanoseconds(self.tick_ms),
            "with_alpha": round(self.alpha_hz * ONE / NS_PER_S),
            "with_beta": round(self.beta_hz * ONE / NS_PER_S),
            "with_coupling": self.coupling,
            "with_min_threshold_ns": lowest,
            "with_max_threshold_ns": highest,
            "with_ramp": ONE // (highest - lowest) if highest > lowest else 0,
            "with_max_classic": ONE // self.coupling**2,
            "with_max_packet_bytes": port.frame_bytes,
            "with_seed": port.seed if self.marks == "random" else 0,
        }
        return {CLASSES: {"time_shift_us": microseconds(self.time_shift_ms)}, DECISIONS: decisions}
