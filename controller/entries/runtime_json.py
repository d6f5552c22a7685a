"""Entries in the JSON of p4lang's tutorials (``s1-runtime.json``): tables, multicast groups, clone sessions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.entries.entry import PlacedUpdate, WrittenEntry
from controller.entries.place import Place, line_at
from controller.entries.replication import Replica, clone_session, multicast_group

TABLES, GROUPS, SESSIONS = "table_entries", "multicast_group_entries", "clone_session_entries"
KNOWN = ("target", "p4info", "bmv2_json", TABLES, GROUPS, SESSIONS)
REMARKS = ("comment", "description", "_", "#", "//")
"""Keys that begin so are for people."""

ENTRY_KEYS = ("table", "match", "action_name", "action_params", "default_action", "priority")
SPACE = re.compile(r"[\s,]*")


def parts_of_runtime_json(file: Path, text: str) -> Iterator[WrittenEntry | PlacedUpdate]:
    """What a file says, in its order: table entries first, then multicast groups and clone sessions.

    ``p4info`` and ``bmv2_json`` are passed over: which program a switch runs is said elsewhere.

    Raises:
        UserError: it is no JSON, or has another shape; the message names the line.
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise Place(file, error.lineno).wrong(f"not valid JSON: {error.msg}") from None
    if not isinstance(content, dict):
        raise Place(file).wrong(f"this is no runtime configuration: an object with {TABLES} is expected")
    _check_keys(Place(file), content, KNOWN)
    for place, one in _listed(file, text, content, TABLES):
        yield _entry(place, one)
    for place, one in _listed(file, text, content, GROUPS):
        yield multicast_group(place, _number(place, one, "multicast_group_id"), _replicas(place, one))
    for place, one in _listed(file, text, content, SESSIONS):
        size = _number(place, one, "packet_length_bytes", 0)
        yield clone_session(place, _number(place, one, "clone_session_id"), _replicas(place, one), size)


def _check_keys(place: Place, given: Iterable[str], known: Sequence[str]) -> None:
    if unknown := [key for key in given if key not in known and not key.lower().startswith(REMARKS)]:
        raise place.wrong(f"unknown key {unknown[0]!r}; the keys here: {', '.join(known)}")


def _listed(file: Path, text: str, content: Mapping[str, Any], key: str) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    listed = content.get(key, [])
    if not isinstance(listed, list):
        raise Place(file).wrong(f"{key} is a list, not {type(listed).__name__}")
    lines = _lines(text, key)
    for number, one in enumerate(listed):
        place = Place(file, lines[number] if number < len(lines) else 0)
        if not isinstance(one, dict):
            raise place.wrong(f"each of {key} is an object")
        yield place, one


def _lines(text: str, key: str) -> list[int]:
    """Where the elements of a list begin: Python's reader of JSON does not say."""
    start = re.search(rf'"{key}"\s*:\s*\[', text)
    if start is None:
        return []
    decoder, at = json.JSONDecoder(), start.end()
    found: list[int] = []
    while True:
        at = _after_space(text, at)
        if at >= len(text) or text[at] == "]":
            return found
        found.append(line_at(text, at))
        try:
            _, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:  # the key stands in a text as well
            return found


def _after_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _entry(place: Place, one: Mapping[str, Any]) -> WrittenEntry:
    _check_keys(place, one, ENTRY_KEYS)
    table, action = one.get("table"), one.get("action_name")
    match, params = one.get("match") or {}, one.get("action_params") or {}
    if not isinstance(table, str) or not isinstance(action, str):
        raise place.wrong("an entry has a `table` and an `action_name`, both texts")
    if not isinstance(match, dict) or not isinstance(params, dict):
        raise place.wrong("`match` and `action_params` are objects of names and values")
    priority = one.get("priority")
    if priority is not None and (not isinstance(priority, int) or isinstance(priority, bool)):
        raise place.wrong(f"a priority is a whole number from 1 up, not {priority!r}")
    is_default = bool(one.get("default_action", False))
    return WrittenEntry(place, table, match, action, params, priority=priority or None, is_default=is_default)


def _number(place: Place, one: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = one.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise place.wrong(f"{key} is a whole number, not {value!r}")
    return value


def _replicas(place: Place, one: Mapping[str, Any]) -> list[Replica]:
    listed = one.get("replicas")
    if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
        raise place.wrong("`replicas` is a list of objects with egress_port and instance")
    return [(_number(place, part, "egress_port"), _number(place, part, "instance", 1)) for part in listed]
