"""How much a workload's transmissions send: distributions of sizes."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from scenario.base import Strict


class ConstantSize(Strict):
    """All sizes are alike."""

    kind: Literal["constant"]
    bytes: int = Field(gt=0)
    """Payload of each transmission."""

    @property
    def mean_bytes(self) -> float:
        """Mean of the distribution, bytes."""
        return self.bytes

    def draw_bytes(self, random: Random) -> float:  # noqa: ARG002 - nothing is drawn
        """Draw the size of one transmission, bytes."""
        return self.bytes


class ExponentialSize(Strict):
    """Sizes are distributed exponentially."""

    kind: Literal["exponential"]
    mean_bytes: float = Field(gt=0)
    """Mean payload."""

    def draw_bytes(self, random: Random) -> float:
        """Draw the size of one transmission, bytes."""
        return random.expovariate(1 / self.mean_bytes)


class ParetoSize(Strict):
    """Heavy-tailed: P(size > x) = (least / x)^shape, drawn anew above ``most_bytes``."""

    kind: Literal["pareto"]
    shape: float = Field(gt=0)
    """The smaller, the heavier the tail."""
    least_bytes: int = Field(gt=0)
    """The smallest payload."""
    most_bytes: int | None = Field(default=None, gt=0)
    """The largest payload; left out, there is none."""

    @model_validator(mode="after")
    def _has_room(self) -> ParetoSize:
        if self.most_bytes is not None and self.most_bytes <= self.least_bytes:
            raise ValueError("most_bytes is not above least_bytes")
        return self

    @property
    def mean_bytes(self) -> float | None:
        """Mean of the distribution; None: it has none (shape of 1 or less, and no ``most_bytes``)."""
        least, shape = self.least_bytes, self.shape
        if self.most_bytes is None:
            return shape * least / (shape - 1) if shape > 1 else None
        spread = self.most_bytes / least
        if shape == 1:
            return least * math.log(spread) / (1 - 1 / spread)
        return least * shape / (shape - 1) * (1 - float(spread ** (1 - shape))) / (1 - float(spread**-shape))

    def draw_bytes(self, random: Random) -> float:
        """Size of one transmission, by inversion of the distribution between the two ends."""
        beyond = 0.0 if self.most_bytes is None else (self.least_bytes / self.most_bytes) ** self.shape
        return self.least_bytes * float((1 - random.random() * (1 - beyond)) ** (-1 / self.shape))


class LognormalSize(Strict):
    """The logarithm is normally distributed with standard deviation ``sigma``."""

    kind: Literal["lognormal"]
    median_bytes: float = Field(gt=0)
    """Median payload."""
    sigma: float = Field(gt=0, le=5)
    """Standard deviation of the logarithm."""

    @property
    def mean_bytes(self) -> float:
        """Mean of the distribution, bytes."""
        return self.median_bytes * math.exp(self.sigma**2 / 2)

    def draw_bytes(self, random: Random) -> float:
        """Draw the size of one transmission, bytes."""
        return random.lognormvariate(math.log(self.median_bytes), self.sigma)


class WebSize(Strict):
    """Files of web servers: many small ones, lognormal, and a heavy tail, Pareto.

    Source: Barford and Crovella, Generating Representative Web Workloads for Network and Server Performance Evaluation, SIGMETRICS 1998:
    the file sizes of their generator SURGE: 93 % from a lognormal body, the others from a Pareto tail of 133 KB and more. The tail's end
    at ``most_bytes`` is ours: without it, at a shape of 1.1, the largest of some thousand sizes decides their mean.
    """

    kind: Literal["web"]
    most_bytes: int = Field(default=10_000_000, gt=133_000)
    """The largest file."""

    @property
    def mean_bytes(self) -> float:
        """Mean of the distribution, bytes."""
        tail = self._tail.mean_bytes
        assert tail is not None  # it has an end
        return WEB_BODY_SHARE * WEB_BODY.mean_bytes + (1 - WEB_BODY_SHARE) * tail

    def draw_bytes(self, random: Random) -> float:
        """Draw the size of one transmission, bytes."""
        return (WEB_BODY if random.random() < WEB_BODY_SHARE else self._tail).draw_bytes(random)

    @property
    def _tail(self) -> ParetoSize:
        return ParetoSize(kind="pareto", shape=1.1, least_bytes=133_000, most_bytes=self.most_bytes)


WEB_BODY_SHARE = 0.93
WEB_BODY = LognormalSize(kind="lognormal", median_bytes=math.exp(9.357), sigma=1.318)


class _TabledSize(Strict):
    """Sizes by a published table: between its points, the probability grows with the size evenly."""

    points: ClassVar[tuple[tuple[int, float], ...]]
    """Sizes in bytes, and the part of the transmissions that are not larger."""

    most_bytes: int | None = Field(default=None, gt=1000)
    """The largest size: one that is larger is cut down to it; left out, the table's."""

    @property
    def mean_bytes(self) -> float:
        """Mean of the distribution, bytes."""
        most = self.most_bytes or self.points[-1][0]
        mean = 0.0
        for (low, before), (high, until) in pairwise(self.points):
            share = until - before
            if high <= most:
                mean += share * (low + high) / 2
            elif low >= most:
                mean += share * most
            else:
                below = (most - low) / (high - low)
                mean += share * (below * (low + most) / 2 + (1 - below) * most)
        return mean

    def draw_bytes(self, random: Random) -> float:
        """Draw the size of one transmission, bytes."""
        drawn = random.random()
        for (low, before), (high, until) in pairwise(self.points):
            if drawn < until:
                return min(low + (high - low) * (drawn - before) / (until - before), self.most_bytes or high)
        raise AssertionError("the last point's part is 1")


class WebSearchSize(_TabledSize):
    """Answers of a web search's servers to each other, and their updates: half of them below 80 KB, most bytes in those above 1 MB.

    Source: Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010, figure 4; its points: those of HPCC's simulations
    (SIGCOMM 2019).
    """

    kind: Literal["web_search"]
    points: ClassVar = (
        (0, 0.0), (10_000, 0.15), (20_000, 0.20), (30_000, 0.30), (50_000, 0.40), (80_000, 0.53), (200_000, 0.60),
        (1_000_000, 0.70), (2_000_000, 0.80), (5_000_000, 0.90), (10_000_000, 0.97), (30_000_000, 1.0),
    )  # fmt: skip


class DataMiningSize(_TabledSize):
    """Transfers of a cluster that mines data: four of five below 10 KB, and nearly all bytes in those above 100 MB.

    Source: Greenberg et al., VL2: A Scalable and Flexible Data Center Network, SIGCOMM 2009, figure 2; its points: those of Opera's
    simulations (NSDI 2020).
    """

    kind: Literal["data_mining"]
    points: ClassVar = (
        (100, 0.0), (180, 0.085), (250, 0.14), (560, 0.33), (900, 0.47), (1100, 0.55), (1870, 0.65), (3160, 0.70), (10_000, 0.80),
        (100_001, 0.874), (400_000, 0.90), (1_850_000, 0.95), (10_000_000, 0.97), (30_000_000, 0.98), (100_000_000, 0.99),
        (250_000_000, 0.995), (1_000_000_000, 1.0),
    )  # fmt: skip


Sizes = Annotated[
    ConstantSize | ExponentialSize | ParetoSize | LognormalSize | WebSize | WebSearchSize | DataMiningSize,
    Field(discriminator="kind", examples=[{"kind": "constant", "bytes": 5000}]),
]
