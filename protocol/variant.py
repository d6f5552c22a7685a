"""Nodectl without one of the testbed's decisions: what the paper leaves open or says otherwise (docs/protocol.md), to be measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from protocol.constants import MAX_WAY_BITS, WAY_BITS, WAYS


class VariantName(StrEnum):
    """Which Nodectl: docs/protocol.md up to D17, that and "The deployable variant", or with "The fair-level variant" besides."""

    PAPER = "paper"
    DEPLOYABLE = "deployable"
    FAIR_LEVEL = "fair_level"


class Decision(StrEnum):
    """A decision that can be left out. The names are those of docs/protocol.md; ``V_Q`` is the arrival estimate."""

    D1 = "D1"
    """A success lowers the record to max."""
    D2 = "D2"
    """A reduce passing through lowers the record."""
    D3 = "D3"
    """Freed capacity is handed out at once."""
    D4 = "D4"
    """In the third case, bottleneck records above B_c are reduced; more generally, more than the capacity is called back."""
    D5 = "D5"
    """Senders refresh their records."""
    D10 = "D10"
    """A record reserves min(B_c, max), not B_c."""
    V_Q = "V_Q"
    """Arrivals are estimated; without, Q_T is 1, the transmission that asks."""
    Q_T = "Q_T"
    """Q_T is at least 1, the transmission that asks; without, it is V_Q · Rtt to the letter. Of no account without V_Q."""


DATA_PLANE = frozenset({Decision.D1, Decision.D2, Decision.D10, Decision.V_Q, Decision.Q_T})
"""Decisions that the P4 program takes."""

CONTROLLER = frozenset({Decision.D3, Decision.D4})
"""Decisions that the controller takes; D5 is the senders'."""


@dataclass(frozen=True)
class Variant:
    """Which decisions are left out: none by default."""

    without: frozenset[Decision] = frozenset()
    is_deployable: bool = False
    """With the decisions that go past the paper (docs/protocol.md, "The deployable variant"), all of them."""
    way_bits: int = WAY_BITS
    """How large the store of records is: 4 ways of 2**way_bits slots."""

    def __post_init__(self) -> None:
        if not 1 <= self.way_bits <= MAX_WAY_BITS:
            raise ValueError(f"a way of the store has 2 to 2^{MAX_WAY_BITS} slots, not 2^{self.way_bits}")

    @classmethod
    def lacking(cls, *decisions: Decision | str) -> Variant:
        """The variant without these decisions."""
        return cls(frozenset(Decision(decision) for decision in decisions))

    def __contains__(self, decision: Decision) -> bool:
        """Whether the decision holds."""
        return decision not in self.without

    @classmethod
    def named(cls, name: VariantName, without: Iterable[Decision | str] = ()) -> Variant:
        """The variant of that name, without these decisions."""
        if name is VariantName.FAIR_LEVEL:
            from protocol.fair_level import FairLevelVariant  # which builds on this module

            return FairLevelVariant(cls.lacking(*without).without)
        return cls(cls.lacking(*without).without, name is VariantName.DEPLOYABLE)

    @property
    def basis(self) -> VariantName:
        """Which Nodectl it is, whatever is left out."""
        return VariantName.DEPLOYABLE if self.is_deployable else VariantName.PAPER

    @property
    def defines(self) -> tuple[str, ...]:
        """What the P4 program is compiled with (``-D``), in a fixed order."""
        without = tuple(f"NODECTL_WITHOUT_{decision}" for decision in _ordered(self.without & DATA_PLANE))
        store = () if self.way_bits == WAY_BITS else (f"NODECTL_WAY_BITS={self.way_bits}",)
        return (*(("NODECTL_DEPLOYABLE",) if self.is_deployable else ()), *without, *store)

    @property
    def slots(self) -> int:
        """Places for records in one switch, over all its ports."""
        return WAYS << self.way_bits

    @property
    def priorities(self) -> int:
        """Classes of packets that the program tells its queues (D27): 1 where there are none."""
        return 3 if self.is_deployable else 1

    @property
    def name(self) -> str:
        """In words, for tables and folders."""
        words: list[str] = [self.basis] if self.is_deployable else []
        words += ["without", *_ordered(self.without)] if self.without else []
        words += [] if self.way_bits == WAY_BITS else [str(self.slots), "slots"]
        return "-".join(words or ["complete"])


def _ordered(decisions: Iterable[Decision]) -> list[Decision]:
    every = list(Decision)
    return sorted(decisions, key=every.index)


COMPLETE = Variant()
DEPLOYABLE = Variant(is_deployable=True)
