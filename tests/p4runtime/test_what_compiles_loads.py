"""The server takes every program that compiles, with its P4Info: keys, parameters, cells, sets and packet metadata of all types."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.p4runtime.conftest import Pair, compile_testbed

KINDS = ("exact", "lpm", "ternary", "range", "optional")
TYPES = {
    "byte": "bit<8>",
    "odd": "bit<3>",
    "wide": "bit<200>",
    "signed": "int<8>",
    "flag": "bool",
    "code": "Code",
    "port": "port_t",
    "name": "name_t",
    "number": "number_t",
    "nested": "nested_t",
}
"""Types of fields, by the test's names for them."""
KEYS = {
    **{name: f"m.{name}" for name in TYPES},
    "colour": "m.colour",
    "problem": "m.problem",
    "valid": "h.b.isValid()",
    "element": "h.s[1].x",
    "found": "h.s[m.byte].x",
    "slice": "m.byte[5:2]",
    "sum": "m.byte + 1",
    "masked": "m.byte & 0x0f",
    "standard": "s.ingress_port",
}


def program(keys: list[tuple[str, str]]) -> str:
    fields = " ".join(f"{type_} {name};" for name, type_ in TYPES.items())
    actions = " ".join(f"action set_{name}({type_} value) {{ m.{name} = value; }}" for name, type_ in TYPES.items())
    listed = " ".join(f"set_{name};" for name in TYPES)
    tables = "\n    ".join(
        f'table {key}_{kind} {{ key = {{ {KEYS[key]}: {kind} @name("{key}"); }} actions = {{ {listed} NoAction; }} }}' for key, kind in keys
    )
    registers = " ".join(f"register<{type_}>(2) cells_{name};" for name, type_ in TYPES.items())
    written = " ".join(f"cells_{name}.write(0, m.{name});" for name in TYPES)
    applied = " ".join(f"{key}_{kind}.apply();" for key, kind in keys)
    return f"""#include <core.p4>
#include <v1model.p4>
enum Colour {{ Red, Green }}
enum bit<8> Code {{ None = 0, Some = 1 }}
type bit<9> port_t;
@p4runtime_translation("", string) type bit<9> name_t;
@p4runtime_translation("", 32) type bit<9> number_t;
type port_t nested_t;
@controller_header("packet_in") header in_t {{ {fields} }}
@controller_header("packet_out") header out_t {{ {fields} }}
header b_t {{ bit<8> a; }}
header x_t {{ bit<8> x; }}
struct digest_t {{ {fields} }}
struct H {{ in_t inside; out_t outside; b_t b; x_t[4] s; }}
struct M {{ {fields} Colour colour; error problem; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    value_set<name_t>(4) names;
    value_set<number_t>(4) numbers;
    value_set<tuple<bit<8>, name_t>>(4) pairs;
    state start {{ p.extract(h.b); transition select(m.name) {{ names: next; default: next; }} }}
    state next {{ transition select(m.number) {{ numbers: last; default: last; }} }}
    state last {{ transition select(m.byte, m.name) {{ pairs: accept; default: accept; }} }}
}}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    {registers}
    {actions}
    {tables}
    apply {{
        {written}
        digest<digest_t>(1, {{ {", ".join(f"m.{name}" for name in TYPES)} }});
        {applied}
    }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.mark.parametrize("kind", KINDS)
def test_all_types(pair: Pair, tmp_path: Path, kind: str) -> None:
    keys = list(product(KEYS, [kind]))
    source = tmp_path / "types.p4"
    source.write_text(program(keys))
    compiled = compile_testbed(tmp_path, source)
    assert len(compiled.config.p4info.tables) == len(keys)
    with pair.client() as client:
        client.arbitrate()
        client.set_pipeline(compiled.config)
