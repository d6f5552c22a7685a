"""Constants of a scheme that can be set when it is loaded: ``SETTABLE(name, scale, default, least, most)`` in its C file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hosts.cca.sources import Scheme
from protocol.errors import UserError

_SETTABLE = re.compile(r"^SETTABLE\((\w+), (\d+), (\w+), (\d+), (\d+)\);[ \t]*(?:/\*[ \t]*(.*?)[ \t]*\*/)?", re.MULTILINE)


@dataclass(frozen=True)
class Constant:
    """A settable constant. The user's value × ``scale``, rounded, is what the program holds, from ``least`` to ``most``."""

    name: str
    scale: int
    least: int
    most: int
    meaning: str

    @property
    def limits(self) -> str:
        """The range in the user's units, as text."""
        return f"{self.least / self.scale:g} to {self.most / self.scale:g}"


def constants_of(scheme: Scheme) -> dict[str, Constant]:
    """What can be set in ``scheme``, by name, in the order of the file."""
    text = scheme.source.read_text(encoding="utf-8", errors="replace")
    return {
        name: Constant(name, int(scale), int(least), int(most), meaning) for name, scale, _, least, most, meaning in _SETTABLE.findall(text)
    }


def split_words(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Names and ``constant=value`` of a command line, told apart.

    Raises:
        UserError: a constant is given twice.
    """
    names, values = [], {}
    for word in words:
        constant, is_value, value = word.partition("=")
        if not is_value:
            names.append(word)
        elif constant in values:
            raise UserError(f"{constant} is given twice", "give each constant once")
        else:
            values[constant] = value
    return names, values


def program_values(scheme: Scheme, wanted: Mapping[str, str]) -> dict[str, int]:
    """The values that the program of ``scheme`` is to hold, from those the user has written.

    Raises:
        UserError: the scheme has no such constant, the text is no number, or it is out of range; the message says what there is.
    """
    known = constants_of(scheme)
    values = {}
    for name, text in wanted.items():
        if name not in known:
            there_are = ", ".join(f"{constant.name} ({constant.limits})" for constant in known.values())
            raise UserError(
                f"{scheme.name} has no constant called {name}",
                f"it has: {there_are}" if known else f"nothing can be set in {scheme.name}",
            )
        constant = known[name]
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UserError(f"{scheme.name}: {name}={text} is no number", f"{name} can be {constant.limits}")
        value = round(number * constant.scale)
        if not constant.least <= value <= constant.most or (constant.scale == 1 and value != number):
            whole = " (a whole number)" if constant.scale == 1 else ""
            raise UserError(f"{scheme.name}: {name}={text} is out of range", f"{name} can be {constant.limits}{whole}")
        values[name] = value
    return values
