"""Queue disciplines of links, written as ``codel(target_ms=5)``: how a queue chooses packets to send, and packets to drop or mark."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationError

from common.units import MS_PER_S, NS_PER_S
from scenario.base import Strict

NONE = "drop_tail"

Weight = Annotated[int, Field(ge=1, le=1_000_000)]


class Discipline(Strict):
    """One discipline with its parameters; drop tail, if it is no other."""

    program: ClassVar[str | None] = None
    """The P4 program of p4src/ that carries it out; None: the link model does."""

    def fields_of_link(self) -> dict[str, Any]:
        """The keys of the link's description that it needs (docs/links.md)."""
        return {}

    def entry(self, frame_bytes: int) -> Mapping[str, int]:
        """The arguments of the action ``manage`` of the program's table ``managed_ports``, for a port with these frames at most."""
        raise NotImplementedError(f"no program, and no entry for frames of {frame_bytes} bytes")


class Codel(Discipline):
    """CoDel (RFC 8289)."""

    program: ClassVar[str | None] = "codel.p4"
    target_ms: float = Field(default=5.0, gt=0, le=1000)
    interval_ms: float = Field(default=100.0, gt=0, le=1000)
    ecn: bool = False

    def entry(self, frame_bytes: int) -> Mapping[str, int]:
        """See :meth:`Discipline.entry`."""
        return {
            "with_target_ns": round(self.target_ms * NS_PER_S / MS_PER_S),
            "with_interval_ns": round(self.interval_ms * NS_PER_S / MS_PER_S),
            "with_max_packet_bytes": frame_bytes,
            "with_marks": int(self.ecn),
        }


class Drr(Discipline):
    """Deficit round robin."""

    queues: int = Field(default=8, ge=1, le=1024)
    quantum_bytes: Weight = 1514
    weights: tuple[Weight, ...] = ()
    new_first: bool = False

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"drr": self.model_dump(mode="json")}}


class Wrr(Discipline):
    """Weighted round robin."""

    weights: tuple[Weight, ...] = Field(min_length=1, max_length=1024)

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"wrr": self.model_dump(mode="json")}}


class Pifo(Discipline):
    """The smallest rank first."""

    queues: int = Field(default=1, ge=1, le=64)

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"pifo": self.model_dump(mode="json")}}


DISCIPLINES: Mapping[str, type[Discipline]] = {NONE: Discipline, "codel": Codel, "drr": Drr, "wrr": Wrr, "pifo": Pifo}


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
