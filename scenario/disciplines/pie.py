"""PIE (RFC 8033)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from common.units import US_PER_S
from protocol.model.pie_model import ONE
from scenario.disciplines.base import DECISIONS, Discipline, ManagedPort, Milliseconds, microseconds

Gain = Annotated[float, Field(gt=0, le=100)]


class Pie(Discipline):
    """PIE; gains are those of the RFC, a second."""

    program: ClassVar[str | None] = "pie.p4"
    target_ms: Milliseconds = 15.0
    tick_ms: Milliseconds = 15.0
    alpha: Gain = 0.125
    beta: Gain = 1.25
    max_burst_ms: Milliseconds = 150.0
    ecn: bool = False

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """See :meth:`Discipline.entries`."""
        decisions = {
            "with_target_us": microseconds(self.target_ms),
            "with_tick_us": microseconds(self.tick_ms),
            "with_alpha": round(self.alpha * ONE / US_PER_S),
            "with_beta": round(self.beta * ONE / US_PER_S),
            "with_max_burst_us": microseconds(self.max_burst_ms),
            "with_seed": port.seed,
            "with_marks": int(self.ecn),
        }
        return {DECISIONS: decisions}
