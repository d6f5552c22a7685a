"""Commands of ``simple_switch_CLI`` as P4Runtime updates, for a switch that has no command line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from finsy.proto import p4i

from common.errors import UserError
from controller.entries.entry import WITH_PRIORITY, PlacedUpdate, UpdateMaker, WrittenEntry
from controller.entries.match import KINDS
from controller.entries.names import by_names, found
from controller.entries.place import Place
from controller.entries.replication import clone_session, multicast_group
from controller.entries.values import full_mask, number

PlacedCommand = tuple[Place, str]

MOST_URGENT = (1 << 31) - 1
"""P4Runtime's priority of an entry with BMv2's priority 0: in BMv2, the smallest wins."""

ARROW = "=>"


class CommandsAsUpdates:
    """Commands of one switch, one after the other.

    Args:
        info: P4Info of its program.
        program: its name in messages.
    """

    def __init__(self, info: p4i.P4Info, program: str) -> None:
        self._info = info
        self._maker = UpdateMaker(info, program)
        self._nodes: list[list[tuple[int, int]]] = []
        self._groups: dict[int, list[tuple[int, int]]] = {}
        self._group_places: dict[int, Place] = {}
        self._known: dict[str, Callable[[Place, list[str]], list[PlacedUpdate]]] = {
            "table_add": self._table_add,
            "table_set_default": self._table_set_default,
            "mirroring_add": self._mirroring_add,
            "mc_mgrp_create": self._mgrp_create,
            "mc_node_create": self._node_create,
            "mc_node_associate": self._node_associate,
        }

    def read(self, commands: Iterable[PlacedCommand], *, may_fail: bool = False) -> tuple[list[PlacedUpdate], list[PlacedCommand]]:
        """The updates, and the commands that P4Runtime has no word for.

        Args:
            commands: in their order.
            may_fail: wrong commands are printed and passed over.

        Raises:
            UserError: a command is wrong; the message names its line.
        """
        updates: list[PlacedUpdate] = []
        rest: list[PlacedCommand] = []
        for place, line in commands:
            name, *words = line.split()
            if name not in self._known:
                rest.append((place, line))
                continue
            try:
                updates += self._one(place, line, self._known[name], words)
            except UserError as error:
                if not may_fail:
                    raise
                print(f"passed over: {error.what}", flush=True)
        groups = [multicast_group(self._group_places[group], group, replicas) for group, replicas in self._groups.items() if replicas]
        return updates + groups, rest

    def _one(self, place: Place, line: str, make: Callable[[Place, list[str]], list[PlacedUpdate]], words: list[str]) -> list[PlacedUpdate]:
        try:
            return make(place, words)
        except ValueError as error:
            raise place.wrong(f"{line}: {error}") from None

    def _table_add(self, place: Place, words: list[str]) -> list[PlacedUpdate]:
        if ARROW not in words or len(words) < 2:
            raise ValueError("usage: table_add TABLE ACTION KEY ... => PARAMETER ... [PRIORITY]")
        arrow = words.index(ARROW)
        (name, action, *keys), behind = words[:arrow], words[arrow + 1 :]
        table = self._table(name)
        priority = None
        if any(field.match_type in WITH_PRIORITY for field in table.match_fields):
            if not behind:
                raise ValueError("the entry needs a priority, since several may match a packet")
            priority = MOST_URGENT - number(behind.pop(), 31)
        match = {field.name: _key(field, word) for field, word in _pairs(table.match_fields, keys, f"keys of {name}")}
        entry = WrittenEntry(place, table.preamble.name, match, action, self._arguments(table, action, behind), priority=priority)
        return [self._maker.update(entry)]

    def _table_set_default(self, place: Place, words: list[str]) -> list[PlacedUpdate]:
        if len(words) < 2:
            raise ValueError("usage: table_set_default TABLE ACTION PARAMETER ...")
        name, action, *behind = words
        table = self._table(name)
        arguments = self._arguments(table, action, behind)
        return [self._maker.update(WrittenEntry(place, table.preamble.name, action=action, arguments=arguments, is_default=True))]

    def _mirroring_add(self, place: Place, words: list[str]) -> list[PlacedUpdate]:
        session, port = _numbers(words, 2, "usage: mirroring_add SESSION PORT")
        return [clone_session(place, session, [(port, 1)])]

    def _mgrp_create(self, place: Place, words: list[str]) -> list[PlacedUpdate]:
        (group,) = _numbers(words, 1, "usage: mc_mgrp_create GROUP")
        self._groups[group], self._group_places[group] = [], place
        return []

    def _node_create(self, _place: Place, words: list[str]) -> list[PlacedUpdate]:
        instance, *ports = _numbers(words, len(words), "")
        self._nodes.append([(port, instance) for port in ports])
        return []

    def _node_associate(self, _place: Place, words: list[str]) -> list[PlacedUpdate]:
        group, node = _numbers(words, 2, "usage: mc_node_associate GROUP NODE")
        if group not in self._groups or not 0 <= node < len(self._nodes):
            raise ValueError("no such group, or no such node; nodes count from 0")
        self._groups[group] += self._nodes[node]
        return []

    def _table(self, name: str) -> p4i.Table:
        table: p4i.Table = found(name, by_names(self._info.tables), "table", "")
        return table

    def _arguments(self, table: p4i.Table, name: str, words: Sequence[str]) -> dict[str, Any]:
        allowed = {ref.id for ref in table.action_refs}
        known = by_names(one for one in self._info.actions if one.preamble.id in allowed)
        action = found(name, known, "action", f" of table {table.preamble.name}")
        return {param.name: word for param, word in _pairs(action.params, words, f"parameters of {name}")}


def _key(field: p4i.MatchField, word: str) -> str | None:
    """A key as other files of entries have it: an optional one is a value and a mask in a command."""
    if field.match_type != KINDS.OPTIONAL:
        return word
    value, _, mask = word.partition("&&&")
    bits = number(mask, field.bitwidth) if mask else full_mask(field.bitwidth)
    if bits not in (0, full_mask(field.bitwidth)):
        raise ValueError(f"{field.name} takes one value or any, not a mask")
    return value if bits else None


def _pairs(wanted: Sequence[Any], words: Sequence[str], what: str) -> list[tuple[Any, str]]:
    if len(wanted) != len(words):
        raise ValueError(f"there are {len(wanted)} {what}, not {len(words)}")
    return list(zip(wanted, words, strict=True))


def _numbers(words: Sequence[str], count: int, usage: str) -> list[int]:
    if len(words) != count or not words:
        raise ValueError(usage)
    return [number(word, 32) for word in words]
