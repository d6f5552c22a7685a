"""Workloads: transmissions that arrive by a seeded process, with sizes drawn from a distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Annotated, Literal

from pydantic import Field, model_validator

from common.units import BITS_PER_BYTE
from scenario.base import Name, PositiveRate, SchemeName, Strict
from scenario.transmissions import Transmission

MAX_TRANSMISSIONS = 100_000


class PoissonArrivals(Strict):
    """Gaps between arrivals are exponentially distributed."""

    kind: Literal["poisson"]
    per_s: float = Field(gt=0)
    """Arrivals a second, on average."""

    def gap_s(self, random: Random) -> float:
        """Draw the time until the next arrival, seconds."""
        return random.expovariate(self.per_s)


class LoadArrivals(Strict):
    """Poisson arrivals whose payload makes a load of a link, as a part of the rate that full packets leave for payload."""

    kind: Literal["load"]
    percent: float = Field(gt=0, le=200)
    """The part of the link's payload rate that the arrivals fill on average."""
    link: Annotated[tuple[Name, Name], Field(examples=[["s1", "s2"]])]
    """The link, in the direction of the data."""

    def gap_s(self, random: Random) -> float:  # noqa: ARG002 - nothing can be drawn
        """Nobody can say before :meth:`Workload.at_load`.

        Raises:
            ValueError: always.
        """
        raise ValueError("how many arrivals make a load depends on the link: see Workload.at_load")


class PeriodicArrivals(Strict):
    """One after the other at equal distances."""

    kind: Literal["periodic"]
    every_s: float = Field(gt=0)
    """Time from one arrival to the next."""

    def gap_s(self, random: Random) -> float:  # noqa: ARG002 - nothing is drawn
        """The time until the next arrival, seconds."""
        return self.every_s


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

Sizes = Annotated[
    ConstantSize | ExponentialSize | ParetoSize | LognormalSize | WebSize,
    Field(discriminator="kind", examples=[{"kind": "constant", "bytes": 5000}]),
]


class Workload(Strict):
    """Transmissions NAME1, NAME2 … between hosts drawn at random, from ``start_s`` until ``stop_s`` or ``count`` of them."""

    name: Name
    """Its transmissions have this name and a number."""
    senders: list[Name] = Field(min_length=1)
    """Hosts out of which each transmission's sender is drawn."""
    receivers: list[Name] = Field(min_length=1, examples=[["h3", "h4"]])
    """Hosts out of which each transmission's receiver is drawn."""
    arrivals: Annotated[
        PoissonArrivals | LoadArrivals | PeriodicArrivals, Field(discriminator="kind", examples=[{"kind": "poisson", "per_s": 4}])
    ]
    """When transmissions start."""
    sizes: Sizes
    """How much each of them sends."""
    start_s: float = Field(default=0.0, ge=0)
    """When the first gap begins."""
    stop_s: float | None = Field(default=None, gt=0)
    """No transmission starts later; left out, they start until the end of the run."""
    count: int | None = Field(default=None, ge=1, le=MAX_TRANSMISSIONS)
    """At most so many transmissions."""
    scheme: SchemeName | None = None
    """Their own congestion control, whatever the run's scheme is."""
    min_rate_mbps: float = Field(default=0.0, ge=0)
    """The least rate that each accepts."""
    max_rate_mbps: PositiveRate | None = None
    """The most that each can send; left out, the rate of its access link."""

    @model_validator(mode="after")
    def _has_a_mean(self) -> Workload:
        if self.load_link is not None and self.sizes.mean_bytes is None:
            raise ValueError(f"workload {self.name!r}: its sizes have no mean that a load could be made of: give most_bytes")
        return self

    @property
    def load_link(self) -> tuple[str, str] | None:
        """The link that the arrivals are to load, if they are given so."""
        return self.arrivals.link if isinstance(self.arrivals, LoadArrivals) else None

    def at_load(self, payload_bps: Callable[[str, str], float]) -> Workload:
        """The same with so many arrivals a second as make the load, if they are given so.

        Args:
            payload_bps: the rate of a link between two nodes in that direction, bit/s of payload.
        """
        if not isinstance(self.arrivals, LoadArrivals):
            return self
        assert self.sizes.mean_bytes is not None  # checked when the file was read
        load_bps = self.arrivals.percent / 100 * payload_bps(*self.arrivals.link)
        per_s = load_bps / (self.sizes.mean_bytes * BITS_PER_BYTE)
        return self.model_copy(update={"arrivals": PoissonArrivals(kind="poisson", per_s=per_s)})

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
