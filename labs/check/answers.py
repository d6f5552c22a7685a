"""The numbers that a student has measured and written down, and the probable mistake behind a wrong one."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.check.vocabulary import Failed

TOLERANCE = 0.02
"""The relative tolerance of a number, unless a check says otherwise."""


@dataclass(frozen=True)
class Answers:
    """The student's TOML file, whose tables are flat."""

    file: Path
    tables: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, file: Path) -> Answers:
        """Read the file.

        Raises:
            Failed: it is no TOML, or has something outside of tables.
        """
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            hint = "a decimal number has a point, text stands in quotes"
            raise Failed(f"{file.name} cannot be read: {error}: {hint}") from None
        loose = [name for name, table in content.items() if not isinstance(table, dict)]
        if loose:
            raise Failed(f"{file.name}: {loose[0]} stands outside of the tables: leave the lines in [brackets] where they are")
        return cls(file, content)

    def number(self, name: str) -> float:
        """A number by its name, ``table.key``.

        Raises:
            Failed: it is not answered, or is no number.
        """
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Failed(f"{name} is {value!r}, expected a number, without quotes and without its unit")
        if not math.isfinite(value):
            raise Failed(f"{name} is {value}, expected a number")
        return float(value)

    def choice(self, name: str, of: Sequence[str]) -> str:
        """One of several words.

        Raises:
            Failed: it is not answered, or is none of them.
        """
        value = self._value(name)
        if value not in of:
            raise Failed(f"{name} is {value!r}, expected one of {', '.join(of)}")
        return str(value)

    def _value(self, name: str) -> Any:
        table, _, key = name.partition(".")
        value = self.tables.get(table, {}).get(key)
        if value is None:
            raise Failed(f"{self.file.name} has no {key} in its table [{table}]")
        if value in ("", "?"):
            raise Failed(f"{name} is not answered yet")
        return value


def expect_number(
    answers: Answers,
    name: str,
    expected: float,
    mistakes: Mapping[str, float],
    *,
    how: str,
    tolerance: float = TOLERANCE,
    at_least: float = 0,
) -> None:
    """Compare a number with the run's.

    Args:
        answers: the student's.
        name: ``table.key``.
        expected: the right number.
        mistakes: typical mistakes ("this is Mbit/s of frames on the wire"), and the number that each gives. The nearest one is named.
        how: where the right number comes from, for a student whose number is none of these. It must not be the number.
        tolerance: relative to ``expected``.
        at_least: the least tolerance, in the number's unit.

    Raises:
        Failed: it is another number, or none.
    """
    got = answers.number(name)
    allowed = max(abs(expected) * tolerance, at_least)
    if abs(got - expected) <= allowed:
        return
    near = [(abs(got - value), text) for text, value in mistakes.items() if abs(got - value) <= max(abs(value) * tolerance, at_least)]
    if near:
        raise Failed(f"{name} is {got:g}: {min(near)[1]}")
    direction = "less" if got > expected else "more"
    raise Failed(f"{name} is {got:g}, and the run says {direction}: {how}")


def expect_choice(answers: Answers, name: str, of: Mapping[str, float], right: str, *, how: str) -> None:
    """Compare a choice with the run's.

    Args:
        answers: the student's.
        name: ``table.key``.
        of: the words, and the value by which they are compared.
        right: the word that is right.
        how: the values to compare.

    Raises:
        Failed: it is another word, or none.
    """
    got = answers.choice(name, list(of))
    if got != right:
        raise Failed(f"{name} is {got}, and another one has it: compare {how}; {got} has {of[got]:.4g}")
