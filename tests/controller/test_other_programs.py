"""The controller with programs that are not Nodectl's: it writes what they have tables for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from finsy.proto import p4i
from google.protobuf import text_format

from common.errors import EXIT_CANNOT_RUN, UserError
from controller.command_line import main
from controller.packets import PacketCodec
from controller.pipeline import check_fits, load_pipeline, sends_events, table_entries, tables_to_read, takes_capacities
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
struct metadata_t { bit<16> data_port; bit<4> narrow; }
parser P(packet_in p, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); p.extract(h.ipv4); transition accept; }
}
control C(inout headers_t h, inout metadata_t m) { apply { } }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    Forwarding() forwarding;
    bit<1> is_routed;
    TABLE
    apply { forwarding.apply(h.ethernet, h.ipv4, s, is_routed); APPLIED }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""

SET_CAPACITY = "action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) { } "
KEY = "key = { m.data_port: exact; }"
CAPACITY = f"{SET_CAPACITY} table port_capacity {{ {KEY} actions = {{ set_capacity; NoAction; }} }}"


def schema_of(applied: str, folder: Path, table: str = CAPACITY) -> tuple[Path, Path]:
    require(Combination("embedded", "embedded"))
    for name in ("forwarding.p4", "equal_cost_ways.p4", "ipv4.p4"):
        (folder / name).write_text((REPOSITORY / "p4src" / name).read_text())
    source = folder / "other.p4"
    source.write_text(FORWARDS.replace("APPLIED", applied).replace("TABLE", table))
    program = compile_program(source, folder)
    return program.with_suffix(".p4info.txtpb"), program


@pytest.mark.parametrize(("applied", "entries"), [("", 1), ("port_capacity.apply();", 2)], ids=["routes alone", "routes and capacities"])
def test_it_writes_the_tables_that_are_there(applied: str, entries: int, tmp_path: Path) -> None:
    schema = load_pipeline(*schema_of(applied, tmp_path))
    assert not sends_events(schema)
    assert takes_capacities(schema) == (entries == 2)
    assert len(table_entries(schema, SWITCH)) == entries
    assert len(tables_to_read(schema)) == entries + 1, "and those of several ways, of which this network has none"
    PacketCodec(schema)


def test_keys_of_a_table_may_end_alike(tmp_path: Path) -> None:
    keys = "key = { h.ipv4.source: ternary; h.ethernet.source: ternary; h.ipv4.ttl: range; }"
    p4info, program = schema_of("rules.apply();", tmp_path, f"table rules {{ {keys} actions = {{ NoAction; }} }}")
    schema = load_pipeline(p4info, program)
    assert [field.name for field in schema.tables["rules"].match_fields] == ["h_ipv4_source", "h_ethernet_source", "h.ipv4.ttl"]
    assert schema.get_pipeline_config().p4info == text_format.Parse(p4info.read_text(), p4i.P4Info()), "the switch has it as it is"
    assert len(table_entries(schema, SWITCH)) == 1


def test_a_program_that_does_not_route_is_refused(tmp_path: Path) -> None:
    p4info, program = schema_of("", tmp_path)
    p4info.write_text(p4info.read_text().replace("ipv4_lpm", "other"))
    with pytest.raises(UserError, match="no table ipv4_lpm"):
        load_pipeline(p4info, program)


def actions(*names: str) -> str:
    return f"actions = {{ {' '.join(f'{name};' for name in (*names, 'NoAction'))} }}"


def capacity(key: str = KEY, action: str = SET_CAPACITY, names: str = actions("set_capacity"), more: str = "") -> str:
    return f"{action} table port_capacity {{ {key} {names} {more} }}"


def host_port(key: str, action: str = "action from_host() { }", names: str = actions("from_host")) -> str:
    return f"{action} table host_port {{ {key} {names} }}"


ONE_KEY = r"has to have one key, a port, matched exactly; it has: "


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (
            capacity(key="key = { m.data_port: exact; m.narrow: exact; }"),
            ONE_KEY + r"data_port: exact of 16 bits, narrow: exact of 4 bits$",
        ),
        (capacity(key=""), ONE_KEY + "none$"),
        (capacity(key="key = { m.data_port: ternary; }"), ONE_KEY + r"data_port: ternary of 16 bits$"),
        (capacity(key="key = { m.data_port: lpm; }"), ONE_KEY + r"data_port: lpm of 16 bits$"),
        (capacity(key="key = { m.data_port: range; }"), ONE_KEY + r"data_port: range of 16 bits$"),
        (capacity(key="key = { m.data_port: optional; }"), ONE_KEY + r"data_port: optional of 16 bits$"),
        (
            capacity(action="action set_capacity(bit<32> rate) { }"),
            r"set_capacity\(capacity_kbps, tolerance_kbps\); it has: set_capacity\(bit<32> rate\)$",
        ),
        (
            capacity(action="action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps, bit<8> more) { }"),
            r"it has: set_capacity\(bit<32> capacity_kbps, bit<32> tolerance_kbps, bit<8> more\)$",
        ),
        (capacity(action="action set_capacity() { }"), r"it has: set_capacity\(\)$"),
        (capacity(action="action other() { }", names=actions("other")), r"for its entries; it has: other\(\), NoAction\(\)$"),
        (
            capacity(names="actions = { @defaultonly set_capacity; NoAction; }", more="default_action = set_capacity(1, 2);"),
            "for its entries",
        ),
        (
            capacity(
                action=SET_CAPACITY + "action set_capacity_beside_load(bit<8> share) { }",
                names=actions("set_capacity", "set_capacity_beside_load"),
            ),
            r"set_capacity_beside_load\(capacity_kbps, tolerance_kbps, least_kbps\); it has: set_capacity_beside_load\(bit<8> share\)$",
        ),
        (capacity(more="const entries = { 1: set_capacity(2, 3); }"), "has `const entries`"),
        (capacity(more="implementation = action_profile(16);"), "has an implementation"),
        (host_port("key = { s.ingress_port: ternary; }"), ONE_KEY + r"ingress_port: ternary of 9 bits$"),
        (host_port("key = { s.ingress_port: exact; m.data_port: exact; }"), ONE_KEY),
        (
            host_port("key = { s.ingress_port: exact; }", "action from_host(bit<8> which) { }"),
            r"from_host\(\); it has: from_host\(bit<8> which\)$",
        ),
        (host_port("key = { s.ingress_port: exact; }", "action other() { }", actions("other")), r"from_host\(\) for its entries"),
    ],
)
def test_a_table_of_another_shape_is_named_with_what_is_expected(table: str, what: str, tmp_path: Path) -> None:
    name = "port_capacity" if "port_capacity" in table else "host_port"
    files = schema_of(f"{name}.apply();", tmp_path, table)
    with pytest.raises(UserError) as raised:
        load_pipeline(*files)
    first, remedy = str(raised.value).splitlines()
    assert re.search(rf"other\.p4: table {name}, which the controller writes, .*{what}", first)
    assert f"table {name} {{ key" in remedy
    assert "call it something else" in remedy


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (capacity(key="key = { m.narrow: exact; }"), r"narrow = 77 with capacity_kbps = 20000"),
        (
            capacity(action="action set_capacity(bit<8> capacity_kbps, bit<32> tolerance_kbps) { }"),
            r"set_capacity: capacity_kbps of 8 bits",
        ),
    ],
)
def test_a_table_that_is_too_narrow_for_its_entries_is_named(table: str, what: str, tmp_path: Path) -> None:
    schema = load_pipeline(*schema_of("port_capacity.apply();", tmp_path, table))
    ports = [SWITCH.ports[0].model_copy(update={"port": 77})]
    with pytest.raises(UserError, match=f"(?s)table port_capacity of own.p4 is too narrow for .*{what}"):
        check_fits(schema, SWITCH.model_copy(update={"ports": ports}), "own.p4")


def test_widths_are_the_programs_own_if_the_values_fit(tmp_path: Path) -> None:
    table = capacity(key="key = { m.narrow: exact; }", action="action set_capacity(bit<40> capacity_kbps, bit<20> tolerance_kbps) { }")
    schema = load_pipeline(*schema_of("port_capacity.apply();", tmp_path, table))
    check_fits(schema, SWITCH, "own.p4")
    assert len(table_entries(schema, SWITCH)) == 2


def test_the_controller_ends_with_the_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    p4info, program = schema_of("port_capacity.apply();", tmp_path, capacity(key="key = { m.narrow: exact; }"))
    port = SWITCH.ports[0].model_copy(update={"port": 77})
    network = {"switches": [SWITCH.model_copy(update={"ports": [port]}).model_dump(mode="json")]}
    (tmp_path / "net.json").write_text(json.dumps(network))
    assert main(["--network", str(tmp_path / "net.json"), "--p4info", str(p4info), "--pipeline", str(program)]) == EXIT_CANNOT_RUN
    said = capsys.readouterr().err
    assert f"controller: table port_capacity of {program} is too narrow" in said
    assert "bug" not in said
