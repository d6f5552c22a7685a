"""Tables, actions, keys and parameters by their names, as P4Info has them or shorter, as long as only one is meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from finsy.proto import p4i

_T = TypeVar("_T")


class Named(Protocol):
    """A table, an action, a counter of P4Info."""

    @property
    def preamble(self) -> p4i.Preamble:
        """Its names."""


_N = TypeVar("_N", bound=Named)


def by_names(all_of_them: Iterable[_N]) -> list[tuple[Sequence[str], _N]]:
    """Objects of P4Info with their names, as :func:`found` takes them."""
    return [((one.preamble.name, one.preamble.alias), one) for one in all_of_them]


def found(wanted: str, known: Sequence[tuple[Sequence[str], _T]], what: str, where: str) -> _T:
    """The one that is meant.

    Args:
        wanted: its name, or what its name ends in after a dot.
        known: each with its names, the full one first.
        what: ``table``, ``action`` …
        where: of what, for messages.

    Raises:
        ValueError: there is none, or several are meant; the message lists names that are near.
    """
    exact = [one for names, one in known if wanted in names]
    if len(exact) == 1:
        return exact[0]
    ends = [(names[0], one) for names, one in known if any(name.endswith(f".{wanted}") for name in names)]
    if len(ends) == 1:
        return ends[0][1]
    if ends or exact:
        raise ValueError(f"{what} {wanted!r} is ambiguous{where}: {', '.join(name for name, _ in ends)}")
    every = [names[0] for names, _ in known]
    raise ValueError(f"there is no {what} {wanted!r}{where}; {_near(wanted, every, known)}")


def _near(wanted: str, every: Sequence[str], known: Iterable[tuple[Sequence[str], object]]) -> str:
    if not every:
        return "there is none at all"
    short = {name.rpartition(".")[2]: names[0] for names, _ in known for name in names}
    near = difflib.get_close_matches(wanted.rpartition(".")[2], list(short), 1)
    return f"did you mean {short[near[0]]}?" if near else f"there are: {', '.join(every)}"
