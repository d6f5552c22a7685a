"""Workloads: transmissions that arrive by a seeded process, with sizes drawn from a distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Annotated, Literal

from pydantic import Field, model_validator

from scenario.base import Name, PositiveRate, SchemeName, Strict
from scenario.transmissions import Transmission

MAX_TRANSMISSIONS = 100_000


class PoissonArrivals(Strict):
    """Gaps between arrivals are exponentially distributed."""

    kind: Literal["poisson"]
    per_s: float = Field(gt=0)

    def gap_s(self, random: Random) -> float:
        """Until the next arrival."""
        return random.expovariate(self.per_s)


class PeriodicArrivals(Strict):
    """One after the other at equal distances."""

    kind: Literal["periodic"]
    every_s: float = Field(gt=0)

    def gap_s(self, random: Random) -> float:  # noqa: ARG002 - nothing is drawn
        """Until the next arrival."""
        return self.every_s


class ConstantSize(Strict):
    """All alike."""

    kind: Literal["constant"]
    bytes: int = Field(gt=0)

    def draw_bytes(self, random: Random) -> float:  # noqa: ARG002 - nothing is drawn
        """Size of one transmission."""
        return self.bytes


class ExponentialSize(Strict):
    """Exponentially distributed."""

    kind: Literal["exponential"]
    mean_bytes: float = Field(gt=0)

    def draw_bytes(self, random: Random) -> float:
        """Size of one transmission."""
        return random.expovariate(1 / self.mean_bytes)


class ParetoSize(Strict):
    """Heavy-tailed: P(size > x) = (least / x)^shape, drawn anew above ``most_bytes``."""

    kind: Literal["pareto"]
    shape: float = Field(gt=0)
    least_bytes: int = Field(gt=0)
    most_bytes: int | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _has_room(self) -> ParetoSize:
        if self.most_bytes is not None and self.most_bytes <= self.least_bytes:
            raise ValueError("most_bytes is not above least_bytes")
        return self

    def draw_bytes(self, random: Random) -> float:
        """Size of one transmission, by inversion of the distribution between the two ends."""
        beyond = 0.0 if self.most_bytes is None else (self.least_bytes / self.most_bytes) ** self.shape
        return self.least_bytes * float((1 - random.random() * (1 - beyond)) ** (-1 / self.shape))


class LognormalSize(Strict):
    """The logarithm is normally distributed with standard deviation ``sigma``."""

    kind: Literal["lognormal"]
    median_bytes: float = Field(gt=0)
    sigma: float = Field(gt=0, le=5)

    def draw_bytes(self, random: Random) -> float:
        """Size of one transmission."""
        return random.lognormvariate(math.log(self.median_bytes), self.sigma)


class Workload(Strict):
    """Transmissions NAME1, NAME2 … between hosts drawn at random, from ``start_s`` until ``stop_s`` or ``count`` of them."""

    name: Name
    senders: list[Name] = Field(min_length=1)
    receivers: list[Name] = Field(min_length=1)
    arrivals: Annotated[PoissonArrivals | PeriodicArrivals, Field(discriminator="kind")]
    sizes: Annotated[ConstantSize | ExponentialSize | ParetoSize | LognormalSize, Field(discriminator="kind")]
    start_s: float = Field(default=0.0, ge=0)
    stop_s: float | None = Field(default=None, gt=0)
    count: int | None = Field(default=None, ge=1, le=MAX_TRANSMISSIONS)
    scheme: SchemeName | None = None
    min_rate_mbps: float = Field(default=0.0, ge=0)
    max_rate_mbps: PositiveRate | None = None

    def transmissions(self, seed: int, duration_s: float) -> Iterator[Transmission]:
        """The transmissions of one seed. Each workload draws from a sequence of its own.

        Raises:
            ValueError: they are too many.
        """
        random = Random(f"workload {self.name} {seed}")
        pairs = [(sender, receiver) for sender in self.senders for receiver in self.receivers if sender != receiver]
        at_s = self.start_s
        for number in range(1, (self.count or MAX_TRANSMISSIONS + 1) + 1):
            at_s += self.arrivals.gap_s(random)
            if at_s >= min(self.stop_s or duration_s, duration_s):
                return
            if number > MAX_TRANSMISSIONS:
                raise ValueError(f"workload {self.name!r}: more than {MAX_TRANSMISSIONS} transmissions")
            sender, receiver = random.choice(pairs)
            yield Transmission(
                name=f"{self.name}{number}",
                sender=sender,
                receiver=receiver,
                scheme=self.scheme,
                start_s=round(at_s, 6),
                size_bytes=max(1, round(self.sizes.draw_bytes(random))),
                min_rate_mbps=self.min_rate_mbps,
                max_rate_mbps=self.max_rate_mbps,
                sampled=False,
            )
