"""The controller with programs that are not Nodectl's: it writes what they have tables for."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.packets import PacketCodec
from controller.pipeline import load_pipeline, sends_events, table_entries, tables_to_read, takes_capacities
from protocol.errors import UserError
from scenario.network_description import SwitchDescription
from tests.harness.switches import REPOSITORY, Combination, compile_program, require

SWITCH = SwitchDescription.model_validate(
    {
        "name": "s1",
        "device_id": 1,
        "grpc_addr": "127.0.0.1:50051",
        "ports": [{"port": 2, "capacity_bps": 20_000_000}],
        "routes": [{"prefix": "10.0.2.0/24", "port": 2, "source_mac": "02:00:00:00:00:01", "destination_mac": "02:00:00:00:00:02"}],
    }
)
FORWARDS = """
#include <core.p4>
#include <v1model.p4>
#include "forwarding.p4"
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata_t { bit<16> data_port; }
parser P(packet_in p, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); p.extract(h.ipv4); transition accept; }
}
control C(inout headers_t h, inout metadata_t m) { apply { } }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    Forwarding() forwarding;
    bit<1> is_routed;
    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) { }
    table port_capacity { key = { m.data_port: exact @name("data_port"); } actions = { set_capacity; NoAction; } }
    apply { forwarding.apply(h.ethernet, h.ipv4, s, is_routed); APPLIED }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""


def schema_of(applied: str, folder: Path) -> tuple[Path, Path]:
    require(Combination("embedded", "embedded"))
    for name in ("forwarding.p4", "ipv4.p4"):
        (folder / name).write_text((REPOSITORY / "p4src" / name).read_text())
    source = folder / "other.p4"
    source.write_text(FORWARDS.replace("APPLIED", applied))
    program = compile_program(source, folder)
    return program.with_suffix(".p4info.txtpb"), program


@pytest.mark.parametrize(("applied", "entries"), [("", 1), ("port_capacity.apply();", 2)], ids=["routes alone", "routes and capacities"])
def test_it_writes_the_tables_that_are_there(applied: str, entries: int, tmp_path: Path) -> None:
    schema = load_pipeline(*schema_of(applied, tmp_path))
    assert not sends_events(schema)
    assert takes_capacities(schema) == (entries == 2)
    assert len(table_entries(schema, SWITCH)) == len(tables_to_read(schema)) == entries
    PacketCodec(schema)


def test_a_program_that_does_not_route_is_refused(tmp_path: Path) -> None:
    p4info, program = schema_of("", tmp_path)
    p4info.write_text(p4info.read_text().replace("ipv4_lpm", "other"))
    with pytest.raises(UserError, match="no table ipv4_lpm"):
        load_pipeline(p4info, program)
