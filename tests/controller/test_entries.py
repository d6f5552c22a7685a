"""Files of entries in each format: the updates they come to, and the messages about mistakes, with file and line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from common.errors import UserError
from controller.entries.entry import PlacedUpdate
from controller.entries.reading import read_commands, read_updates
from controller.entries.values import number
from controller.entries.written import from_file, to_json
from topo.toolchain import Toolchain

FORWARDER = Path(__file__).resolve().parents[1] / "own_programs" / "forwarder" / "forwarder.p4"


@pytest.fixture(scope="module")
def info() -> p4i.P4Info:
    _, p4info = Toolchain().compile(source=FORWARDER)
    found: p4i.P4Info = text_format.Parse(p4info.read_text(), p4i.P4Info())
    return found


def read(info: p4i.P4Info, file: Path, text: str) -> list[PlacedUpdate]:
    file.write_text(text)
    return read_updates(file, info, "forwarder.p4")


IN_TOML = """
[[ipv4_lpm]]
match = { dstAddr = "10.0.1.0/24" }
action = "ipv4_forward"
with = { dstAddr = "08:00:00:00:01:11", port = 1 }

[[MyIngress.acl]]
match = { "hdr.ipv4.srcAddr" = "10.0.0.0 &&& 255.0.0.0", protocol = "6..17" }
action = "MyIngress.drop"
priority = 7

[default_actions]
acl = "NoAction"
"""

IN_JSON = """{
  "table_entries": [
    {"table": "MyIngress.ipv4_lpm", "match": {"hdr.ipv4.dstAddr": ["10.0.1.0", 24]},
     "action_name": "MyIngress.ipv4_forward", "action_params": {"dstAddr": "08:00:00:00:01:11", "port": 1}},
    {"table": "MyIngress.acl", "match": {"hdr.ipv4.srcAddr": ["10.0.0.0", "0xff000000"], "hdr.ipv4.protocol": [6, 17]},
     "action_name": "MyIngress.drop", "action_params": {}, "priority": 7},
    {"table": "MyIngress.acl", "default_action": true, "action_name": "NoAction", "action_params": {}}
  ]
}
"""


def test_toml_and_runtime_json_come_to_the_same(info: p4i.P4Info, tmp_path: Path) -> None:
    toml, json = read(info, tmp_path / "s1.toml", IN_TOML), read(info, tmp_path / "s1-runtime.json", IN_JSON)
    assert [one.update for one in toml] == [one.update for one in json]
    assert [one.place.line for one in toml] == [2, 7, 13]
    assert [one.place.line for one in json] == [3, 5, 7]
    first, second, default = (one.update.entity.table_entry for one in toml)
    assert (first.match[0].lpm.value, first.match[0].lpm.prefix_len) == (bytes([10, 0, 1, 0]), 24)
    assert [param.value for param in first.action.action.params] == [bytes.fromhex("080000000111"), b"\x01"]
    assert (second.match[0].ternary.value, second.match[0].ternary.mask) == (bytes([10, 0, 0, 0]), bytes([255, 0, 0, 0]))
    assert (second.match[1].range.low, second.match[1].range.high, second.priority) == (b"\x06", b"\x11", 7)
    assert default.is_default_action
    assert [one.update.type for one in toml] == [p4r.Update.INSERT, p4r.Update.INSERT, p4r.Update.MODIFY]


def test_p4runtime_as_text_is_taken_as_it_is(info: p4i.P4Info, tmp_path: Path) -> None:
    updates = [one.update for one in read(info, tmp_path / "s1.toml", IN_TOML)]
    as_updates = read(info, tmp_path / "s1.txtpb", text_format.MessageToString(p4r.WriteRequest(updates=updates)))
    as_read = read(info, tmp_path / "s1.pbtxt", text_format.MessageToString(p4r.ReadResponse(entities=[one.entity for one in updates])))
    assert [one.update for one in as_updates] == [one.update for one in as_read] == updates
    assert as_updates[0].place.line == 1
    assert len({one.place.line for one in as_updates}) == 3


def test_groups_and_sessions(info: p4i.P4Info, tmp_path: Path) -> None:
    text = """{"multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 1}, {"egress_port": 2}]}],
     "clone_session_entries": [{"clone_session_id": 100, "replicas": [{"egress_port": 3, "instance": 1}]}]}"""
    group, session = (one.update.entity.packet_replication_engine_entry for one in read(info, tmp_path / "s1.json", text))
    assert [(one.egress_port, one.instance) for one in group.multicast_group_entry.replicas] == [(1, 1), (2, 1)]
    assert session.clone_session_entry.session_id == 100


def test_they_travel_with_their_places(info: p4i.P4Info, tmp_path: Path) -> None:
    updates = read(info, tmp_path / "s1.toml", IN_TOML)
    (tmp_path / "updates.json").write_text(to_json(updates))
    assert from_file(tmp_path / "updates.json") == updates


def test_commands_keep_their_lines(tmp_path: Path) -> None:
    (tmp_path / "s1.txt").write_text("# routes\n// as some write\ntable_add ipv4_lpm drop 10.0.0.1/32 =>\n  mc_mgrp_create 1\n")
    assert [(place.line, line) for place, line in read_commands(tmp_path / "s1.txt")] == [
        (3, "table_add ipv4_lpm drop 10.0.0.1/32 =>"),
        (4, "mc_mgrp_create 1"),
    ]


ENTRY = '[[ipv4_lpm]]\nmatch = {{ dstAddr = {match} }}\naction = "ipv4_forward"\nwith = {{ dstAddr = {mac}, port = {port} }}\n'


def entry(match: str = '"10.0.0.1"', mac: str = '"02:00:00:00:00:01"', port: str = "1") -> str:
    return ENTRY.format(match=match, mac=mac, port=port)


ACL = '[[acl]]\nmatch = {{ srcAddr = {source} }}\naction = "drop"\n{more}\n'

WRONG = {
    "no such table": ("\n[[ipv4_lmp]]\n", "s1.toml:2: there is no table 'ipv4_lmp' in forwarder.p4; did you mean MyIngress.ipv4_lpm?"),
    "no such key": ('[[ipv4_lpm]]\nmatch = { dst = 1 }\naction = "drop"', "s1.toml:1: there is no key 'dst' of table MyIngress.ipv4_lpm"),
    "no such action": ('[[acl]]\naction = "forward"\npriority = 1', "s1.toml:1: there is no action 'forward' of table MyIngress.acl"),
    "no action": ("[[ipv4_lpm]]", "s1.toml:1: table MyIngress.ipv4_lpm: the entry has no action"),
    "a parameter is missing": ('[[ipv4_lpm]]\naction = "ipv4_forward"', "parameter dstAddr (bit<48>) is missing"),
    "no such parameter": ('[[ipv4_lpm]]\naction = "drop"\nwith = { port = 1 }', "there is no parameter 'port' of MyIngress.drop"),
    "a port too large": (entry(port="512"), "MyIngress.ipv4_forward, parameter port: 512 does not fit into 9 bits"),
    "no address": (entry(match='"10.0.0.256"'), "key dstAddr (lpm): '10.0.0.256' is no value of 32 bits; it takes a prefix"),
    "a long prefix": (entry(match='"10.0.0.1/33"'), "a prefix of 33 bits is longer than the key, which has 32"),
    "no MAC address": (entry(mac='"02:00:00"'), "'02:00:00' is no value of 48 bits"),
    "no priority": (ACL.format(source='"10.0.0.1"', more=""), "s1.toml:1: table MyIngress.acl: an entry needs a priority above 0"),
    "a priority of text": (ACL.format(source='"10.0.0.1"', more='priority = "high"'), "a priority is a whole number from 1 up, not 'high'"),
    "a range upside down": ('[[acl]]\nmatch = { protocol = "17..6" }\naction = "drop"\npriority = 1', "the range begins above its end"),
    "an unknown key": (entry() + "prio = 1", "s1.toml:1: unknown key 'prio'; the keys here: match, action, with, actions, priority"),
    "no TOML": ("[[ipv4_lpm]\n", "s1.toml:1: not valid TOML"),
    "no list": ('ipv4_lpm = "10.0.0.1"', "'ipv4_lpm' is neither a list of entries nor `default_actions`"),
    "a default with keys": ('[default_actions]\nacl = { action = "drop", match = 1 }', "s1.toml:2: unknown key 'match'"),
}


def test_keys_for_people_are_passed_over_in_runtime_json(info: p4i.P4Info, tmp_path: Path) -> None:
    text = '{"comment": "mine", "table_entries": [{"_why": "so", "//": 1, "table": "acl", "default_action": true, "action_name": "drop"}]}'
    (tmp_path / "s1.json").write_text(text)
    assert len(read_updates(tmp_path / "s1.json", info, "forwarder.p4")) == 1


WRONG_JSON = {
    "no JSON": ('{"table_entries": [}', "s1.json:1: not valid JSON"),
    "no object": ("[]", "s1.json: this is no runtime configuration"),
    "an unknown key": ('{"tables": []}', "s1.json: unknown key 'tables'; the keys here: target, p4info"),
    "no list": ('{"table_entries": {}}', "s1.json: table_entries is a list, not dict"),
    "no action": ('{"table_entries": [\n\n{"table": "acl"}]}', "s1.json:3: an entry has a `table` and an `action_name`, both texts"),
    "no such table": ('{"table_entries": [\n{"table": "t", "action_name": "a"}]}', "s1.json:2: there is no table 't' in forwarder.p4"),
    "no group": ('{"multicast_group_entries": [\n{"replicas": []}]}', "s1.json:2: multicast_group_id is a whole number, not None"),
    "group 0": ('{"multicast_group_entries": [{"multicast_group_id": 0, "replicas": []}]}', "there is no multicast group 0"),
}


WRONG_TEXT = {
    "no message": ("updates {\n  typ: INSERT\n}", "s1.txtpb:2: not P4Runtime in protobuf's text form"),
    "no such table": ("updates {\n type: INSERT\n}\nupdates {\n type: INSERT entity { table_entry { table_id: 7 } }\n}", "s1.txtpb:4: "),
    "no type": ("\nupdates { entity { table_entry { table_id: 7 } } }", "s1.txtpb:2: the update has no `type`"),
}


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        pytest.param(file, *one, id=f"{file}: {mistake}")
        for file, mistakes in (("s1.toml", WRONG), ("s1.json", WRONG_JSON), ("s1.txtpb", WRONG_TEXT))
        for mistake, one in mistakes.items()
    ],
)
def test_mistakes_are_told_with_their_place(
    file: str, text: str, told: str, info: p4i.P4Info, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as raised:
        read(info, tmp_path / file, text)
    assert told in str(raised.value)


def test_an_unknown_suffix_and_no_file(info: p4i.P4Info, tmp_path: Path) -> None:
    (tmp_path / "s1.yaml").write_text("")
    with pytest.raises(UserError, match=r"\.yaml is no format of entries"):
        read_updates(tmp_path / "s1.yaml", info, "forwarder.p4")
    with pytest.raises(UserError, match="No such file"):
        read_updates(tmp_path / "s2.toml", info, "forwarder.p4")


@given(st.integers(1, 256).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, 2**bits - 1))))
def test_numbers_in_all_ways(of: tuple[int, int]) -> None:
    bits, value = of
    assert {number(value, bits), number(str(value), bits), number(hex(value), bits), number(bin(value), bits)} == {value}


@given(st.one_of(st.none(), st.floats(), st.lists(st.integers()), st.text(), st.binary(), st.integers()), st.integers(1, 128))
def test_what_is_no_number_is_refused_in_words(value: object, bits: int) -> None:
    with contextlib.suppress(ValueError):
        assert 0 <= number(value, bits) < 2**bits
