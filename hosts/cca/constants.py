"""Constants of a scheme that can be set when it is loaded: ``SETTABLE`` and ``CHOICE`` in its C file and its headers (settable.h)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from hosts.cca.sources import SOURCE_FOLDER, SchemeSource

_COMMENT = r"[ \t]*(?:/\*[ \t]*(?P<meaning>.*?)[ \t]*\*/)?"
_SETTABLE = re.compile(
    r"^(?:SETTABLE\((?P<number>\w+), (?P<scale>\d+), (?P<default>\d+), (?P<least>\d+), (?P<most>\d+)\)"
    r"|CHOICE\((?P<choice>\w+), (?P<words>\w+(?:, \w+){1,3})\));" + _COMMENT,
    re.MULTILINE,
)
_INCLUDE = re.compile(r'^#include "(\w+\.h)"', re.MULTILINE)


@dataclass(frozen=True)
class Constant:
    """A settable constant: a number, of which the program holds value × ``scale``, rounded, or one of ``words``.

    ``default``, ``least`` and ``most`` are in the program's units; a word's unit is its place in ``words``.
    """

    name: str
    scale: int
    default: int
    least: int
    most: int
    meaning: str
    words: tuple[str, ...] = ()

    @property
    def limits(self) -> str:
        """The range in the user's units, as text."""
        if self.words:
            return f"{', '.join(self.words[:-1])} or {self.words[-1]}"
        return f"{self.least / self.scale:g} to {self.most / self.scale:g}"

    @property
    def default_written(self) -> str:
        """Its value unless set, as a user writes it."""
        return self.words[self.default] if self.words else f"{self.default / self.scale:g}"


def constants_of(source: SchemeSource) -> dict[str, Constant]:
    """The constants that can be set in the scheme of ``source``, by name, in the order of its headers and file."""
    constants = {}
    for match in _SETTABLE.finditer(_text_with_headers(source)):
        meaning = match["meaning"] or ""
        if match["choice"]:
            words = tuple(match["words"].split(", "))
            constants[match["choice"]] = Constant(match["choice"], 1, 0, 0, len(words) - 1, meaning, words)
        else:
            scale, default, least, most = (int(match[key]) for key in ("scale", "default", "least", "most"))
            constants[match["number"]] = Constant(match["number"], scale, default, least, most, meaning)
    return constants


def _text_with_headers(source: SchemeSource) -> str:
    """The C file, after the headers that it includes itself."""
    text = source.source.read_text(encoding="utf-8", errors="replace")
    found = (_header(source, name) for name in _INCLUDE.findall(text))
    return "\n".join([*(path.read_text(encoding="utf-8", errors="replace") for path in found if path.exists()), text])


def _header(source: SchemeSource, name: str) -> Path:
    """Where the compiler would find it: beside the file, or in the testbed's own folder."""
    beside = source.source.with_name(name)
    return beside if beside.exists() else SOURCE_FOLDER / name


def user_values(source: SchemeSource, wanted: Mapping[str, str]) -> dict[str, str | float]:
    """The constants that a user has written, checked, in the order of the source: numbers, or words.

    Raises:
        UserError: the scheme has no such constant, the text is no number or word it takes, or it is out of range; says what there is.
    """
    known = constants_of(source) if wanted else {}
    for name in wanted:
        if name not in known:
            there_are = ", ".join(f"{constant.name} ({constant.limits})" for constant in known.values())
            raise UserError(
                f"{source.name} has no constant called {name}",
                f"it has: {there_are}" if known else f"nothing can be set in {source.name}",
            )
    return {name: _value(source, constant, wanted[name]) for name, constant in known.items() if name in wanted}


def _value(source: SchemeSource, constant: Constant, text: str) -> str | float:
    what = f"{source.name}: {constant.name}={text}"
    if constant.words:
        if text not in constant.words:
            raise UserError(f"{what} is not known", f"{constant.name} can be {constant.limits}")
        return text
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"{what} is no number", f"{constant.name} can be {constant.limits}")
    value = round(number * constant.scale)
    if not constant.least <= value <= constant.most or (constant.scale == 1 and value != number):
        whole = " (a whole number)" if constant.scale == 1 else ""
        raise UserError(f"{what} is out of range", f"{constant.name} can be {constant.limits}{whole}")
    return value / constant.scale


def program_values(source: SchemeSource, constants: Mapping[str, str | float]) -> dict[str, int]:
    """The values that the program is to hold for ``constants``, as :func:`user_values` gives these."""
    known = constants_of(source)
    return {
        name: known[name].words.index(value) if isinstance(value, str) else round(value * known[name].scale)
        for name, value in constants.items()
    }


def as_written(constants: Mapping[str, str | float]) -> str:
    """``(alpha=1.5,rtt=last)``; empty without constants."""
    words = [f"{name}={value if isinstance(value, str) else format(value, '.10g')}" for name, value in constants.items()]
    return f"({','.join(words)})" if words else ""
