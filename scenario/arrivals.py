"""When a workload's transmissions start: processes of arrivals."""

from __future__ import annotations

from random import Random
from typing import Annotated, Literal

from pydantic import Field

from scenario.base import Name, Strict


class PoissonArrivals(Strict):
    """Gaps between arrivals are exponentially distributed."""

    kind: Literal["poisson"]
    per_s: float = Field(gt=0)
    """Arrivals a second, on average."""

    def gap_s(self, random: Random) -> float:
        """Draw the time until the next arrival, seconds."""
        return random.expovariate(self.per_s)


class LoadArrivals(Strict):
    """Poisson arrivals whose payload makes a load of links, as a part of the rate that full packets leave for payload."""

    kind: Literal["load"]
    percent: float = Field(gt=0, le=200)
    """The part of the payload rate that the arrivals fill on average."""
    link: Annotated[tuple[Name, Name] | None, Field(examples=[["s1", "s2"]])] = None
    """The link, in the direction of the data; left out, the access links of all senders together."""

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


Arrivals = Annotated[
    PoissonArrivals | LoadArrivals | PeriodicArrivals, Field(discriminator="kind", examples=[{"kind": "poisson", "per_s": 4}])
]
