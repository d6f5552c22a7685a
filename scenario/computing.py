"""``[computing]`` of a scenario file: how long controller and switches take. topo/computing.py decides about keys left out."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from scenario.base import Strict


class Computing(Strict):
    """Times that computing takes, each of them only where the file gives it."""

    controller_event_ms: Annotated[float, Field(ge=0, le=1_000)] | None = None
    """Time of the controller's one processor for each packet-in and each command."""
    controller_record_us: Annotated[float, Field(ge=0, le=1_000_000)] | None = None
    """Its time for each entry that the controller sends: a record that it adjusts, reads or lets expire, a port that it reads."""
    controller_channel_ms: Annotated[float, Field(ge=0, le=500)] | None = None
    """Delay, one way, between the controller and each of its switches."""
    pipeline_us: Annotated[float, Field(ge=0, le=1_000_000)] | None = None
    """Time from a packet's arrival at a switch until it is in its queue."""
