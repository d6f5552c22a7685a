"""How long controller and switches take beyond what passes by itself: what the scenario says, else nothing in real time, and what was
measured in virtual time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from protocol.time_mode import is_virtual_time
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

MEASURED = ComputingTimes(controller_event_ms=0.12, controller_record_us=2.7, controller_channel_ms=0.2, pipeline_us=1.25)


def times_of(computing: Computing) -> ComputingTimes:
    """What is added to the time that passes anyway: what the scenario says, and by default what the kind of time needs."""
    return replace(MEASURED if is_virtual_time() else NOTHING_ADDED, **computing.model_dump(exclude_none=True))
