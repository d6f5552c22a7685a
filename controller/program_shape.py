"""The shapes of a program's tables that the controller expects, since it writes entries into them: anybody may bring a program."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from finsy import P4Schema
from finsy.p4schema import P4ActionRef, P4Table
from finsy.proto import p4i

from common.errors import UserError

ROUTES_TABLE = "ipv4_lpm"
SPREAD_ACTION = "spread"
WAYS_TABLE = "equal_cost_ways"
CAPACITY_TABLE = "port_capacity"
CAPACITY_ACTION = "set_capacity"
BESIDE_LOAD_ACTION = "set_capacity_beside_load"
HOST_PORT_TABLE = "host_port"
HOST_PORT_ACTION = "from_host"
ADDRESS_BITS = 32


@dataclass(frozen=True)
class Shape:
    """The shape of a table that the controller writes.

    Args:
        kind: how its one key is matched.
        key: the key in words.
        key_bits: of the key; None: as many as its values need.
        actions: those that it has to have, with the names of their parameters.
        may_have: those whose parameters have to be these where it has them.
        example: a table of this shape, as P4.
    """

    kind: str
    key: str
    example: str
    key_bits: int | None = None
    actions: Mapping[str, Collection[str]] = field(default_factory=dict)
    may_have: Mapping[str, Collection[str]] = field(default_factory=dict)


SHAPES = {
    ROUTES_TABLE: Shape("lpm", "an IPv4 address by its longest prefix", "key = { hdr.ipv4.dstAddr: lpm; }", ADDRESS_BITS),
    CAPACITY_TABLE: Shape(
        "exact",
        "a port, matched exactly",
        "action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) { … } "
        "table port_capacity { key = { meta.data_port: exact; } actions = { set_capacity; NoAction; } }",
        actions={CAPACITY_ACTION: ("capacity_kbps", "tolerance_kbps")},
        may_have={BESIDE_LOAD_ACTION: ("capacity_kbps", "tolerance_kbps", "least_kbps")},
    ),
    HOST_PORT_TABLE: Shape(
        "exact",
        "a port, matched exactly",
        "action from_host() { … } table host_port { key = { standard_metadata.ingress_port: exact; } actions = { from_host; NoAction; } }",
        actions={HOST_PORT_ACTION: ()},
    ),
}
"""By the table's name. A program need not have all of them."""


def check_shapes(schema: P4Schema, program: str, written: Collection[str] = tuple(SHAPES)) -> None:
    """Check the tables that the controller writes; a table of another purpose has to have another name.

    Args:
        program: its name in messages.
        written: names of the tables that the controller writes.

    Raises:
        UserError: one has another shape; the message names the table and the expected shape.
    """
    for table in schema.tables:
        shape = SHAPES.get(table.alias) if table.alias in written else None
        wrong = "" if shape is None else _what_is_wrong(table, shape)
        if shape is not None and wrong:
            raise UserError(
                f"{program}: table {table.alias}, which the controller writes, {wrong}",
                f"{shape.example}; or, if the table is for something else, call it something else",
            )


def kind_of(match_type: object) -> str:
    """``lpm``, ``exact`` …"""
    return str(getattr(match_type, "name", match_type)).lower()


def is_for_entries(table: P4Table, action: str) -> bool:
    """Whether entries of a table may have an action of its: some are for its default alone."""
    return any(ref.alias == action and ref.pbuf.scope != p4i.ActionRef.DEFAULT_ONLY for ref in table.actions)


def _what_is_wrong(table: P4Table, shape: Shape) -> str:
    keys = list(table.match_fields)
    is_right = len(keys) == 1 and kind_of(keys[0].match_type) == shape.kind and shape.key_bits in (None, keys[0].bitwidth)
    if not is_right:
        shown = ", ".join(f"{key.alias}: {kind_of(key.match_type)} of {key.bitwidth} bits" for key in keys)
        return f"has to have one key, {shape.key}; it has: {shown or 'none'}"
    if table.pbuf.is_const_table:
        return "has `const entries`, so no entry can be added"
    if table.pbuf.implementation_id:
        return "has an implementation (`action_profile` or `action_selector`); it has to have none"
    for name, params in shape.actions.items():
        if not is_for_entries(table, name):
            shown = ", ".join(_signature(ref) for ref in table.actions)
            return f"has to have action {name}({', '.join(params)}) for its entries; it has: {shown or 'none'}"
    for name, params in (*shape.actions.items(), *shape.may_have.items()):
        for ref in table.actions:
            if ref.alias == name and {param.name for param in ref.params} != set(params):
                return f"has to have action {name}({', '.join(params)}); it has: {_signature(ref)}"
    return ""


def _signature(action: P4ActionRef) -> str:
    return f"{action.alias}({', '.join(f'bit<{param.bitwidth}> {param.name}' for param in action.params)})"
