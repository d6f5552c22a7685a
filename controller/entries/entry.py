"""An entry of a table as a file says it, and the P4Runtime update that writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from finsy.proto import p4i, p4r

from controller.entries.match import KINDS, WRITTEN, field_match, kind_name
from controller.entries.names import by_names, found
from controller.entries.place import Place
from controller.entries.values import in_bytes, number

WITH_PRIORITY = (KINDS.TERNARY, KINDS.RANGE, KINDS.OPTIONAL)


@dataclass(frozen=True)
class WrittenEntry:
    """An entry as a file says it.

    Args:
        place: where it stands.
        table: its table's name.
        match: by name of the key.
        action: its name; None: the entry has several (``actions``).
        arguments: of the action, by name.
        actions: for tables with an implementation: action, arguments and weight of each.
        priority: of several that match, the entry with the largest is taken.
        is_default: it is the table's default action.
    """

    place: Place
    table: str
    match: Mapping[str, Any] = field(default_factory=dict)
    action: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    actions: tuple[tuple[str, Mapping[str, Any], int], ...] = ()
    priority: int | None = None
    is_default: bool = False


@dataclass(frozen=True)
class PlacedUpdate:
    """A P4Runtime update, and where it comes from."""

    place: Place
    update: p4r.Update


class UpdateMaker:
    """Makes updates for one program.

    Args:
        info: its P4Info.
        program: its name in messages.
    """

    def __init__(self, info: p4i.P4Info, program: str) -> None:
        self._info = info
        self._program = program

    def update(self, entry: WrittenEntry) -> PlacedUpdate:
        """The update that writes an entry.

        Raises:
            UserError: a name is none of the program's, or a value does not fit; the message begins with the place.
        """
        try:
            return PlacedUpdate(entry.place, self._update(entry))
        except ValueError as error:
            raise entry.place.wrong(str(error)) from None

    def _update(self, entry: WrittenEntry) -> p4r.Update:
        table = found(entry.table, by_names(self._info.tables), "table", f" in {self._program}")
        name = table.preamble.name
        if table.is_const_table and not entry.is_default:
            raise ValueError(f"table {name} has `const entries`: nothing can be added to it")
        made = p4r.TableEntry(table_id=table.preamble.id, is_default_action=entry.is_default)
        if entry.is_default and (entry.match or entry.priority):
            raise ValueError(f"the default action of {name} has neither keys nor a priority")
        made.match.extend([] if entry.is_default else self._matches(table, entry.match))
        made.priority = self._priority(table, entry)
        made.action.CopyFrom(self._action_of(table, entry))
        kind = p4r.Update.MODIFY if entry.is_default else p4r.Update.INSERT
        return p4r.Update(type=kind, entity=p4r.Entity(table_entry=made))

    def _matches(self, table: p4i.Table, written: Mapping[str, Any]) -> list[p4r.FieldMatch]:
        name = table.preamble.name
        fields = [((field.name,), field) for field in table.match_fields]
        given = {found(key, fields, "key", f" of table {name}").id: (key, value) for key, value in written.items()}
        matches = []
        for one in table.match_fields:
            key, value = given.get(one.id, (one.name, None))
            if value is None and one.match_type == KINDS.EXACT:
                raise ValueError(f"table {name}: key {one.name} is missing; it takes {WRITTEN[KINDS.EXACT]} of {one.bitwidth} bits")
            try:
                made = field_match(one, value)
            except ValueError as error:
                wanted = WRITTEN.get(one.match_type, "")
                raise ValueError(f"table {name}, key {key} ({kind_name(one)}): {error}; it takes {wanted}") from None
            if made is not None:
                matches.append(made)
        return matches

    def _priority(self, table: p4i.Table, entry: WrittenEntry) -> int:
        takes_one = any(one.match_type in WITH_PRIORITY for one in table.match_fields) and not entry.is_default
        if takes_one and not entry.priority:
            raise ValueError(f"table {table.preamble.name}: an entry needs a priority above 0, since several may match a packet")
        if takes_one and not (isinstance(entry.priority, int) and 0 < entry.priority < 1 << 31):
            raise ValueError(f"a priority is a whole number from 1 up, not {entry.priority!r}")
        return entry.priority or 0 if takes_one else 0

    def _action_of(self, table: p4i.Table, entry: WrittenEntry) -> p4r.TableAction:
        if not table.implementation_id:
            if entry.action is None:
                raise ValueError(f"table {table.preamble.name}: the entry has no action")
            return p4r.TableAction(action=self._action(table, entry.action, entry.arguments, is_default=entry.is_default))
        several = entry.actions or ((entry.action or "", entry.arguments, 1),)
        made = p4r.ActionProfileActionSet()
        for action, arguments, weight in several:
            made.action_profile_actions.append(
                p4r.ActionProfileAction(action=self._action(table, action, arguments, is_default=False), weight=weight)
            )
        return p4r.TableAction(action_profile_action_set=made)

    def _action(self, table: p4i.Table, name: str, arguments: Mapping[str, Any], *, is_default: bool) -> p4r.Action:
        barred = p4i.ActionRef.TABLE_ONLY if is_default else p4i.ActionRef.DEFAULT_ONLY
        allowed = {ref.id for ref in table.action_refs if ref.scope != barred}
        known = by_names(one for one in self._info.actions if one.preamble.id in allowed)
        action = found(name, known, "action", f" of table {table.preamble.name}")
        params = [((param.name,), param) for param in action.params]
        given = {found(key, params, "parameter", f" of {action.preamble.name}").id: value for key, value in arguments.items()}
        made = p4r.Action(action_id=action.preamble.id)
        for param in action.params:
            if param.id not in given:
                raise ValueError(f"{action.preamble.name}: parameter {param.name} (bit<{param.bitwidth}>) is missing")
            made.params.append(p4r.Action.Param(param_id=param.id, value=_argument(action, param, given[param.id])))
        return made


def _argument(action: p4i.Action, param: p4i.Action.Param, value: Any) -> bytes:
    if not param.bitwidth:
        return str(value).encode()
    try:
        return in_bytes(number(value, param.bitwidth))
    except ValueError as error:
        raise ValueError(f"{action.preamble.name}, parameter {param.name}: {error}") from None
