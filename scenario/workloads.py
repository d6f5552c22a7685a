"""Workloads: transmissions that arrive by a seeded process, with sizes drawn from a distribution, between hosts by a pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random

from pydantic import Field, model_validator

from common.units import BITS_PER_BYTE
from scenario.arrivals import Arrivals, LoadArrivals, PoissonArrivals
from scenario.base import Name, PositiveRate, SchemeName, Strict
from scenario.transmission_pairs import Pattern, pairs_of
from scenario.transmission_sizes import Sizes
from scenario.transmissions import Transmission

MAX_TRANSMISSIONS = 100_000


class Workload(Strict):
    """Transmissions NAME1, NAME2 … between hosts by a pattern, from ``start_s`` until ``stop_s`` or ``count`` of them."""

    name: Name
    """Its transmissions have this name and a number."""
    senders: list[Name] = Field(default=[], examples=[["h1", "h2"]])
    """Hosts out of which each transmission's sender is drawn; left out, all."""
    receivers: list[Name] = Field(default=[], examples=[["h3", "h4"]])
    """Hosts out of which each transmission's receiver is drawn; left out, all."""
    pattern: Pattern = Pattern.RANDOM
    """Choice of senders and receivers. ``random``: any two. ``permutation``: each sender has one receiver, its own. ``all_to_all``: all
    pairs in turn. ``incast``: ``fan_in`` senders begin at once, to one receiver."""
    fan_in: int = Field(default=1, ge=1, le=1000)
    """With ``incast``: how many send at once. An arrival is all of them."""
    arrivals: Arrivals
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
    def _fits_together(self) -> Workload:
        if self.fan_in != 1 and self.pattern is not Pattern.INCAST:
            raise ValueError(f'workload {self.name!r}: fan_in is for pattern = "incast"')
        if isinstance(self.arrivals, LoadArrivals) and self.sizes.mean_bytes is None:
            raise ValueError(f"workload {self.name!r}: its sizes have no mean that a load could be made of: give most_bytes")
        return self

    def among(self, hosts: Sequence[str]) -> Workload:
        """The same with all hosts where the file names none."""
        return self.model_copy(update={"senders": self.senders or list(hosts), "receivers": self.receivers or list(hosts)})

    def loaded_links(self, access: Callable[[str], tuple[str, str]]) -> list[tuple[str, str]]:
        """The links that the arrivals are to load, in the data's direction; empty: they are not given so.

        Args:
            access: the access link of a host.
        """
        if not isinstance(self.arrivals, LoadArrivals):
            return []
        return [access(host) for host in self.senders] if self.arrivals.link is None else [self.arrivals.link]

    def at_load(self, payload_bps: float) -> Workload:
        """The same with so many arrivals a second as make the load, if they are given so.

        Args:
            payload_bps: the rate of the links that are to be loaded, together, bit/s of payload.
        """
        if not isinstance(self.arrivals, LoadArrivals):
            return self
        assert self.sizes.mean_bytes is not None  # checked when the file was read
        load_bps = self.arrivals.percent / 100 * payload_bps
        per_s = load_bps / (self.fan_in * self.sizes.mean_bytes * BITS_PER_BYTE)
        return self.model_copy(update={"arrivals": PoissonArrivals(kind="poisson", per_s=per_s)})

    def arriving_s(self, seed: int, duration_s: float) -> tuple[float, float]:
        """From when until when transmissions arrive, seconds after the run's start: the last one ends it if there are ``count``."""
        if self.count is not None:
            starts_s = [one.start_s for one in self.transmissions(seed, duration_s)]
            if len(starts_s) == self.count:
                return self.start_s, starts_s[-1]
        return self.start_s, min(self.stop_s or duration_s, duration_s)

    def transmissions(self, seed: int, duration_s: float) -> Iterator[Transmission]:
        """The transmissions of one seed. Each workload draws from a sequence of its own.

        Raises:
            ValueError: they are too many, or the pattern needs other hosts.
        """
        random = Random(f"workload {self.name} {seed}")
        numbers = count(1)
        at_s = self.start_s
        pairs = pairs_of(self.pattern, self.senders, self.receivers, self.fan_in, random)
        while True:
            at_s += self.arrivals.gap_s(random)
            if at_s >= min(self.stop_s or duration_s, duration_s):
                return
            for sender, receiver in next(pairs):
                number = next(numbers)
                if self.count is not None and number > self.count:
                    return
                if number > MAX_TRANSMISSIONS:
                    raise ValueError(f"workload {self.name!r}: more than {MAX_TRANSMISSIONS} transmissions")
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
