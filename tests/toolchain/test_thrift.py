"""The Thrift services of a switch at `--thrift-port`, asked by clients that are made of our description of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from thriftpy2.thrift import TApplicationException

from controller.bindings import nnpy
from tests.harness.commanded_switch import CommandedSwitch, running
from tests.harness.switches import binaries
from tests.harness.thrift_clients import SERVICES, client, description
from tests.harness.waiting import LIMIT_S

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header data_t { bit<9> nine; bit<7> pad; bit<16> kind; bit<32> address; }
struct headers_t { data_t data; }
struct meta_t { bit<16> which; bit<2> color; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<9>>(4) kinds;
    state start { packet.extract(hdr.data); transition select(hdr.data.nine) { kinds: more; default: accept; } }
    state more { transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<12>>(4) cells;
    register<bit<80>>(2) wide;
    counter(4, CounterType.packets_and_bytes) counts;
    meter(4, MeterType.packets) speeds;
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.bytes) paces;
    action forward(bit<9> port) { std.egress_spec = port; }
    action paced(bit<9> port) { paces.read(meta.color); std.egress_spec = port; }
    action learn() { digest<bit<32>>(1, hdr.data.address); }
    table exactly { key = { hdr.data.nine : exact; } actions = { forward; NoAction; } counters = hits; size = 2; }
    table prefix { key = { hdr.data.address : lpm; } actions = { forward; learn; NoAction; } support_timeout = true; }
    table masked { key = { hdr.data.address : ternary; hdr.data.kind : range; } actions = { forward; NoAction; } }
    table valid { key = { hdr.data.isValid() : exact; hdr.data.kind : optional; } actions = { forward; NoAction; } }
    table metered { key = { hdr.data.kind : exact; } actions = { paced; } meters = paces; }
    table fixed { actions = { forward; } const default_action = forward(3); }
    action_profile(4) members;
    table member { key = { hdr.data.kind : exact; } actions = { forward; NoAction; } implementation = members; }
    action_selector(HashAlgorithm.crc16, 8, 16) choice;
    table balance { key = { hdr.data.kind : exact; meta.which : selector; } actions = { forward; } implementation = choice; }
    apply {
        bit<2> color; bit<12> cell; bit<16> sum;
        cells.read(cell, 0); wide.write(0, 80w1); counts.count(0); speeds.execute_meter(0, color);
        hash(sum, HashAlgorithm.crc16_custom, 16w0, { hdr.data.kind }, 32w65536);
        exactly.apply(); prefix.apply(); masked.apply(); valid.apply(); metered.apply(); fixed.apply(); member.apply(); balance.apply();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""

T = description("standard")
MULTICAST = description("simple_pre_lag")
SIMPLE = description("simple_switch")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thrift")
    source, compiled = folder / "thrift.p4", folder / "thrift.json"
    source.write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", str(compiled), str(source)], check=True)
    return compiled


@pytest.fixture(scope="module")
def switch(program: Path) -> Iterator[CommandedSwitch]:
    with running("simple_switch", program, "--device-id", "7", "--", "--priority-queues", "2") as switch:
        yield switch


@pytest.fixture
def standard(switch: CommandedSwitch) -> Iterator[Any]:
    with_client = client("standard", switch.port)
    with_client.bm_reset_state()
    yield with_client
    with_client.close()


@pytest.fixture
def multicast(switch: CommandedSwitch) -> Iterator[Any]:
    with_client = client("simple_pre_lag", switch.port)
    yield with_client
    with_client.close()


@pytest.fixture
def simple(switch: CommandedSwitch) -> Iterator[Any]:
    with_client = client("simple_switch", switch.port)
    yield with_client
    with_client.close()


def exact(key: bytes) -> Any:
    return T.BmMatchParam(type=T.BmMatchParamType.EXACT, exact=T.BmMatchParamExact(key=key))


def lpm(key: bytes, length: int) -> Any:
    return T.BmMatchParam(type=T.BmMatchParamType.LPM, lpm=T.BmMatchParamLPM(key=key, prefix_length=length))


def ternary(key: bytes, mask: bytes) -> Any:
    return T.BmMatchParam(type=T.BmMatchParamType.TERNARY, ternary=T.BmMatchParamTernary(key=key, mask=mask))


def between(low: bytes, high: bytes) -> Any:
    return T.BmMatchParam(type=T.BmMatchParamType.RANGE, range=T.BmMatchParamRange(start=low, end_=high))


def options(priority: int | None = None) -> Any:
    return T.BmAddEntryOptions(priority=priority)


def rates(*pairs: tuple[float, int]) -> list[Any]:
    return [T.BmMeterRateConfig(units_per_micros=rate, burst_size=burst) for rate, burst in pairs]


def refused(error: type[Exception], call: Any, *arguments: Any) -> int:
    """The code of the exception that a call ends with."""
    with pytest.raises(error) as raised:
        call(*arguments)
    code: int = raised.value.code  # type: ignore[attr-defined]
    return code


def table_error(call: Any, *arguments: Any) -> str:
    name: str = T.TableOperationErrorCode._VALUES_TO_NAMES[refused(T.InvalidTableOperation, call, *arguments)]
    return name


@pytest.mark.parametrize(
    ("table", "key", "priority"),
    [
        ("I.exactly", [exact(b"\x01\xff")], -1),
        ("I.prefix", [lpm(b"\x0a\x00\x01\x00", 24)], -1),
        ("I.masked", [ternary(b"\x0a\x00\x00\x00", b"\xff\x00\x00\x00"), between(b"\x00\x01", b"\x00\x09")], 5),
        ("I.valid", [exact(b"\x01"), ternary(b"\x08\x00", b"\xff\xff")], 2),
        ("I.valid", [exact(b"\x00"), ternary(b"\x00\x00", b"\x00\x00")], 0),
    ],
)
def test_an_entry_of_each_match_kind_comes_back_as_it_went_in(standard: Any, table: str, key: list[Any], priority: int) -> None:
    handle = standard.bm_mt_add_entry(0, table, key, "I.forward", [b"\x01\x02"], options(priority if priority >= 0 else None))
    entry = standard.bm_mt_get_entry(0, table, handle)
    assert (entry.match_key, entry.entry_handle, entry.options.priority, entry.life) == (key, handle, priority, None)
    assert entry.action_entry == T.BmActionEntry(
        action_type=T.BmActionEntryType.ACTION_DATA, action_name="I.forward", action_data=[b"\x01\x02"]
    )
    assert standard.bm_mt_get_entries(0, table) == [entry]
    assert standard.bm_mt_get_entry_from_key(0, table, key, options(max(priority, 0))) == entry
    assert standard.bm_mt_get_num_entries(0, table) == 1
    standard.bm_mt_modify_entry(0, table, handle, "NoAction", [])
    assert standard.bm_mt_get_entry(0, table, handle).action_entry.action_name == "NoAction"
    standard.bm_mt_delete_entry(0, table, handle)
    assert standard.bm_mt_get_num_entries(0, table) == 0


def test_refusals_of_tables_have_bmv2s_codes(standard: Any) -> None:
    add, key = standard.bm_mt_add_entry, [exact(b"\x00\x01")]
    add(0, "I.exactly", key, "I.forward", [b"\x01"], options())
    assert table_error(add, 0, "I.exactly", key, "NoAction", [], options()) == "DUPLICATE_ENTRY"
    assert table_error(add, 0, "I.nothing", key, "NoAction", [], options()) == "INVALID_TABLE_NAME"
    assert table_error(add, 0, "I.exactly", [exact(b"\x00\x02")], "I.learn", [], options()) == "INVALID_ACTION_NAME"
    assert table_error(add, 0, "I.exactly", [exact(b"\x00\x02")], "I.forward", [], options()) == "BAD_ACTION_DATA"
    for wrong in ([exact(b"\x02")], [lpm(b"\x00\x02", 9)], [], [*key, *key]):
        assert table_error(add, 0, "I.exactly", wrong, "NoAction", [], options()) == "BAD_MATCH_KEY"
    assert table_error(add, 0, "I.prefix", [lpm(b"\x00\x00\x00\x00", 33)], "NoAction", [], options()) == "BAD_MATCH_KEY"
    assert table_error(add, 0, "I.prefix", [lpm(b"\x00\x00\x00\x00", -1)], "NoAction", [], options()) == "BAD_MATCH_KEY"
    masked = [ternary(b"\x00" * 4, b"\x00" * 4), between(b"\x00\x00", b"\x00\x01")]
    assert table_error(add, 0, "I.masked", masked, "NoAction", [], options(-1)) == "ERROR"
    add(0, "I.exactly", [exact(b"\x00\x02")], "NoAction", [], options())
    assert table_error(add, 0, "I.exactly", [exact(b"\x00\x03")], "NoAction", [], options()) == "TABLE_FULL"
    assert table_error(add, 0, "I.member", [exact(b"\x00\x03")], "NoAction", [], options()) == "WRONG_TABLE_TYPE"
    assert table_error(add, 0, "I.fixed", [], "I.forward", [b"\x01"], options()) == "NO_TABLE_KEY"
    for handle in (-1, 7, 2**31 - 1):
        assert table_error(standard.bm_mt_delete_entry, 0, "I.exactly", handle) == "INVALID_HANDLE"
    assert table_error(standard.bm_mt_set_entry_ttl, 0, "I.exactly", 0, 100) == "AGEING_DISABLED"
    assert table_error(standard.bm_mt_set_default_action, 0, "I.fixed", "I.forward", [b"\x01"]) == "DEFAULT_ENTRY_IS_CONST"
    assert table_error(standard.bm_mt_read_counter, 0, "I.prefix", 0) == "COUNTERS_DISABLED"
    assert table_error(standard.bm_mt_get_meter_rates, 0, "I.prefix", 0) == "METERS_DISABLED"
    assert table_error(standard.bm_mt_get_entry_from_key, 0, "I.prefix", [lpm(b"\x00" * 4, 8)], options()) == "BAD_MATCH_KEY"


def test_default_entries_and_timeouts(standard: Any) -> None:
    assert standard.bm_mt_get_default_entry(0, "I.prefix").action_name == "NoAction"
    standard.bm_mt_set_default_action(0, "I.prefix", "I.forward", [b"\x05"])
    default = standard.bm_mt_get_default_entry(0, "I.prefix")
    assert (default.action_name, default.action_data) == ("I.forward", [b"\x05"])
    assert standard.bm_mt_get_entry_from_key(0, "I.prefix", [], options()).action_entry == default
    handle = standard.bm_mt_add_entry(0, "I.prefix", [lpm(b"\x0a\x00\x00\x00", 8)], "I.learn", [], options())
    standard.bm_mt_set_entry_ttl(0, "I.prefix", handle, 3000)
    assert standard.bm_mt_get_entry(0, "I.prefix", handle).life.timeout_ms == 3000
    standard.bm_mt_clear_entries(0, "I.prefix", False)
    assert standard.bm_mt_get_default_entry(0, "I.prefix") == default
    standard.bm_mt_clear_entries(0, "I.prefix", True)
    assert standard.bm_mt_get_default_entry(0, "I.prefix").action_name == "NoAction"
    standard.bm_mt_set_default_action(0, "I.prefix", "I.learn", [])
    standard.bm_mt_reset_default_entry(0, "I.prefix")
    assert standard.bm_mt_get_default_entry(0, "I.prefix").action_name == "NoAction"


def test_members_and_groups(standard: Any) -> None:
    first = standard.bm_mt_act_prof_add_member(0, "I.choice", "I.forward", [b"\x01"])
    second = standard.bm_mt_act_prof_add_member(0, "I.choice", "I.forward", [b"\x02"])
    standard.bm_mt_act_prof_modify_member(0, "I.choice", second, "I.forward", [b"\x03"])
    members = standard.bm_mt_act_prof_get_members(0, "I.choice")
    assert [(one.mbr_handle, one.action_name, one.action_data) for one in members] == [
        (0, "I.forward", [b"\x01"]),
        (1, "I.forward", [b"\x03"]),
    ]
    assert standard.bm_mt_act_prof_get_member(0, "I.choice", second) == members[1]
    group, key = standard.bm_mt_act_prof_create_group(0, "I.choice"), [exact(b"\x08\x00")]
    assert table_error(standard.bm_mt_indirect_ws_add_entry, 0, "I.balance", key, group, options()) == "EMPTY_GRP"
    standard.bm_mt_act_prof_add_member_to_group(0, "I.choice", first, group)
    assert table_error(standard.bm_mt_act_prof_add_member_to_group, 0, "I.choice", first, group) == "MBR_ALREADY_IN_GRP"
    assert table_error(standard.bm_mt_act_prof_remove_member_from_group, 0, "I.choice", second, group) == "MBR_NOT_IN_GRP"
    assert standard.bm_mt_act_prof_get_groups(0, "I.choice") == [T.BmMtActProfGroup(grp_handle=group, mbr_handles=[first])]
    assert standard.bm_mt_act_prof_get_group(0, "I.choice", group).mbr_handles == [first]
    handle = standard.bm_mt_indirect_ws_add_entry(0, "I.balance", key, group, options())
    entry = standard.bm_mt_get_entry(0, "I.balance", handle)
    assert entry.action_entry == T.BmActionEntry(action_type=T.BmActionEntryType.GRP_HANDLE, grp_handle=group)
    assert table_error(standard.bm_mt_act_prof_delete_group, 0, "I.choice", group) == "GRP_STILL_USED"
    standard.bm_mt_indirect_modify_entry(0, "I.balance", handle, second)
    assert standard.bm_mt_get_entry(0, "I.balance", handle).action_entry.mbr_handle == second
    standard.bm_mt_indirect_ws_modify_entry(0, "I.balance", handle, group)
    standard.bm_mt_indirect_ws_set_default_group(0, "I.balance", group)
    assert standard.bm_mt_get_default_entry(0, "I.balance").grp_handle == group
    standard.bm_mt_indirect_set_default_member(0, "I.balance", second)
    assert standard.bm_mt_get_default_entry(0, "I.balance").mbr_handle == second
    assert table_error(standard.bm_mt_act_prof_delete_member, 0, "I.choice", second) == "MBR_STILL_USED"
    standard.bm_mt_indirect_reset_default_entry(0, "I.balance")
    standard.bm_mt_indirect_delete_entry(0, "I.balance", handle)
    standard.bm_mt_act_prof_remove_member_from_group(0, "I.choice", first, group)
    standard.bm_mt_act_prof_delete_group(0, "I.choice", group)
    standard.bm_mt_act_prof_delete_member(0, "I.choice", second)
    assert table_error(standard.bm_mt_act_prof_get_member, 0, "I.choice", second) == "INVALID_MBR_HANDLE"
    assert table_error(standard.bm_mt_act_prof_get_group, 0, "I.choice", group) == "INVALID_GRP_HANDLE"
    assert table_error(standard.bm_mt_act_prof_create_group, 0, "I.members") == "NO_ACTION_PROFILE_SELECTION"
    assert table_error(standard.bm_mt_act_prof_get_members, 0, "I.nothing") == "INVALID_ACTION_PROFILE_NAME"
    assert table_error(standard.bm_mt_indirect_ws_add_entry, 0, "I.member", key, 0, options()) == "WRONG_TABLE_TYPE"
    assert table_error(standard.bm_mt_indirect_add_entry, 0, "I.member", key, 3, options()) == "INVALID_MBR_HANDLE"
    assert table_error(standard.bm_mt_indirect_delete_entry, 0, "I.exactly", 0) == "WRONG_TABLE_TYPE"
    member = standard.bm_mt_act_prof_add_member(0, "I.members", "NoAction", [])
    handle = standard.bm_mt_indirect_add_entry(0, "I.member", key, member, options())
    assert standard.bm_mt_get_entry(0, "I.member", handle).action_entry.mbr_handle == member
    assert table_error(standard.bm_mt_indirect_set_entry_ttl, 0, "I.member", handle, 1) == "AGEING_DISABLED"


def test_counters(standard: Any) -> None:
    value = T.BmCounterValue(bytes=1500, packets=2)
    standard.bm_counter_write(0, "I.counts", 3, value)
    assert standard.bm_counter_read(0, "I.counts", 3) == value
    standard.bm_counter_reset_all(0, "I.counts")
    assert standard.bm_counter_read(0, "I.counts", 3) == T.BmCounterValue(bytes=0, packets=0)
    for index in (4, -1):
        code = refused(T.InvalidCounterOperation, standard.bm_counter_read, 0, "I.counts", index)
        assert code == T.CounterOperationErrorCode.INVALID_INDEX
    code = refused(T.InvalidCounterOperation, standard.bm_counter_reset_all, 0, "I.nothing")
    assert code == T.CounterOperationErrorCode.INVALID_COUNTER_NAME
    handle = standard.bm_mt_add_entry(0, "I.exactly", [exact(b"\x00\x01")], "NoAction", [], options())
    standard.bm_mt_write_counter(0, "I.exactly", handle, value)
    assert standard.bm_mt_read_counter(0, "I.exactly", handle) == value
    standard.bm_mt_reset_counters(0, "I.exactly")
    assert standard.bm_mt_read_counter(0, "I.exactly", handle).packets == 0


def test_meters(standard: Any) -> None:
    wanted = rates((0.5, 10), (1.25, 20))
    standard.bm_meter_set_rates(0, "I.speeds", 1, wanted)
    assert standard.bm_meter_get_rates(0, "I.speeds", 1) == wanted
    assert standard.bm_meter_get_rates(0, "I.speeds", 0) == []
    standard.bm_meter_array_set_rates(0, "I.speeds", wanted)
    assert standard.bm_meter_get_rates(0, "I.speeds", 0) == wanted
    Codes, set_rates = T.MeterOperationErrorCode, standard.bm_meter_set_rates  # noqa: N806 - a class
    for code, arguments in {
        Codes.INVALID_METER_NAME: ("I.nothing", 0, wanted),
        Codes.INVALID_INDEX: ("I.speeds", 4, wanted),
        Codes.BAD_RATES_LIST: ("I.speeds", 0, wanted[:1]),
        Codes.INVALID_INFO_RATE_VALUE: ("I.speeds", 0, rates((2.0, 1), (1.0, 1))),
        Codes.INVALID_BURST_SIZE_VALUE: ("I.speeds", 0, rates((1.0, -1), (1.0, 1))),
    }.items():
        assert refused(T.InvalidMeterOperation, set_rates, 0, *arguments) == code
    for rate in (float("nan"), float("inf"), -1.0):
        assert refused(T.InvalidMeterOperation, set_rates, 0, "I.speeds", 0, rates((rate, 1), (rate, 1))) == Codes.INVALID_INFO_RATE_VALUE
    handle = standard.bm_mt_add_entry(0, "I.metered", [exact(b"\x08\x00")], "I.paced", [b"\x01"], options())
    standard.bm_mt_set_meter_rates(0, "I.metered", handle, wanted)
    assert standard.bm_mt_get_meter_rates(0, "I.metered", handle) == wanted
    assert table_error(standard.bm_mt_set_meter_rates, 0, "I.metered", handle, wanted[:1]) == "INVALID_METER_OPERATION"


def test_registers(standard: Any) -> None:
    standard.bm_register_write(0, "I.cells", 1, 0x1234)
    standard.bm_register_write(0, "I.cells", 2, -1)
    assert standard.bm_register_read_all(0, "I.cells") == [0, 0x234, 0xFFF, 0]
    standard.bm_register_write_range(0, "I.cells", 0, 2, 7)
    assert [standard.bm_register_read(0, "I.cells", index) for index in range(3)] == [7, 7, 0xFFF]
    standard.bm_register_reset(0, "I.cells")
    assert standard.bm_register_read_all(0, "I.cells") == [0] * 4
    standard.bm_register_write(0, "I.wide", 0, -2)
    assert standard.bm_register_read(0, "I.wide", 0) == -2  # the last 64 of its 80 bits
    Codes = T.RegisterOperationErrorCode  # noqa: N806 - a class
    assert refused(T.InvalidRegisterOperation, standard.bm_register_read, 0, "I.cells", 4) == Codes.INVALID_INDEX
    assert refused(T.InvalidRegisterOperation, standard.bm_register_write, 0, "I.cells", -1, 0) == Codes.INVALID_INDEX
    for start, end in ((2, 5), (3, 2), (-1, 2)):
        code = refused(T.InvalidRegisterOperation, standard.bm_register_write_range, 0, "I.cells", start, end, 0)
        assert code == Codes.INVALID_INDEX
    assert refused(T.InvalidRegisterOperation, standard.bm_register_reset, 0, "I.nothing") == Codes.INVALID_REGISTER_NAME


def test_parser_value_sets_and_hashes(standard: Any, program: Path) -> None:
    name = json.loads(program.read_text())["parse_vsets"][0]["name"]
    standard.bm_parse_vset_add(0, name, b"\x01\x02")
    standard.bm_parse_vset_add(0, name, b"\x05")
    assert standard.bm_parse_vset_get(0, name) == [b"\x01\x02", b"\x00\x05"]
    standard.bm_parse_vset_remove(0, name, b"\x01\x02")
    assert standard.bm_parse_vset_get(0, name) == [b"\x00\x05"]
    standard.bm_parse_vset_clear(0, name)
    assert standard.bm_parse_vset_get(0, name) == []
    Codes = T.ParseVSetOperationErrorCode  # noqa: N806 - a class
    assert refused(T.InvalidParseVSetOperation, standard.bm_parse_vset_add, 0, name, b"\xff\xff") == Codes.ERROR
    assert refused(T.InvalidParseVSetOperation, standard.bm_parse_vset_get, 0, "nothing") == Codes.INVALID_PARSE_VSET_NAME
    calculation = next(one["name"] for one in json.loads(program.read_text())["calculations"] if one["algo"] == "crc16_custom")
    config = {"initial_remainder": 0, "final_xor_value": -1, "data_reflected": True, "remainder_reflected": True}
    standard.bm_set_crc16_custom_parameters(0, calculation, T.BmCrc16Config(polynomial=-0x7FEB, **config))
    set32, config32 = standard.bm_set_crc32_custom_parameters, T.BmCrc32Config(polynomial=5, **config)
    assert refused(T.InvalidCrcOperation, set32, 0, calculation, config32) == T.CrcErrorCode.WRONG_TYPE_CALCULATION
    assert refused(T.InvalidCrcOperation, set32, 0, "nothing", config32) == T.CrcErrorCode.INVALID_CALCULATION_NAME
    code = refused(T.InvalidToeplitzHashOperation, standard.bm_set_toeplitz_hash_key, 0, calculation, b"key")
    assert code == T.ToeplitzHashErrorCode.INVALID_CALCULATION_NAME


def test_multicast(standard: Any, multicast: Any, switch: CommandedSwitch) -> None:
    assert multicast.bm_mc_mgrp_create(0, 9) == 9
    node = multicast.bm_mc_node_create(0, 4, "1010", "")
    multicast.bm_mc_node_associate(0, 9, node)
    entries = json.loads(multicast.bm_mc_get_entries(0))
    assert entries["mgrps"] == [{"id": 9, "l1_handles": [node]}]
    assert [(one["handle"], one["rid"]) for one in entries["l1_handles"]] == [(node, 4)]
    assert entries["l2_handles"][0]["ports"] == [1, 3]
    multicast.bm_mc_node_update(0, node, "100", "000")
    assert switch.cli("mc_dump")[0].splitlines()[3:5] == ["mgrp(9)", f"  -> (L1h={node}, rid=4) -> (ports=[2], lags=[])"]
    Codes, error = MULTICAST.McOperationErrorCode, MULTICAST.InvalidMcOperation  # noqa: N806 - a class
    assert refused(error, multicast.bm_mc_node_associate, 0, 9, node) == Codes.ERROR
    assert refused(error, multicast.bm_mc_node_associate, 0, 9, 77) == Codes.INVALID_L1_HANDLE
    other = multicast.bm_mc_node_create(0, 1, "", "")
    assert refused(error, multicast.bm_mc_node_associate, 0, 8, other) == Codes.INVALID_MGRP_HANDLE
    for ports, lags in (("2", ""), ("1" * 65_537, ""), ("1", "1"), ("x", "")):
        assert refused(error, multicast.bm_mc_node_create, 0, 1, ports, lags) == Codes.ERROR
    assert refused(error, multicast.bm_mc_set_lag_membership, 0, 1, "11") == Codes.ERROR
    assert refused(error, multicast.bm_mc_mgrp_create, 0, 65_536) == Codes.ERROR
    multicast.bm_mc_node_dissociate(0, 9, node)
    multicast.bm_mc_node_destroy(0, node)
    multicast.bm_mc_mgrp_destroy(0, 9)
    assert json.loads(multicast.bm_mc_get_entries(0))["mgrps"] == []


def test_mirroring(standard: Any, simple: Any, multicast: Any) -> None:
    Config, error = SIMPLE.MirroringSessionConfig, SIMPLE.InvalidMirroringOperation  # noqa: N806 - a class
    missing = SIMPLE.MirroringOperationErrorCode.SESSION_NOT_FOUND
    for config in (Config(port=3), Config(mgid=9), Config(port=3, mgid=9)):
        simple.mirroring_session_add(5, config)
        assert simple.mirroring_session_get(5) == config
    simple.mirroring_session_delete(5)
    assert refused(error, simple.mirroring_session_get, 5) == missing
    assert refused(error, simple.mirroring_session_delete, 5) == missing
    assert simple.mirroring_mapping_add(6, 2) == 0
    assert simple.mirroring_mapping_get_egress_port(6) == 2
    assert (simple.mirroring_mapping_delete(6), simple.mirroring_mapping_delete(6)) == (0, -1)
    assert simple.mirroring_mapping_get_egress_port(6) == -1
    with pytest.raises(TApplicationException, match="session"):
        simple.mirroring_session_add(-1, Config(port=3))


def test_queues_and_the_clock(simple: Any) -> None:
    assert simple.set_all_egress_queue_depths(64) == 0
    assert simple.set_all_egress_queue_rates(1000) == 0
    assert simple.set_egress_queue_depth(3, 10) == 0
    assert simple.set_egress_queue_rate(3, 500) == 0
    assert simple.set_egress_priority_queue_depth(3, 1, 10) == 0
    assert simple.set_egress_priority_queue_rate(3, 1, 50) == 0
    with pytest.raises(TApplicationException, match="priority must be 0 to 1, not 2"):
        simple.set_egress_priority_queue_rate(3, 2, 50)
    with pytest.raises(TApplicationException, match="cannot be -1"):
        simple.set_egress_queue_depth(3, -1)
    first = simple.get_time_elapsed_us()
    assert 0 <= first <= simple.get_time_elapsed_us()
    assert simple.get_time_since_epoch_us() > 1.7e15


def test_the_program_and_the_switch(standard: Any, switch: CommandedSwitch, program: Path) -> None:
    text = program.read_text()
    assert standard.bm_get_config() == text
    assert standard.bm_get_config_md5() == hashlib.md5(text.encode()).digest()
    info = standard.bm_mgmt_get_info()
    assert (info.device_id, info.thrift_port) == (7, switch.port)
    described = json.loads(text)
    kinds = T.BmResourceType
    for kind, name, wanted in (
        (kinds.MATCH_TABLE, "I.masked", next(t["id"] for t in described["pipelines"][0]["tables"] if t["name"] == "I.masked")),
        (kinds.ACTION_PROFILE, "I.choice", next(p["id"] for p in described["pipelines"][0]["action_profiles"] if p["name"] == "I.choice")),
        (kinds.REGISTER, "I.wide", next(r["id"] for r in described["register_arrays"] if r["name"] == "I.wide")),
        (kinds.LEARNING_LIST, described["learn_lists"][0]["name"], described["learn_lists"][0]["id"]),
    ):
        assert standard.bm_get_id_from_name(0, kind, name) == wanted
    assert refused(T.InvalidIdLookup, standard.bm_get_id_from_name, 0, kinds.METER, "x") == T.IdLookupErrorCode.INVALID_RESOURCE_NAME
    assert refused(T.InvalidIdLookup, standard.bm_get_id_from_name, 0, 6, "x") == T.IdLookupErrorCode.INVALID_RESOURCE_TYPE
    learn_list = described["learn_lists"][0]["id"]
    standard.bm_learning_ack_buffer(0, learn_list, 1)
    standard.bm_learning_ack(0, learn_list, 1, [0])
    standard.bm_learning_set_timeout(0, learn_list, 100)
    standard.bm_learning_set_buffer_size(0, learn_list, 10)
    assert refused(T.InvalidLearnOperation, standard.bm_learning_ack_buffer, 0, 99, 1) == T.LearnOperationErrorCode.INVALID_LIST_ID
    assert standard.bm_dev_mgr_show_ports() == []
    assert refused(T.InvalidDevMgrOperation, standard.bm_dev_mgr_add_port, "no-such-interface", 1, "") == T.DevMgrErrorCode.ERROR
    assert refused(T.InvalidDevMgrOperation, standard.bm_dev_mgr_remove_port, 1) == T.DevMgrErrorCode.ERROR
    with pytest.raises(TApplicationException, match="state"):
        standard.bm_serialize_state()


def test_digests_reach_subscribers_and_wait_for_acknowledgements(standard: Any) -> None:
    address = standard.bm_mgmt_get_info().notifications_socket
    assert address == f"ipc://{tempfile.gettempdir()}/bmv2-7-notifications.ipc"
    subscriber = nnpy.Socket(nnpy.AF_SP, nnpy.SUB)
    subscriber.setsockopt(nnpy.SUB, nnpy.SUB_SUBSCRIBE, "LEA|")
    subscriber.connect(address)
    subscriber.close()
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(5)
        other.connect(address.removeprefix("ipc://"))
        other.sendall(b"GET / HT")
        assert other.recv(100) == b"\0SP\0\0\x20\0\0"
        assert other.recv(100) == b""
    with pytest.raises(nnpy.NNError, match="no-such-path"):
        nnpy.Socket(nnpy.AF_SP, nnpy.SUB).connect("ipc:///no-such-path")
    with pytest.raises(nnpy.NNError, match="P4Runtime alone"):
        nnpy.Socket(nnpy.AF_SP, nnpy.SUB).connect("")


def test_programs_are_swapped(standard: Any, program: Path) -> None:
    codes = T.SwapOperationErrorCode
    assert refused(T.InvalidSwapOperation, standard.bm_swap_configs) == codes.NO_ONGOING_SWAP
    with pytest.raises(TApplicationException, match="the new program"):
        standard.bm_load_new_config("{}")
    standard.bm_register_write(0, "I.cells", 0, 5)
    standard.bm_load_new_config(program.read_text())
    assert refused(T.InvalidSwapOperation, standard.bm_load_new_config, program.read_text()) == codes.ONGOING_SWAP
    assert standard.bm_register_read(0, "I.cells", 0) == 5
    standard.bm_swap_configs()
    assert standard.bm_register_read(0, "I.cells", 0) == 0


def test_a_switch_without_program_knows_no_names(tmp_path: Path) -> None:
    with running("simple_switch_grpc", Path("--no-p4"), "--", "--grpc-server-addr", "127.0.0.1:0") as switch:
        standard = client("standard", switch.port)
        assert table_error(standard.bm_mt_get_num_entries, 0, "I.exactly") == "INVALID_TABLE_NAME"
        code = refused(T.InvalidRegisterOperation, standard.bm_register_read, 0, "I.cells", 0)
        assert code == T.RegisterOperationErrorCode.INVALID_REGISTER_NAME
        with pytest.raises(TApplicationException, match="no program"):
            standard.bm_get_config()
        standard.close()


def test_calls_that_there_are_not(switch: CommandedSwitch) -> None:
    for name, why in (
        ("standard:nothing", "no call nothing"),
        ("nothing:bm_get_config", "the services are"),
        ("bm_get_config", "SERVICE:CALL"),
    ):
        answer = exchange(switch.port, message(name, b"\x00"))
        assert answer[:4] == b"\x80\x01\x00\x03"  # an exception
        assert why.encode() in answer
    # A call without its arguments.
    assert b"field 2" in exchange(switch.port, message("standard:bm_mt_get_num_entries", b"\x00"))


def message(name: str, arguments: bytes, kind: int = 1) -> bytes:
    return struct.pack(">HBBI", 0x8001, 0, kind, len(name)) + name.encode() + struct.pack(">I", 1) + arguments


def exchange(port: int, data: bytes) -> bytes:
    """The bytes that come back until the connection ends, or for as long as an answer takes."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as connection:
        with contextlib.suppress(OSError):  # it may be closed already
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):  # not everything that was sent has been read there
            while part := connection.recv(65_536):
                answer += part
        return answer


DEEP = b"\x0c\x00\x01" * 2000
GARBAGE = {
    "http": b"GET / HTTP/1.1\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "a reply": message("standard:bm_get_config", b"\x00", kind=2),
    "a name without end": struct.pack(">HBBI", 0x8001, 0, 1, 0x7FFFFFFF) + b"standard:",
    "a name of negative length": struct.pack(">HBBi", 0x8001, 0, 1, -1),
    "a string without end": message("standard:bm_load_new_config", b"\x0b\x00\x01\x7f\xff\xff\xff{"),
    "a list without end": message("standard:bm_mt_add_entry", b"\x0f\x00\x03\x0c\x7f\xff\xff\xff"),
    "a list of negative length": message("standard:bm_mt_add_entry", b"\x0f\x00\x03\x0c\xff\xff\xff\xff"),
    "structures in structures": message("standard:bm_mt_add_entry", DEEP),
    "lists in lists": message("standard:bm_mt_add_entry", b"\x0f\x00\x01" + b"\x0f\x00\x00\x00\x01" * 2000),
    "empty structures, many": message("standard:bm_mt_add_entry", (b"\x0f\x00\x03\x0c\x00\x02\x00\x00" + bytes(0x20000)) * 3),
    "an unknown type": message("standard:bm_mt_add_entry", b"\x63\x00\x01"),
    "half a call": message("standard:bm_mt_get_num_entries", b"\x08\x00\x01\x00"),
}


@pytest.mark.parametrize("what", GARBAGE)
def test_bytes_that_are_no_call_end_their_connection_alone(what: str, standard: Any, switch: CommandedSwitch) -> None:
    assert exchange(switch.port, GARBAGE[what]) == b""
    assert standard.bm_mt_get_num_entries(0, "I.exactly") == 0


def test_all_services_are_described() -> None:
    assert set(SERVICES) == {file.stem for file in (Path(__file__).parents[2] / "switch/crates/bmv2-thrift/thrift").glob("*.thrift")}
