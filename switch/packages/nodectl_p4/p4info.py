"""P4Info: the part of a program that a control plane can see. (It is read in its JSON form, so protobuf is not needed.)"""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar


@dataclass(frozen=True)
class MatchField:
    """A field of a table's key."""

    id: int
    name: str
    bits: int
    """0 for types whose values are strings."""
    kind: str
    """exact, lpm, ternary, range, optional."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action."""

    id: int
    name: str
    bits: int


@dataclass(frozen=True)
class Action:
    """An action."""

    id: int
    name: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Table:
    """A table."""

    id: int
    name: str
    key: tuple[MatchField, ...]
    actions: tuple[Action, ...]
    size: int


@dataclass(frozen=True)
class Array:
    """A register, counter or meter array."""

    id: int
    name: str
    size: int


Named = TypeVar("Named", Action, Table, Array)


def _one(kind: str, items: tuple[Named, ...], name: str) -> Named:
    """The item of this name, or the only one whose name ends so."""
    found = [item for item in items if item.name == name] or [item for item in items if item.name.endswith(f".{name}")]
    if len(found) != 1:
        raise KeyError(f"{'several' if found else 'no'} {kind} {name!r}; there are {', '.join(item.name for item in items) or 'none'}")
    return found[0]


@dataclass(frozen=True)
class P4Info:
    """Tables, actions and arrays of a program. The end of a name is enough, as long as nothing else ends so."""

    tables: tuple[Table, ...]
    actions: tuple[Action, ...]
    registers: tuple[Array, ...]
    counters: tuple[Array, ...]
    meters: tuple[Array, ...]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> P4Info:
        """Read P4Info in its JSON form, as `--p4runtime-files x.json` writes it."""
        return cls.of(json.loads(Path(path).read_text()))

    @classmethod
    def of(cls, message: dict[str, Any]) -> P4Info:
        """The same, of parsed JSON."""

        def listed(name: str) -> list[dict[str, Any]]:
            return list(message.get(name, []))

        def arrays(name: str) -> tuple[Array, ...]:
            return tuple(Array(item["preamble"]["id"], item["preamble"]["name"], int(item.get("size", 0))) for item in listed(name))

        actions = {
            item["preamble"]["id"]: Action(
                item["preamble"]["id"],
                item["preamble"]["name"],
                tuple(Parameter(part["id"], part["name"], part.get("bitwidth", 0)) for part in item.get("params", [])),
            )
            for item in listed("actions")
        }
        tables = tuple(
            Table(
                item["preamble"]["id"],
                item["preamble"]["name"],
                tuple(
                    MatchField(part["id"], part["name"], part.get("bitwidth", 0), part.get("matchType", "").lower())
                    for part in item.get("matchFields", [])
                ),
                tuple(actions[reference["id"]] for reference in item.get("actionRefs", [])),
                int(item.get("size", 0)),
            )
            for item in listed("tables")
        )
        return cls(tables, tuple(actions.values()), arrays("registers"), arrays("counters"), arrays("meters"))

    def table(self, name: str) -> Table:
        """The table of this name. Raises KeyError."""
        return _one("table", self.tables, name)

    def action(self, name: str) -> Action:
        """The action of this name. Raises KeyError."""
        return _one("action", self.actions, name)

    def register(self, name: str) -> Array:
        """The register of this name. Raises KeyError."""
        return _one("register", self.registers, name)

    def counter(self, name: str) -> Array:
        """The counter of this name. Raises KeyError."""
        return _one("counter", self.counters, name)

    def meter(self, name: str) -> Array:
        """The meter of this name. Raises KeyError."""
        return _one("meter", self.meters, name)
