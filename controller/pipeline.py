"""The compiled pipeline: the content of its two files, and the entries that a network description needs in it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from finsy import Action, Match, P4CloneSessionEntry, P4Schema, P4TableEntry
from finsy.proto import p4i, p4r
from google.protobuf import text_format

from common.errors import UserError
from controller.program_shape import (
    BESIDE_LOAD_ACTION,
    CAPACITY_ACTION,
    CAPACITY_TABLE,
    HOST_PORT_ACTION,
    HOST_PORT_TABLE,
    ROUTES_TABLE,
    SPREAD_ACTION,
    WAYS_TABLE,
    check_shapes,
    is_for_entries,
)
from protocol.constants import CLONE_SESSION, CPU_PORT, SLOTS
from protocol.events import EVENT_FIELDS
from protocol.packet_out import packet_out_metadata
from scenario.network_description import PortDescription, SwitchDescription, WayDescription

ROUTE_ACTION = "forward"
MAC_BITS = 48
PORT_BITS = 16
"""At most: v1model's ports have 9."""

RECORDS_REGISTER = "record_port"

_HOW_TO_BUILD = "compile p4src/nodectl.p4 first (make run does)"


class PipelineSchema(P4Schema):
    """finsy's view of any program: its own refuses tables of which two keys end alike, as ``ipv4.source`` and ``tcp.source``.

    Args:
        info: the P4Info, which a switch is given as it is.
        blob: BMv2 JSON; empty: a switch is not to be given it.
    """

    def __init__(self, info: p4i.P4Info, blob: bytes = b"") -> None:
        super().__init__(_with_keys_apart(info), blob)
        self._as_it_is = info

    def get_pipeline_config(self) -> p4r.ForwardingPipelineConfig:
        """The configuration for a switch."""
        config = super().get_pipeline_config()
        config.p4info.CopyFrom(self._as_it_is)
        return config


def _with_keys_apart(info: p4i.P4Info) -> p4i.P4Info:
    """The same, but for keys of one table that end alike: the whole name of each is its last part."""
    changed = p4i.P4Info()
    changed.CopyFrom(info)
    for table in changed.tables:
        ends = Counter(field.name.rpartition(".")[2] for field in table.match_fields)
        for field in table.match_fields:
            if ends[field.name.rpartition(".")[2]] > 1:
                field.name = field.name.replace(".", "_")
    return changed


def load_pipeline(p4info: Path, program: Path, *, writes_routes: bool = True) -> P4Schema:
    """The pipeline in these two files.

    Args:
        p4info: protobuf text.
        program: BMv2 JSON.
        writes_routes: the program has to have a table for routes.

    Raises:
        UserError: a file is missing or broken, or the program has no table of routes, or one of the tables that the controller writes has
            another shape (:mod:`controller.program_shape`).
    """
    try:
        info = text_format.Parse(p4info.read_text(encoding="utf-8"), p4i.P4Info())
    except OSError as error:
        raise UserError(f"{p4info}: {error.strerror}; {_HOW_TO_BUILD}") from None
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise UserError(f"{p4info}: not a P4Info text file: {error}") from None
    try:
        blob = program.read_bytes()
        content = json.loads(blob)
    except OSError as error:
        raise UserError(f"{program}: {error.strerror}; {_HOW_TO_BUILD}") from None
    except ValueError as error:
        raise UserError(f"{program}: not a compiled program (BMv2 JSON): {error}") from None
    schema = PipelineSchema(info, blob)
    _check(schema, _source_of(content) or str(p4info), writes_routes=writes_routes)
    return schema


def check_fits(schema: P4Schema, switch: SwitchDescription, program: str) -> None:
    """Check that the entries which a switch should have fit into the program's keys and parameters.

    Args:
        program: its name in messages.

    Raises:
        UserError: one does not; the message names the table.
    """
    table_entries(schema, switch, program)


def _source_of(content: Any) -> str:
    """The P4 file that a program was compiled from, as its compiler says; empty: it does not."""
    source = content.get("program") if isinstance(content, dict) else None
    return source if isinstance(source, str) else ""


def takes_capacities(schema: P4Schema) -> bool:
    """Whether the program has a table of the ports' capacities."""
    return _has_table(schema, CAPACITY_TABLE)


def sends_events(schema: P4Schema) -> bool:
    """Whether the program tells its controller of records; one that only forwards, or has no use for a controller, does not."""
    return takes_capacities(schema) and bool(metadata_names(schema, "packet_in"))


def tells_reserves(schema: P4Schema) -> bool:
    """Whether the program is the deployable variant, whose events tell reserves as well."""
    return "reserved_kbps" in metadata_names(schema, "packet_in").values()


def measures_load(schema: P4Schema) -> bool:
    """Whether the program can take off a port's capacity what others send (decision "the measured load")."""
    return takes_capacities(schema) and is_for_entries(schema.tables[CAPACITY_TABLE], BESIDE_LOAD_ACTION)


def record_slots(schema: P4Schema) -> int:
    """How many records the program has places for."""
    return next((register.size for register in schema.registers if register.alias == RECORDS_REGISTER), SLOTS)


def _has_table(schema: P4Schema, table: str) -> bool:
    return table in {known.alias for known in schema.tables}


def takes_routes(schema: P4Schema) -> bool:
    """Whether the program has a table into which the controller can write routes."""
    try:
        _check_routes(schema, "")
    except UserError:
        return False
    return True


def _check_routes(schema: P4Schema, program: str) -> None:
    """``program``: its name in messages."""
    if not _has_table(schema, ROUTES_TABLE):
        raise UserError(f"{program}: there is no table {ROUTES_TABLE}: the controller has nowhere to write routes to")
    check_shapes(schema, program, [ROUTES_TABLE])
    _route_action(schema, program)


def _check(schema: P4Schema, program: str, *, writes_routes: bool) -> None:
    if writes_routes:
        _check_routes(schema, program)
    check_shapes(schema, program, [CAPACITY_TABLE, HOST_PORT_TABLE])
    if not sends_events(schema):
        return
    for header, needed in (("packet_in", set(EVENT_FIELDS)), ("packet_out", set(packet_out_metadata(1)))):
        fields = set(metadata_names(schema, header).values())
        if missing := needed - fields:
            raise UserError(f"{program}: header {header} has no field {', '.join(sorted(missing))}")


def metadata_names(schema: P4Schema, header: str) -> dict[int, str]:
    """Field names of a controller header by their P4Runtime number; empty if there is no such header."""
    for metadata in schema.p4info.controller_packet_metadata:
        if metadata.preamble.name == header:
            return {field.id: field.name for field in metadata.metadata}
    return {}


def table_entries(schema: P4Schema, switch: SwitchDescription, program: str = "the P4 program") -> list[p4r.TableEntry]:
    """The table entries that the switch should have: its routes, and its ports' capacities if the program takes them.

    Raises:
        UserError: a value does not fit into the program's key or parameter; the message names the table.
    """
    if switch.writes_routes and switch.spread and not _has_table(schema, WAYS_TABLE):
        raise UserError(
            f"{program}: there is no table {WAYS_TABLE}, and packets have several equally short ways in this network",
            "forward as p4src/forwarding.p4 does, or write the switches' entries yourself",
        )
    entries = _routes(schema, switch) if switch.writes_routes else []
    if _has_table(schema, HOST_PORT_TABLE):
        ingress_port = _only_key(schema, HOST_PORT_TABLE)
        entries += [
            P4TableEntry(HOST_PORT_TABLE, match=Match({ingress_port: port}), action=Action(HOST_PORT_ACTION)) for port in switch.host_ports
        ]
    if takes_capacities(schema):
        data_port = _only_key(schema, CAPACITY_TABLE)
        entries += [
            P4TableEntry(
                CAPACITY_TABLE,
                match=Match({data_port: port.port}),
                action=_capacity_action(port, measures_load=measures_load(schema)),
            )
            for port in switch.ports
        ]
    return [_encoded(schema, entry, program) for entry in entries]


def _routes(schema: P4Schema, switch: SwitchDescription) -> list[P4TableEntry]:
    destination = _only_key(schema, ROUTES_TABLE)
    forwarding, parts = _route_action(schema)
    entries = [
        P4TableEntry(
            ROUTES_TABLE,
            match=Match({destination: str(route.prefix)}),
            action=Action(forwarding, **_arguments(parts, route)),
        )
        for route in switch.routes
    ]
    for group, spread in enumerate(switch.spread, start=1):
        choice = Action(SPREAD_ACTION, to_group=group, with_seed=spread.seed, with_shift=spread.shift, of_ways=len(spread.ways))
        entries.append(P4TableEntry(ROUTES_TABLE, match=Match({destination: str(spread.prefix)}), action=choice))
        entries += [
            P4TableEntry(WAYS_TABLE, match=Match(group=group, way=number), action=Action(forwarding, **_arguments(parts, way)))
            for number, way in enumerate(spread.ways)
        ]
    return entries


def _encoded(schema: P4Schema, entry: P4TableEntry, program: str) -> p4r.TableEntry:
    try:
        return entry.encode(schema).table_entry
    except (ValueError, OverflowError) as error:
        table = schema.tables[entry.table_id]
        keys = [f"{key.alias}: {key.bitwidth} bits" for key in table.match_fields]
        params = [f"{ref.alias}: {param.name} of {param.bitwidth} bits" for ref in table.actions for param in ref.params]
        raise UserError(
            f"table {entry.table_id} of {program} is too narrow for {_shown(entry)}: {error}",
            f"its keys and parameters: {'; '.join([*keys, *params])}",
        ) from None


def _shown(entry: P4TableEntry) -> str:
    match = ", ".join(f"{name} = {value}" for name, value in (entry.match or {}).items())
    arguments = ", ".join(f"{name} = {value}" for name, value in entry.action.args.items()) if isinstance(entry.action, Action) else ""
    return f"{match} with {arguments}" if arguments else match


def _route_action(schema: P4Schema, program: str = "the P4 program") -> tuple[str, dict[str, str]]:
    """The action of the routes' table that forwards, and which part of a route each of its parameters is.

    It is the one called ``forward``; else, as others write it (``ipv4_forward(dstAddr, port)``), the one that takes a port and one or two
    MAC addresses.

    Raises:
        UserError: there is none.
    """
    known = {action.alias: action for action in schema.actions}
    table = schema.tables[ROUTES_TABLE]
    mine = [known[ref.alias] for ref in table.actions if ref.alias in known]
    for action in sorted(mine, key=lambda one: (one.alias != ROUTE_ACTION, one.alias)):
        parts = _parts_of_route({param.name: param.bitwidth for param in action.params})
        if parts is not None and is_for_entries(table, action.alias):
            return action.alias, parts
    shown = ", ".join(f"{one.alias}({', '.join(f'bit<{param.bitwidth}> {param.name}' for param in one.params)})" for one in mine)
    raise UserError(
        f"{program}: table {ROUTES_TABLE} has no action that the controller can write routes with; it has: {shown or 'none'}",
        f"give it one with a port and MAC addresses, such as {ROUTE_ACTION}(bit<9> port, bit<48> source_mac, bit<48> destination_mac)",
    )


def _parts_of_route(widths: Mapping[str, int]) -> dict[str, str] | None:
    """By parameter: ``port``, ``source_mac`` or ``destination_mac``; None: it takes something else."""
    parts = {}
    for name, width in widths.items():
        if width == MAC_BITS:
            parts[name] = "source_mac" if "src" in name.lower() or "source" in name.lower() else "destination_mac"
        elif width <= PORT_BITS:
            parts[name] = "port"
        else:
            return None
    is_one_each = len(set(parts.values())) == len(parts)
    return parts if is_one_each and "port" in parts.values() else None


def _arguments(parts: Mapping[str, str], route: WayDescription) -> dict[str, int]:
    values = {"port": route.port, "source_mac": _mac(route.source_mac), "destination_mac": _mac(route.destination_mac)}
    return {name: values[part] for name, part in parts.items()}


def _capacity_action(port: PortDescription, *, measures_load: bool) -> Action:
    if measures_load and port.least_kbps is not None:
        return Action(BESIDE_LOAD_ACTION, capacity_kbps=port.capacity_kbps, tolerance_kbps=port.tolerance_kbps, least_kbps=port.least_kbps)
    return Action(CAPACITY_ACTION, capacity_kbps=port.capacity_kbps, tolerance_kbps=port.tolerance_kbps)


def clone_session(schema: P4Schema) -> p4r.Entity:
    """The clone session through which events reach the CPU port."""
    return P4CloneSessionEntry(CLONE_SESSION, replicas=[CPU_PORT]).encode(schema)


def tables_to_read(schema: P4Schema, *, writes_routes: bool = True) -> list[p4r.Entity]:
    """Wildcards for all entries of the tables that the controller fills."""
    filled = (*((ROUTES_TABLE, WAYS_TABLE) if writes_routes else ()), CAPACITY_TABLE, HOST_PORT_TABLE)
    return [P4TableEntry(table).encode(schema) for table in filled if _has_table(schema, table)]


def differences(wanted: Iterable[p4r.TableEntry], present: Iterable[p4r.TableEntry]) -> list[p4r.Update]:
    """The updates that turn the present entries into the wanted ones: deletions first."""
    missing = {_key(entry): entry for entry in wanted}
    deletions: list[p4r.Update] = []
    updates: list[p4r.Update] = []
    for entry in present:
        needed = missing.pop(_key(entry), None)
        if needed is None:
            bare = p4r.TableEntry(table_id=entry.table_id, match=entry.match, priority=entry.priority)
            deletions.append(_update(p4r.Update.DELETE, bare))
        elif _action_bytes(needed) != _action_bytes(entry):
            updates.append(_update(p4r.Update.MODIFY, needed))
    updates += [_update(p4r.Update.INSERT, entry) for entry in missing.values()]
    return deletions + updates


def _update(kind: Any, entry: p4r.TableEntry) -> p4r.Update:
    return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))


def _key(entry: p4r.TableEntry) -> tuple[int, int, bytes]:
    fields = sorted(entry.match, key=lambda field: field.field_id)
    return entry.table_id, entry.priority, b"".join(field.SerializeToString(deterministic=True) for field in fields)


def _action_bytes(entry: p4r.TableEntry) -> tuple[int, list[tuple[int, bytes]]]:
    action = entry.action.action
    return action.action_id, sorted((param.param_id, param.value.lstrip(b"\0")) for param in action.params)


def _only_key(schema: P4Schema, table: str) -> str:
    return next(iter(schema.tables[table].match_fields)).alias


def _mac(text: str) -> int:
    return int(text.replace(":", ""), 16)
