"""Entries in TOML: a list a table, ``[[ipv4_lpm]]`` with ``match``, ``action``, ``with`` and ``priority``; ``[default_actions]``."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from controller.entries.entry import WrittenEntry
from controller.entries.place import Place, line_at

DEFAULTS = "default_actions"
KEYS = ("match", "action", "with", "actions", "priority")
EXAMPLE = 'for example: [[ipv4_lpm]] match = { dstAddr = "10.0.1.1/32" } action = "forward" with = { port = 1 }'
HEADER = re.compile(r"^[ \t]*\[\[[ \t]*([^\]]+?)[ \t]*\]\]", re.MULTILINE)


def entries_of_toml(file: Path, text: str) -> Iterator[WrittenEntry]:
    """The entries of a file, in its order.

    Raises:
        UserError: it is no TOML, or no file of entries; the message names the line where it is known.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise Place(file, int(found[1]) if found else 0).wrong(f"not valid TOML: {error}") from None
    lines = _Lines(file, text)
    defaults = content.pop(DEFAULTS, {})
    for table, listed in _tables(content, ""):
        if not isinstance(listed, list):
            raise Place(file).wrong(f"{table!r} is neither a list of entries nor `{DEFAULTS}`", EXAMPLE)
        for one in listed:
            yield _entry(lines.place(table), table, one)
    if not isinstance(defaults, dict):
        raise Place(file).wrong(f"`{DEFAULTS}` is a table of tables' names, each with its action")
    for table, one in _actions(defaults, ""):
        yield _default(lines.default(table), table, one)


def _tables(content: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    """Names with dots are tables in tables."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from _tables(value, f"{before}{name}.")
        else:
            yield before + name, value


def _actions(content: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if isinstance(value, dict) and "action" not in value:
            yield from _actions(value, f"{before}{name}.")
        else:
            yield before + name, value


class _Lines:
    """Where the entries of each table begin."""

    def __init__(self, file: Path, text: str) -> None:
        self._file, self._text = file, text
        self._headers: dict[str, list[int]] = {}
        for header in HEADER.finditer(text):
            name = ".".join(part.strip(" \t\"'") for part in header[1].split("."))
            self._headers.setdefault(name, []).append(line_at(text, header.start()))
        self._next: Counter[str] = Counter()

    def place(self, table: str) -> Place:
        """Of the next entry of a table."""
        number = self._next[table]
        self._next[table] += 1
        known = self._headers.get(table, [])
        return Place(self._file, known[number]) if number < len(known) else self.somewhere(table)

    def default(self, table: str) -> Place:
        """Of a table's default action."""
        section = re.search(rf"^[ \t]*\[?{DEFAULTS}\b", self._text, re.MULTILINE)
        start = section.start() if section else 0
        found = re.search(rf"\b{re.escape(table.rpartition('.')[2])}\b", self._text[start:])
        return Place(self._file, line_at(self._text, start + found.start()) if found else 0)

    def somewhere(self, table: str) -> Place:
        """Where a table is named first."""
        found = re.search(rf"\b{re.escape(table.rpartition('.')[2])}\b", self._text)
        return Place(self._file, line_at(self._text, found.start()) if found else 0)


def _entry(place: Place, table: str, one: Any) -> WrittenEntry:
    if not isinstance(one, dict):
        raise place.wrong(f"an entry of {table} is a table of {', '.join(KEYS)}", EXAMPLE)
    _check_keys(place, one, KEYS)
    match, arguments, priority = one.get("match", {}), one.get("with", {}), one.get("priority")
    if not isinstance(match, dict) or not isinstance(arguments, dict):
        raise place.wrong("`match` and `with` are tables of names and values", EXAMPLE)
    if priority is not None and (not isinstance(priority, int) or isinstance(priority, bool)):
        raise place.wrong(f"a priority is a whole number from 1 up, not {priority!r}")
    return WrittenEntry(place, table, match, _action(place, one), arguments, tuple(_several(place, one)), priority)


def _default(place: Place, table: str, one: Any) -> WrittenEntry:
    written: Any = {"action": one} if isinstance(one, str) else one
    if not isinstance(written, dict) or not isinstance(written.get("with", {}), dict):
        raise place.wrong(f"the default action of {table} is a name, or a table of `action` and `with`")
    _check_keys(place, written, ("action", "with"))
    return WrittenEntry(place, table, action=_action(place, written), arguments=written.get("with", {}), is_default=True)


def _action(place: Place, one: Mapping[str, Any]) -> str | None:
    action = one.get("action")
    if action is not None and not isinstance(action, str):
        raise place.wrong(f"`action` is the name of an action, not {action!r}")
    return action


def _several(place: Place, one: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    several = one.get("actions", [])
    if not isinstance(several, list):
        raise place.wrong("`actions` is a list of tables of `action`, `with` and `weight`")
    for part in several:
        if not isinstance(part, dict) or not isinstance(part.get("action"), str):
            raise place.wrong("each of `actions` has an `action`, the name of one")
        _check_keys(place, part, ("action", "with", "weight"))
        yield part["action"], part.get("with", {}), part.get("weight", 1)


def _check_keys(place: Place, one: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in one:
        if key not in known:
            raise place.wrong(f"unknown key {key!r}; the keys here: {', '.join(known)}")
