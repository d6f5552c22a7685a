"""Entries as P4Runtime itself writes them, in protobuf's text form: a WriteRequest, or the entities of a ReadResponse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from finsy.proto import p4i, p4r
from google.protobuf import text_format

from controller.entries.entry import PlacedUpdate
from controller.entries.place import Place, line_at

UPDATES, ENTITIES = "updates", "entities"
STARTS = re.compile(r"[{}<>]|#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\b(?:updates|entities)\b")


def updates_of_text(file: Path, text: str, info: p4i.P4Info) -> Iterator[PlacedUpdate]:
    """The updates of a file, in its order.

    Raises:
        UserError: it is no such message, or speaks of tables and actions that the program does not have.
    """
    is_write = re.search(rf"^\s*{UPDATES}\b", text, re.MULTILINE) is not None
    message = p4r.WriteRequest() if is_write else p4r.ReadResponse()
    try:
        text_format.Parse(text, message)
    except text_format.ParseError as error:
        found = re.match(r"(\d+):(\d+) : (.*)", str(error), re.DOTALL)
        place, said = (Place(file, int(found[1])), found[3]) if found else (Place(file), str(error))
        raise place.wrong(
            f"not P4Runtime in protobuf's text form: {' '.join(said.split())}", "it begins with `updates {` or `entities {`"
        ) from None
    if isinstance(message, p4r.WriteRequest):
        updates = list(message.updates)
    else:
        updates = [p4r.Update(type=_type(entity), entity=entity) for entity in message.entities]
    lines = _lines(text)
    for number, update in enumerate(updates):
        place = Place(file, lines[number] if number < len(lines) else 0)
        if update.type == p4r.Update.UNSPECIFIED:
            raise place.wrong("the update has no `type`: INSERT, MODIFY or DELETE")
        _check(place, update.entity, info)
        yield PlacedUpdate(place, update)


def _type(entity: p4r.Entity) -> p4r.Update.Type.ValueType:
    """An entity that has been read is there already, or can be made."""
    kind = entity.WhichOneof("entity")
    is_there = kind in ("counter_entry", "meter_entry", "direct_counter_entry", "direct_meter_entry", "register_entry")
    is_default = kind == "table_entry" and entity.table_entry.is_default_action
    return p4r.Update.MODIFY if is_there or is_default else p4r.Update.INSERT


def _check(place: Place, entity: p4r.Entity, info: p4i.P4Info) -> None:
    if entity.WhichOneof("entity") != "table_entry":
        return
    entry = entity.table_entry
    tables = {one.preamble.id: one for one in info.tables}
    if entry.table_id not in tables:
        raise place.wrong(f"the program has no table with the id {entry.table_id}", _known(tables))
    table = tables[entry.table_id]
    actions = {one.preamble.id: one for one in info.actions}
    fields = {one.id for one in table.match_fields}
    for match in entry.match:
        if match.field_id not in fields:
            raise place.wrong(f"table {table.preamble.name} has no key with the id {match.field_id}")
    action = entry.action.action
    if entry.action.WhichOneof("type") == "action" and action.action_id not in {ref.id for ref in table.action_refs}:
        mine = {ref.id: actions[ref.id] for ref in table.action_refs}
        raise place.wrong(f"table {table.preamble.name} has no action with the id {action.action_id}", _known(mine))


def _known(all_of_them: dict[int, p4i.Table] | dict[int, p4i.Action]) -> str:
    return "there are: " + (", ".join(f"{number} ({one.preamble.name})" for number, one in all_of_them.items()) or "none")


def _lines(text: str) -> list[int]:
    """Where updates or entities begin, outside of all others."""
    depth, found = 0, []
    for token in STARTS.finditer(text):
        if token[0] in "{<":
            depth += 1
        elif token[0] in "}>":
            depth -= 1
        elif depth == 0 and token[0] in (UPDATES, ENTITIES):
            found.append(line_at(text, token.start()))
    return found
