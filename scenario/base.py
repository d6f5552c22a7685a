"""What all parts of a scenario file are made of: strict models, names, rates, one link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

BITS_PER_MEGABIT = 1_000_000
"""Bits in one megabit, as network people count."""

PositiveRate = Annotated[float, Field(gt=0, le=100_000)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$")]
SchemeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,14}$")]


class Strict(BaseModel):
    """A part of a scenario file: unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def refuse_unknown_hosts(more_interfaces: Iterable[str], hosts: Iterable[str]) -> None:
    """Interfaces are given to hosts that there are.

    Raises:
        ValueError: one of them is no host.
    """
    unknown = sorted(set(more_interfaces) - set(hosts))
    if unknown:
        raise ValueError(f"more_interfaces: there is no host {unknown[0]!r}")


class LinkParameters(Strict):
    """One link, both directions alike."""

    rate_mbps: PositiveRate
    delay_ms: float = Field(default=0.0, ge=0, le=10_000)
    queue_packets: int = Field(default=1000, ge=1, le=1_000_000)
    loss_percent: float = Field(default=0.0, ge=0, lt=100)
    control_loss_percent: float = Field(default=0.0, ge=0, lt=100)
    """Nodectl's messages that are lost besides; other packets are not touched by it."""

    @property
    def rate_bps(self) -> int:
        """Bit rate of the link, Ethernet frame bytes without FCS, in bit/s."""
        return round(self.rate_mbps * BITS_PER_MEGABIT)

    @property
    def delay_us(self) -> int:
        """Propagation delay, one way, in microseconds."""
        return round(self.delay_ms * 1000)

    @property
    def loss(self) -> float:
        """Probability that a packet is lost on the link, 0 to 1."""
        return self.loss_percent / 100.0

    @property
    def control_loss(self) -> float:
        """Probability that a Nodectl message is lost on the link besides, 0 to 1."""
        return self.control_loss_percent / 100.0
