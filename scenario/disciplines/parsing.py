"""From a text such as ``codel(target_ms=5)`` to a queue discipline."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from scenario.disciplines.base import Discipline
from scenario.disciplines.codel import Codel, FqCodel
from scenario.disciplines.dualpi2 import Dualpi2
from scenario.disciplines.pie import Pie
from scenario.disciplines.red import Red
from scenario.disciplines.schedulers import Drr, Pifo, Wrr

NONE = "drop_tail"

DISCIPLINES: Mapping[str, type[Discipline]] = {
    NONE: Discipline,
    "red": Red,
    "codel": Codel,
    "pie": Pie,
    "fq_codel": FqCodel,
    "dualpi2": Dualpi2,
    "drr": Drr,
    "wrr": Wrr,
    "pifo": Pifo,
}


@lru_cache(maxsize=1024)
def parse_discipline(text: str) -> Discipline:
    """The discipline of a text: a name, or a name with parameters in brackets.

    Raises:
        ValueError: it is none; with the reason.
    """
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
        name, keywords = (parsed.func, parsed.keywords) if isinstance(parsed, ast.Call) and not parsed.args else (parsed, [])
        if not isinstance(name, ast.Name):
            raise ValueError(text)
        parameters = {one.arg: _value(one.value) for one in keywords if one.arg is not None}
    except (SyntaxError, ValueError):
        raise ValueError(f"{text!r} is no discipline: write a name, and its parameters as in codel(target_ms=5, ecn=true)") from None
    if name.id not in DISCIPLINES:
        raise ValueError(f"there is no discipline {name.id}; there are {', '.join(DISCIPLINES)}")
    kind = DISCIPLINES[name.id]
    if unknown := next((one for one in parameters if one not in kind.model_fields), None):
        known = f"it has {', '.join(kind.model_fields)}" if kind.model_fields else "it has none"
        raise ValueError(f"{name.id} has no parameter {unknown}; {known}")
    try:
        return kind.model_validate(parameters)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{name.id}: {where}: {first['msg']}") from None


def _value(node: ast.expr) -> Any:
    """Of a parameter, also ``true`` and ``false`` as in TOML."""
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    return ast.literal_eval(node)
