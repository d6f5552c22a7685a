"""Commands of simple_switch_CLI for a switch without a command line here: the same updates as other files of entries come to."""

from __future__ import annotations

from pathlib import Path

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format

from common.errors import UserError
from controller.entries.commands import CommandsAsUpdates, PlacedCommand
from controller.entries.place import Place
from controller.entries.reading import read_updates
from topo.toolchain import Toolchain

FORWARDER = Path(__file__).resolve().parents[1] / "own_programs" / "forwarder" / "forwarder.p4"

COMMANDS = """
table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 08:00:00:00:01:11 1
table_add MyIngress.acl drop 10.0.0.0&&&255.0.0.0 6->17 => 7
table_set_default acl NoAction
mirroring_add 100 3
mc_mgrp_create 5
mc_mgrp_create 6
mc_node_create 0 1 2
mc_node_create 1 3
mc_node_associate 5 0
mc_node_associate 5 1
"""

ENTRIES = """
[[ipv4_lpm]]
match = { dstAddr = "10.0.1.0/24" }
action = "ipv4_forward"
with = { dstAddr = "08:00:00:00:01:11", port = 1 }

[[acl]]
match = { "hdr.ipv4.srcAddr" = "10.0.0.0 &&& 255.0.0.0", protocol = "6..17" }
action = "drop"
priority = 2147483640

[default_actions]
acl = "NoAction"
"""


@pytest.fixture(scope="module")
def info() -> p4i.P4Info:
    _, p4info = Toolchain().compile(source=FORWARDER)
    found: p4i.P4Info = text_format.Parse(p4info.read_text(), p4i.P4Info())
    return found


def placed(text: str) -> list[PlacedCommand]:
    return [(Place(Path("s1.txt"), number), line) for number, line in enumerate(text.splitlines(), start=1) if line]


def test_they_come_to_the_same_updates(info: p4i.P4Info, tmp_path: Path) -> None:
    (tmp_path / "s1.toml").write_text(ENTRIES)
    updates, rest = CommandsAsUpdates(info, "forwarder.p4").read(placed(COMMANDS))
    tables = [one.update for one in updates if one.update.entity.HasField("table_entry")]
    assert tables == [one.update for one in read_updates(tmp_path / "s1.toml", info, "forwarder.p4")]
    session, group = [one.update.entity.packet_replication_engine_entry for one in updates if one.update not in tables]
    assert session.clone_session_entry == p4r.CloneSessionEntry(session_id=100, replicas=[p4r.Replica(egress_port=3, instance=1)])
    nodes = [(replica.egress_port, replica.instance) for replica in group.multicast_group_entry.replicas]
    assert (group.multicast_group_entry.multicast_group_id, nodes) == (5, [(1, 0), (2, 0), (3, 1)]), "a group without nodes is left out"
    assert not rest


def test_what_p4runtime_has_no_word_for_is_left(info: p4i.P4Info) -> None:
    updates, rest = CommandsAsUpdates(info, "forwarder.p4").read(placed("register_write seen 0 1\nset_queue_rate 100"))
    assert (updates, [line for _, line in rest]) == ([], ["register_write seen 0 1", "set_queue_rate 100"])


MISTAKES = {
    "table_add ipv4_lpm ipv4_forward 10.0.1.0/24 08:00:00:00:01:11 1": "usage: table_add",
    "table_add ipv4_lmp ipv4_forward 10.0.1.0/24 => 08:00:00:00:01:11 1": "did you mean MyIngress.ipv4_lpm?",
    "table_add ipv4_lpm forward 10.0.1.0/24 => 08:00:00:00:01:11 1": "there is no action 'forward'",
    "table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 1": "there are 2 parameters of ipv4_forward, not 1",
    "table_add ipv4_lpm ipv4_forward 10.0.1.0/40 => 08:00:00:00:01:11 1": "a prefix of 40 bits is longer",
    "table_add acl drop 10.0.0.0&&&255.0.0.0 6->17 =>": "needs a priority",
    "table_set_default acl": "usage: table_set_default",
    "mirroring_add 0 1": "there is no clone session 0",
    "mc_node_associate 5 0": "no such group, or no such node",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_said_with_their_line(line: str, info: p4i.P4Info) -> None:
    with pytest.raises(UserError) as raised:
        CommandsAsUpdates(info, "forwarder.p4").read(placed(f"\n{line}"))
    assert raised.value.what.startswith("s1.txt:2: ")
    assert MISTAKES[line] in raised.value.what


def test_mistakes_are_passed_over_where_commands_may_fail(info: p4i.P4Info, capsys: pytest.CaptureFixture[str]) -> None:
    reader = CommandsAsUpdates(info, "forwarder.p4")
    updates, _ = reader.read(placed("table_set_default nothing drop\ntable_set_default ipv4_lpm drop"), may_fail=True)
    assert len(updates) == 1
    assert capsys.readouterr().out.startswith("passed over: s1.txt:1: ")
