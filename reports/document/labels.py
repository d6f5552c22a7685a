"""How variables of the grid, values and runs are put into words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.collect.record import CellRecord
from scenario.expressions import evaluate, is_expression
from scenario.file import Scalar

Labels = Mapping[str, str | dict[str, str]]


def plain(value: Scalar) -> str:
    """A parameter as short as can be: 30, 0.5, trunks."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def label(name: str, value: Scalar, labels: Labels) -> str:
    """A variable of the grid with its value."""
    wanted = labels.get(name, f"{name} {{}}" if isinstance(value, int | float) else "{}")
    return wanted.get(plain(value), plain(value)) if isinstance(wanted, dict) else wanted.format(plain(value))


def joined(point: Mapping[str, Scalar], labels: Labels) -> str:
    """A point of the grid in words."""
    return ", ".join(text for name, value in point.items() if (text := label(name, value, labels)))


def limit_at(limit: float | str, point: Mapping[str, Scalar]) -> float:
    """A number, or the value of an expression at a point of the grid.

    Raises:
        scenario.expressions.ExpressionError: it cannot be computed.
    """
    return float(evaluate(limit, point)) if isinstance(limit, str) and is_expression(limit) else float(limit)


def runs(records: Iterable[CellRecord], schemes: int) -> str:
    """How often and when something was measured: ``3, 2026-11-22``; ``1–3`` if not every scheme as often."""
    known = list(records)
    counts: dict[str, int] = {}
    for record in known:
        counts[record.scheme] = counts.get(record.scheme, 0) + 1
    often = sorted({*counts.values(), *([0] if len(counts) < schemes else [])})
    days = sorted({record.started[:10] for record in known if record.started})
    if not known:
        return "0"
    number = f"{often[0]}–{often[-1]}" if often[0] != often[-1] else str(often[0])
    return ", ".join([number, *([days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"] if days else [])])


def range_text(values: Iterable[float], form: str) -> str:
    """The smallest and the largest of some values: ``0.3 to 1.2``; one value if both look the same."""
    known = list(values)
    low, high = format(min(known), form), format(max(known), form)
    return low if low == high else f"{low} to {high}"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence: ``reno, cubic and bbr``. At least one."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def of_points(number: int, count: int) -> str:
    """``the one point``, ``all 3 points``, ``2 of 3 points``."""
    if number == count == 1:
        return "the one point"
    return f"all {count} points" if number == count else f"{number} of {count} points"
