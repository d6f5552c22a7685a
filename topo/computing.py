"""Computing times of controller and switches, beyond the time that passes by itself.

A scenario may give them. By default they are zero in real time, and the measured ones in virtual time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from common.time_mode import is_virtual_time
from scenario.computing import Computing


@dataclass(frozen=True)
class ComputingTimes:
    """The times of ``scenario.computing.Computing``, all of them known."""

    controller_event_ms: float = 0.0
    controller_record_us: float = 0.0
    controller_channel_ms: float = 0.0
    pipeline_us: float = 0.0


NOTHING_ADDED = ComputingTimes()
"""In real time computing takes its time by itself."""

MEASURED = ComputingTimes(controller_event_ms=0.9, controller_record_us=4.0, controller_channel_ms=0.4, pipeline_us=1.1)
"""In virtual time it takes none, so these are added. They were measured in real time on 2026-11-22, on two busy virtual cores (Intel
Xeon, Linux 6.18.44). The controller's are by ``bench/studies/controller_costs.py``, the pipeline's by ``cargo run --release -p v1model
--example speed`` with build/nodectl.json. docs/timing.md, "What computing costs", has them rounded up."""


def times_of(computing: Computing) -> ComputingTimes:
    """The times to add to the time that passes by itself: the scenario's, and by default those that the kind of time needs."""
    return replace(MEASURED if is_virtual_time() else NOTHING_ADDED, **computing.model_dump(exclude_none=True))
