"""The variants of Nodectl, and the testbed's decisions that can be left out of them (docs/decisions/index.md).

A variant is one line in `DESIGNS` here, a program in p4src/, and one line each in `variants/__init__.py` of protocol/, hosts/ and
controller/. Those lines name its reference model, its sender and its controller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from common.errors import UserError
from protocol.constants import MAX_WAY_BITS, WAY_BITS, WAYS


class VariantName(StrEnum):
    """The variants' names, by the pages of docs/protocol/: the paper's protocol with the decisions that hold in all variants; deployable.md
    besides; or fair-level.md on top of both.
    """

    PAPER = "paper"
    DEPLOYABLE = "deployable"
    FAIR_LEVEL = "fair_level"


class Decision(StrEnum):
    """A decision that can be left out; values are its numbers (docs/decisions/index.md), in scenarios. ``V_Q``: the arrival estimate."""

    SUCCESS_LOWERS = "D1"
    """A success lowers the record to max."""
    PASSING_REDUCE_LOWERS = "D2"
    """A reduce passing through lowers the record."""
    HANDED_OUT_AT_ONCE = "D3"
    """Freed capacity is handed out at once."""
    CALLED_BACK = "D4"
    """In the third case, bottleneck records above B_c are reduced; more generally, more than the capacity is called back."""
    REFRESHED = "D5"
    """Senders refresh their records."""
    NO_MORE_THAN_ASKED = "D10"
    """A record reserves min(B_c, max), not B_c."""
    V_Q = "V_Q"
    """Arrivals are estimated; without, Q_T is 1, the transmission that asks."""
    Q_T = "Q_T"
    """Q_T is at least 1, the transmission that asks; without, it is V_Q · Rtt to the letter. Of no account without V_Q."""


DATA_PLANE = frozenset({Decision.SUCCESS_LOWERS, Decision.PASSING_REDUCE_LOWERS, Decision.NO_MORE_THAN_ASKED, Decision.V_Q, Decision.Q_T})
"""Decisions that the P4 program takes."""

CONTROLLER = frozenset({Decision.HANDED_OUT_AT_ONCE, Decision.CALLED_BACK})
"""Decisions that the controller takes; the refreshes are the senders'."""


@dataclass(frozen=True)
class Design:
    """The properties that all variants of one name share, whatever is left out.

    Attributes:
        program: the file of p4src/ that the switches run.
        priorities: classes of packets that the program tells its queues: 1 where there are none.
        gives_up_when_sent: whether a transmission ends when everything has been sent once, before it has arrived.
        counts_overcommitted: whether the program counts operations that grant more than a port has.
        can_leave_out: the decisions that it can do without.
    """

    program: str
    priorities: int = 1
    gives_up_when_sent: bool = False
    counts_overcommitted: bool = False
    can_leave_out: frozenset[Decision] = frozenset(Decision)


DESIGNS: Mapping[VariantName, Design] = {
    VariantName.PAPER: Design("nodectl.p4"),
    VariantName.DEPLOYABLE: Design("nodectl_deployable.p4", priorities=3, gives_up_when_sent=True, counts_overcommitted=True),
    VariantName.FAIR_LEVEL: Design(
        "nodectl_fair_level.p4", priorities=3, gives_up_when_sent=True, counts_overcommitted=True, can_leave_out=frozenset()
    ),
}


@dataclass(frozen=True)
class Variant:
    """A variant by name, and which decisions are left out of it: the paper's with all of them by default.

    Raises:
        UserError: a decision that the variant cannot do without is left out.
        ValueError: no store is of that size.
    """

    without: frozenset[Decision] = frozenset()
    basis: VariantName = VariantName.PAPER
    way_bits: int = WAY_BITS
    """How large the store of records is: 4 ways of 2**way_bits slots."""

    def __post_init__(self) -> None:
        if not 1 <= self.way_bits <= MAX_WAY_BITS:
            raise ValueError(f"a way of the store has 2 to 2^{MAX_WAY_BITS} slots, not 2^{self.way_bits}")
        if not self.without <= self.design.can_leave_out:
            raise UserError(f"nothing can be left out of the variant {self.basis}", "without = [...] is for the others")

    @classmethod
    def lacking(cls, *decisions: Decision | str) -> Variant:
        """The paper's variant without these decisions."""
        return cls.named(VariantName.PAPER, decisions)

    def __contains__(self, decision: Decision) -> bool:
        """Whether the decision holds."""
        return decision not in self.without

    @classmethod
    def named(cls, name: VariantName, without: Iterable[Decision | str] = ()) -> Variant:
        """The variant of that name, without these decisions.

        Raises:
            UserError: one of them cannot be left out of it.
        """
        return cls(frozenset(Decision(decision) for decision in without), name)

    @property
    def design(self) -> Design:
        """The properties that all variants of its name share."""
        return DESIGNS[self.basis]

    @property
    def defines(self) -> tuple[str, ...]:
        """The definitions (``-D``) that the P4 program is compiled with, in a fixed order."""
        without = tuple(f"NODECTL_WITHOUT_{decision}" for decision in _ordered(self.without & DATA_PLANE))
        store = () if self.way_bits == WAY_BITS else (f"NODECTL_WAY_BITS={self.way_bits}",)
        return (*without, *store)

    @property
    def slots(self) -> int:
        """Places for records in one switch, over all its ports."""
        return WAYS << self.way_bits

    @property
    def name(self) -> str:
        """In words, for tables and folders."""
        words: list[str] = [] if self.basis is VariantName.PAPER else [self.basis]
        words += ["without", *_ordered(self.without)] if self.without else []
        words += [] if self.way_bits == WAY_BITS else [str(self.slots), "slots"]
        return "-".join(words or ["complete"])


def _ordered(decisions: Iterable[Decision]) -> list[Decision]:
    every = list(Decision)
    return sorted(decisions, key=every.index)


COMPLETE = Variant()
DEPLOYABLE = Variant(basis=VariantName.DEPLOYABLE)
FAIR_LEVEL = Variant(basis=VariantName.FAIR_LEVEL)
