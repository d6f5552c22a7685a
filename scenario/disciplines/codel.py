"""CoDel (RFC 8289), and CoDel for each flow (RFC 8290)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from scenario.disciplines.base import CLASSES, DECISIONS, Discipline, ManagedPort, Milliseconds, Weight, nanoseconds
from scenario.disciplines.schedulers import Drr

ALL_QUEUES = 65536
"""Of all ports of a switch together: QUEUES of p4src/fq_codel_queue.p4."""


class Codel(Discipline):
    """CoDel."""

    program: ClassVar[str | None] = "codel.p4"
    target_ms: Milliseconds = 5.0
    interval_ms: Milliseconds = 100.0
    ecn: bool = False

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """See :meth:`Discipline.entries`."""
        decisions = {
            "with_target_ns": nanoseconds(self.target_ms),
            "with_interval_ns": nanoseconds(self.interval_ms),
            "with_max_packet_bytes": port.frame_bytes,
            "with_marks": int(self.ecn),
        }
        return {DECISIONS: decisions}


class FqCodel(Codel):
    """FQ-CoDel: a queue of its own for each flow, as far as hashes do not meet."""

    program: ClassVar[str | None] = "fq_codel.p4"
    shared: ClassVar[str | None] = "longest"
    queues: int = Field(default=1024, ge=1, le=1024)
    quantum_bytes: Weight = 1514

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return Drr(queues=self.queues, quantum_bytes=self.quantum_bytes, new_first=True).fields_of_link()

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """See :meth:`Discipline.entries`."""
        first = port.number * self.queues
        if first + self.queues > ALL_QUEUES:
            raise ValueError(f"fq_codel has {ALL_QUEUES} queues for all ports of a switch; take fewer than {self.queues} for each link")
        decisions = {"with_first_queue": first} | dict(super().entries(port)[DECISIONS])
        return {CLASSES: {"seed": port.seed | 1, "queues": self.queues}, DECISIONS: decisions}
