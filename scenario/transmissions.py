"""Who sends what to whom, and when."""

from __future__ import annotations

from pydantic import Field, model_validator

from protocol.units import BITS_PER_MEGABIT
from scenario.base import Name, PositiveRate, SchemeName, Strict


class Transmission(Strict):
    """One transmission; times in seconds after the run's start."""

    name: Name
    sender: Name
    receiver: Name
    scheme: SchemeName | None = None
    """Its own congestion control, whatever the run's scheme is."""
    start_s: float = Field(default=0.0, ge=0)
    stop_s: float | None = Field(default=None, gt=0)
    size_bytes: int | None = Field(default=None, gt=0)
    """Payload; without, it sends until it is stopped."""
    min_rate_mbps: float = Field(default=0.0, ge=0)
    max_rate_mbps: PositiveRate | None = None
    """What it can send at most; without, what its access links carry. A scheme that negotiates asks for this."""
    multipath: bool = False
    """With MPTCP, over a subflow from each interface of the sender."""
    sampled: bool = True
    """Look at its connection every millisecond."""

    @model_validator(mode="after")
    def _is_possible(self) -> Transmission:
        where = f"transmission {self.name!r}"
        if self.sender == self.receiver:
            raise ValueError(f"{where}: sender and receiver are the same host")
        if self.stop_s is not None and self.start_s >= self.stop_s:
            raise ValueError(f"{where}: it starts at {self.start_s:g} s but ends before that")
        if self.max_rate_mbps is not None and self.min_rate_mbps > self.max_rate_mbps:
            raise ValueError(f"{where}: min_rate_mbps is above max_rate_mbps")
        return self

    @property
    def min_rate_bps(self) -> int:
        """The least that it takes, bit/s of the frame."""
        return round(self.min_rate_mbps * BITS_PER_MEGABIT)
