"""Routes for programs by other authors: their actions have other names and parameters; impossible routes are refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from controller.pipeline import load_pipeline, table_entries
from tests.controller.test_other_programs import SWITCH
from tests.harness.switches import Combination, compile_program, require

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t {{ bit<48> dstAddr; bit<48> srcAddr; bit<16> etherType; }}
header ipv4_t {{ bit<96> rest; bit<32> srcAddr; bit<32> dstAddr; }}
struct headers {{ ethernet_t ethernet; ipv4_t ipv4; }}
struct metadata {{ bit<64> wide; }}
parser MyParser(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    state start {{ p.extract(hdr.ethernet); p.extract(hdr.ipv4); transition accept; }}
}}
control MyVerify(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {{
    action drop() {{ mark_to_drop(standard_metadata); }}
    {action}
    table ipv4_lpm {{
        key = {{ {key} }}
        actions = {{ {names} }}
        size = 1024;
        default_action = {default};
    }}
    apply {{ if (hdr.ipv4.isValid()) ipv4_lpm.apply(); }}
}}
control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control MyCompute(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control MyDeparser(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr.ethernet); p.emit(hdr.ipv4); }} }}
V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
"""
LPM = "hdr.ipv4.dstAddr: lpm;"
FORWARD = "action ipv4_forward({parameters}) {{ standard_metadata.egress_spec = (bit<9>)port; }}"


def loaded(tmp_path: Path, action: str, key: str = LPM, names: str = "ipv4_forward; drop; NoAction;", default: str = "NoAction()") -> int:
    """How many entries the controller has for it."""
    require(Combination("embedded", "embedded"))
    source = tmp_path / "own.p4"
    source.write_text(PROGRAM.format(action=action, key=key, names=names, default=default))
    program = compile_program(source, tmp_path)
    return len(table_entries(load_pipeline(program.with_suffix(".p4info.txtpb"), program), SWITCH))


@pytest.mark.parametrize(
    ("parameters", "names", "default"),
    [
        ("bit<48> dstAddr, bit<9> port", "ipv4_forward; drop; NoAction;", "NoAction()"),
        ("bit<48> dstAddr, bit<9> port", "ipv4_forward; drop;", "drop()"),
        ("bit<9> port, bit<48> dst", "ipv4_forward; drop; NoAction;", "drop()"),
        ("bit<48> srcAddr, bit<48> dstAddr, bit<9> port", "drop; ipv4_forward;", "drop()"),
        ("bit<9> port", "ipv4_forward; drop;", "drop()"),
        ("bit<16> port, bit<48> mac", "ipv4_forward; drop;", "drop()"),
    ],
)
def test_routes_are_written_with_the_action_that_forwards(tmp_path: Path, parameters: str, names: str, default: str) -> None:
    assert loaded(tmp_path, FORWARD.format(parameters=parameters), LPM, names, default) == 1


@pytest.mark.parametrize(
    ("action", "key", "names", "default", "said"),
    [
        ("", LPM, "drop; NoAction;", "drop()", r"no action that the controller can write routes with; it has: .*drop\(\)"),
        (FORWARD.format(parameters="bit<32> next_hop, bit<9> port"), LPM, "ipv4_forward; drop;", "drop()", "no action that the controller"),
        (FORWARD.format(parameters="bit<9> port, bit<9> other"), LPM, "ipv4_forward; drop;", "drop()", "no action that the controller"),
        (FORWARD.format(parameters="bit<9> port"), "hdr.ipv4.dstAddr: exact;", "ipv4_forward; drop;", "drop()", "exact of 32 bits"),
        (FORWARD.format(parameters="bit<9> port"), "hdr.ipv4.dstAddr: ternary;", "ipv4_forward; drop;", "drop()", "ternary of 32 bits"),
        (FORWARD.format(parameters="bit<9> port"), "meta.wide: lpm;", "ipv4_forward; drop;", "drop()", "lpm of 64 bits"),
        (
            FORWARD.format(parameters="bit<9> port"),
            "hdr.ipv4.dstAddr: lpm; hdr.ipv4.srcAddr: exact;",
            "ipv4_forward; drop;",
            "drop()",
            "one key, an IPv4 address by its longest prefix",
        ),
    ],
)
def test_what_cannot_be_routed_is_said(tmp_path: Path, action: str, key: str, names: str, default: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        loaded(tmp_path, action, key, names, default)
