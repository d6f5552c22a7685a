"""The base of all queue disciplines, and the facts about a port that they are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from common.units import MS_PER_S, NS_PER_S, US_PER_S
from scenario.base import Strict

Milliseconds = Annotated[float, Field(gt=0, le=1000)]
Weight = Annotated[int, Field(ge=1, le=1_000_000)]

DECISIONS = "managed_ports"
"""The table that says how a port's packets are dropped or marked; its action is ``manage``."""

CLASSES = "classified_ports"
"""The table that says how a port's packets get their queues; its action is ``classify``."""


SEEDS = (1, 2**31)
"""Two that differ in more than their last bit, which some programs set."""


@dataclass(frozen=True)
class ManagedPort:
    """A switch's port whose discipline a program carries out.

    Args:
        frame_bytes: its largest frame.
        rate_mbps: of the link that it leads to.
        seed: of its random numbers, from 1 to 2^32 - 1.
        number: among those of the switch, from 0.
    """

    frame_bytes: int
    rate_mbps: float
    seed: int
    number: int


class Discipline(Strict):
    """One discipline with its parameters; drop tail, if it is no other."""

    program: ClassVar[str | None] = None
    """The P4 program of p4src/ that carries it out; None: the link model does."""

    shared: ClassVar[str | None] = None
    """Its queues share the link's limit of packets; which one loses a packet then (``shared_queue`` of docs/links.md)."""

    @property
    def draws(self) -> bool:
        """Whether a run's seed changes its decisions: the program's entries tell it."""
        one, another = (ManagedPort(frame_bytes=1514, rate_mbps=1, seed=seed, number=0) for seed in SEEDS)
        return self.program is not None and self.entries(one) != self.entries(another)

    def fields_of_link(self) -> dict[str, Any]:
        """The keys of the link's description that it needs (docs/links.md)."""
        return {}

    def entries(self, port: ManagedPort) -> Mapping[str, Mapping[str, int]]:
        """The program's entries for a port: of each table, the arguments of its action.

        Raises:
            ValueError: the program has no room for one more port.
        """
        raise NotImplementedError(f"no program, and no entries for {port}")


def nanoseconds(milliseconds: float) -> int:
    """A time in nanoseconds."""
    return round(milliseconds * NS_PER_S / MS_PER_S)


def microseconds(milliseconds: float) -> int:
    """A time in microseconds."""
    return round(milliseconds * US_PER_S / MS_PER_S)
