"""Words as make takes them, on the testbed's own command line: ``testbed lab LAB=3 RUN=only``.

Pages write `make COMMAND NAME=VALUE`; where the testbed was installed there is no make, and the same words follow ``testbed``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from common.errors import UserError
from scenario.run_request import meant_command, wishes, words_of_make

_WORD = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)
_VALUE = "{}"
OPTIONS: dict[str, dict[str, dict[str, list[str]]]] = {
    "lab": {
        "LAB": {"": [_VALUE]},
        "FROM": {"": ["--from", _VALUE]},
        "INTO": {"": ["--into", _VALUE]},
        "ALL": {"": ["--all"]},
        "RUN": {"no": ["--no-run"], "only": ["--only-run"]},
    },
    "replay": {"RUN": {"": [_VALUE]}, "LISTEN": {"": ["--listen", _VALUE]}},
    "export": {"RUN": {"": [_VALUE]}, "OUT": {"": ["--out", _VALUE]}},
    "pictures": {"RUN": {"": [_VALUE]}, "OUT": {"": ["--out", _VALUE]}},
    "grade": {
        "IN": {"": [_VALUE]},
        "LAB": {"": ["--lab", _VALUE]},
        "SEED": {"": ["--seed", _VALUE]},
        "OUT": {"": ["--out", _VALUE]},
        "LIMIT": {"": ["--limit", _VALUE]},
        "RUN": {"no": ["--no-run"]},
    },
    "handout": {"OUT": {"": [_VALUE]}},
}
"""By command, name and value, the words of the command line, besides the options of a request; the value "" stands for any."""


def with_options(words: Sequence[str]) -> list[str]:
    """A command line with options in the place of make's words.

    Args:
        words: the command and the words after it.

    Raises:
        UserError: a command has no such word, or no such value of it.
    """
    if not words:
        return []
    command, *rest = words
    end = rest.index("--") if "--" in rest else len(rest)
    found = {match[1]: match[2] for word in rest[:end] if (match := _WORD.fullmatch(word))}
    plain = [word for number, word in enumerate(rest) if number >= end or not _WORD.fullmatch(word)]
    command = meant_command(command, found)
    of_request = {name.upper() for name, wish in wishes().items() if command in wish.of}
    options = [one for name, value in found.items() if name not in of_request and value for one in _options(command, name, value)]
    return [command, *options, *plain, *words_of_make(command, {name: value for name, value in found.items() if name in of_request})]


def _options(command: str, name: str, value: str) -> list[str]:
    known = OPTIONS.get(command, {}).get(name)
    if known is None:
        raise UserError(f"{command} knows no {name}=", f"testbed {command} --help shows what it knows")
    words = known.get(value, known.get(""))
    if words is None:
        raise UserError(f"{command} knows no {name}={value}", f"{name} is {' or '.join(known)}")
    return [value if one == _VALUE else one for one in words]
