"""Arrays, profiles, replication, value sets, digests as entities."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from finsy.proto import p4d, p4r

from tests.p4runtime.client import Client, Names, WriteFailed, encode, exact

INVALID = grpc.StatusCode.INVALID_ARGUMENT
MISSING = grpc.StatusCode.NOT_FOUND
EXISTS = grpc.StatusCode.ALREADY_EXISTS
IN_USE = grpc.StatusCode.FAILED_PRECONDITION
OUT_OF_RANGE = grpc.StatusCode.OUT_OF_RANGE


def codes(call: Any, *arguments: Any) -> list[grpc.StatusCode]:
    with pytest.raises(WriteFailed) as raised:
        call(*arguments)
    return raised.value.codes


def index(number: int) -> p4r.Index:
    return p4r.Index(index=number)


def register(names: Names, name: str, cell: int | None, value: bytes) -> p4r.RegisterEntry:
    entry = p4r.RegisterEntry(register_id=names[name], index=None if cell is None else index(cell))
    entry.data.bitstring = value
    return entry


def test_registers(primary: Client, names: Names) -> None:
    primary.modify(register(names, "seen", 5, b"\x00\x2a"))
    cells = primary.read(p4r.RegisterEntry(register_id=names["seen"]))
    assert [int.from_bytes(cell.data.bitstring, "big") for cell in cells] == [0] * 5 + [42] + [0] * 10
    assert cells[5].data.bitstring == b"\x2a"
    assert len(primary.read(p4r.RegisterEntry())) == 16 + 4
    primary.modify(register(names, "seen", None, b"\x01"))
    assert {cell.data.bitstring for cell in primary.read(p4r.RegisterEntry(register_id=names["seen"]))} == {b"\x01"}
    for value in (b"\xff", b"\x80\x00", b"\x7f\xff", b"\x00"):
        primary.modify(register(names, "signed_cells", 1, value))
        [cell] = primary.read(p4r.RegisterEntry(register_id=names["signed_cells"], index=index(1)))
        assert cell.data.bitstring == value
    failed = codes(
        primary.modify,
        register(names, "seen", 16, b"\x01"),
        register(names, "seen", -1, b"\x01"),
        register(names, "seen", 0, b"\x01\x00\x00\x00\x00"),
        register(names, "seen", 0, b""),
        register(names, "signed_cells", 0, b"\x00\x80\x00"),
        p4r.RegisterEntry(register_id=names["seen"], index=index(0)),
        p4r.RegisterEntry(register_id=names["seen"], index=index(0), data=p4d.P4Data(bool=True)),
        p4r.RegisterEntry(register_id=1),
    )
    assert failed == [OUT_OF_RANGE, INVALID, OUT_OF_RANGE, OUT_OF_RANGE, OUT_OF_RANGE, INVALID, INVALID, INVALID]
    assert codes(primary.insert, register(names, "seen", 1, b"\x01")) == [INVALID]
    assert codes(primary.read, p4r.RegisterEntry(register_id=names["seen"], index=index(16))) == [OUT_OF_RANGE]


def test_counters(primary: Client, names: Names) -> None:
    data = p4r.CounterData(packet_count=3, byte_count=4000)
    primary.modify(p4r.CounterEntry(counter_id=names["port_counter"], index=index(7), data=data))
    cells = primary.read(p4r.CounterEntry(counter_id=names["port_counter"]))
    assert [cell.index.index for cell in cells] == list(range(8))
    assert cells[7].data == data
    assert cells[0].data == p4r.CounterData()
    assert primary.read(p4r.CounterEntry(counter_id=names["port_counter"], index=index(7))) == [cells[7]]
    assert primary.read(p4r.CounterEntry()) == cells
    # Without data nothing is changed; without index everything is.
    primary.modify(p4r.CounterEntry(counter_id=names["port_counter"], index=index(7)))
    assert primary.read(p4r.CounterEntry(counter_id=names["port_counter"], index=index(7))) == [cells[7]]
    primary.modify(p4r.CounterEntry(counter_id=names["port_counter"], data=p4r.CounterData(packet_count=1)))
    assert {cell.data.packet_count for cell in primary.read(p4r.CounterEntry())} == {1}
    assert codes(primary.delete, cells[7]) == [INVALID]
    wrong = p4r.CounterEntry(counter_id=names["port_counter"], index=index(8), data=data)
    assert codes(primary.modify, wrong) == [OUT_OF_RANGE]


def test_meters(primary: Client, names: Names) -> None:
    config = p4r.MeterConfig(cir=10, cburst=20, pir=30, pburst=40)
    entry = p4r.MeterEntry(meter_id=names["port_meter"], index=index(2), config=config)
    primary.modify(entry)
    cells = primary.read(p4r.MeterEntry(meter_id=names["port_meter"]))
    assert cells[2] == entry
    assert not cells[1].HasField("config")
    assert primary.read(p4r.MeterEntry()) == cells
    primary.modify(p4r.MeterEntry(meter_id=names["port_meter"], index=index(2)))
    assert not primary.read(p4r.MeterEntry(meter_id=names["port_meter"], index=index(2)))[0].HasField("config")
    assert codes(primary.insert, entry) == [INVALID]
    entry.index.index = 8
    assert codes(primary.modify, entry) == [OUT_OF_RANGE]


def test_multicast_groups(primary: Client) -> None:
    def group(number: int, *replicas: tuple[int, int], metadata: bytes = b"") -> p4r.PacketReplicationEngineEntry:
        entry = p4r.PacketReplicationEngineEntry()
        entry.multicast_group_entry.multicast_group_id = number
        entry.multicast_group_entry.metadata = metadata
        for port, instance in replicas:
            entry.multicast_group_entry.replicas.add(port=encode(port), instance=instance)
        return entry

    one, two = group(1, (1, 0), (2, 0), (2, 1), metadata=b"m"), group(2)
    primary.insert(one, two)
    wildcard = group(0)
    assert primary.read(wildcard) == [one, two]
    assert primary.read(group(1)) == [one]
    assert codes(primary.insert, one) == [EXISTS]
    assert codes(primary.modify, group(3)) == [MISSING]
    assert codes(primary.delete, group(3)) == [MISSING]
    wrong = [group(0, (1, 1)), group(9, (1, 1), (1, 1)), group(9, (512, 0)), group(9, (1, 65536)), group(70000)]
    assert codes(primary.insert, *wrong) == [INVALID] * len(wrong)
    primary.modify(group(1, (5, 5)))
    primary.delete(two)
    assert primary.read(wildcard) == [group(1, (5, 5))]
    old = group(7)
    old.multicast_group_entry.replicas.add(egress_port=3, instance=1)
    primary.insert(old)
    assert primary.read(group(7)) == [old], "the deprecated field, as it was written"
    primary.delete(old)
    primary.insert(group(7, (3, 1)))
    assert primary.read(group(7)) == [group(7, (3, 1))]


def test_clone_sessions(primary: Client) -> None:
    def session(number: int, *ports: int, **more: Any) -> p4r.PacketReplicationEngineEntry:
        entry = p4r.PacketReplicationEngineEntry()
        entry.clone_session_entry.CopyFrom(p4r.CloneSessionEntry(session_id=number, **more))
        for port in ports:
            entry.clone_session_entry.replicas.add(port=encode(port), instance=1)
        return entry

    one = session(100, 510, class_of_service=2, packet_length_bytes=128)
    primary.insert(one)
    assert primary.read(session(0)) == [one]
    assert primary.read(session(100)) == [one]
    assert primary.read(p4r.PacketReplicationEngineEntry()) == [one]
    assert codes(primary.insert, one) == [EXISTS]
    assert codes(primary.insert, session(0, 1), session(40000, 1), session(5, 1, class_of_service=8)) == [INVALID] * 3
    primary.modify(session(100, 1, 2))
    assert primary.read(session(100)) == [session(100, 1, 2)]
    primary.delete(session(100))
    assert primary.read(session(0)) == []
    # The deprecated way to name a port is understood, and read as it was written.
    old = p4r.PacketReplicationEngineEntry()
    old.clone_session_entry.session_id = 100
    old.clone_session_entry.replicas.add(egress_port=510, instance=1)
    primary.insert(old)
    assert primary.read(session(100)) == [old]
    primary.modify(session(100, 510))
    assert primary.read(session(100)) == [session(100, 510)]


def test_action_profile(primary: Client, names: Names) -> None:
    profile = names["mark_profile"]
    member = p4r.ActionProfileMember(action_profile_id=profile, member_id=3, action=names.action("the_ingress.set_tos", 9))
    primary.insert(member)
    assert primary.read(p4r.ActionProfileMember(action_profile_id=profile)) == [member]
    assert primary.read(p4r.ActionProfileMember()) == [member]
    entry = p4r.TableEntry(table_id=names["the_ingress.marks"], match=[exact(1, 6)])
    entry.action.action_profile_member_id = 3
    missing = p4r.TableEntry(table_id=names["the_ingress.marks"], match=[exact(1, 7)])
    missing.action.action_profile_member_id = 4
    group = p4r.TableEntry(table_id=names["the_ingress.marks"], match=[exact(1, 7)])
    group.action.action_profile_group_id = 1
    direct = p4r.TableEntry(table_id=names["the_ingress.marks"], match=[exact(1, 7)], action=names.table_action("the_ingress.set_tos", 1))
    assert codes(primary.insert, entry, missing, group, direct) == [grpc.StatusCode.OK, MISSING, INVALID, INVALID]
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry]
    assert codes(primary.delete, member) == [IN_USE]
    member.action.CopyFrom(names.action("the_ingress.set_tos", 10))
    primary.modify(member)
    assert primary.read(p4r.ActionProfileMember(action_profile_id=profile, member_id=3)) == [member]
    assert codes(primary.insert, member) == [EXISTS]
    primary.delete(entry)
    primary.delete(member)
    assert codes(primary.delete, member) == [MISSING]
    foreign = p4r.ActionProfileMember(action_profile_id=profile, member_id=1, action=names.action("the_ingress.forward", 1))
    nothing = p4r.ActionProfileMember(action_profile_id=profile, member_id=1)
    zero = p4r.ActionProfileMember(action_profile_id=profile, action=names.action("the_ingress.set_tos", 1))
    assert codes(primary.insert, foreign, nothing, zero) == [INVALID] * 3


def test_action_selector_groups(primary: Client, names: Names) -> None:
    profile = names["hop_selector"]

    def member(number: int, port: int) -> p4r.ActionProfileMember:
        action = names.action("the_ingress.forward", port)
        return p4r.ActionProfileMember(action_profile_id=profile, member_id=number, action=action)

    def group(number: int, *members: tuple[int, int], max_size: int = 8) -> p4r.ActionProfileGroup:
        entry = p4r.ActionProfileGroup(action_profile_id=profile, group_id=number, max_size=max_size)
        for member_id, weight in members:
            entry.members.add(member_id=member_id, weight=weight)
        return entry

    primary.insert(member(1, 1), member(2, 2))
    both = group(7, (1, 1), (2, 3))
    primary.insert(both)
    assert primary.read(p4r.ActionProfileGroup(action_profile_id=profile)) == [both]
    assert codes(primary.insert, both, group(8, (9, 1)), group(8, (1, 0)), group(8, (1, 1), (1, 1)), group(8, (1, 9))) == [
        EXISTS,
        MISSING,
        INVALID,
        INVALID,
        INVALID,
    ]
    entry = p4r.TableEntry(table_id=names["the_ingress.hops"], match=[exact(1, 0x0A000001)])
    entry.action.action_profile_group_id = 7
    primary.insert(entry)
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry]
    assert codes(primary.delete, both) == [IN_USE]
    assert codes(primary.delete, member(1, 1)) == [IN_USE]
    assert codes(primary.modify, group(7, (1, 1), max_size=4)) == [INVALID]
    primary.modify(group(7, (2, 1)))
    primary.delete(member(1, 1))
    one_shot = p4r.TableEntry(table_id=names["the_ingress.hops"], match=[exact(1, 0x0A000002)])
    one_shot.action.action_profile_action_set.action_profile_actions.add(action=names.action("the_ingress.forward", 1), weight=1)
    assert codes(primary.insert, one_shot) == [INVALID], "not mixed with groups"


def test_one_shot_action_sets(primary: Client, names: Names) -> None:
    entry = p4r.TableEntry(table_id=names["the_ingress.hops"], match=[exact(1, 0x0A000001)])
    actions = entry.action.action_profile_action_set.action_profile_actions
    actions.add(action=names.action("the_ingress.forward", 1), weight=1, watch_port=b"\x01")
    actions.add(action=names.action("the_ingress.forward", 1), weight=2)
    primary.insert(entry)
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry]
    member = p4r.ActionProfileMember(action_profile_id=names["hop_selector"], member_id=1, action=names.action("the_ingress.forward", 1))
    assert codes(primary.insert, member) == [INVALID], "not mixed with members"
    actions.add(action=names.action("the_ingress.forward", 2), weight=6)
    assert codes(primary.modify, entry) == [INVALID], "larger than max_group_size"
    actions[2].weight = 5
    primary.modify(entry)
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry]
    actions_of = entry.action.action_profile_action_set
    actions_of.action_selection_mode = actions_of.RANDOM
    primary.modify(entry)
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry]
    actions[2].weight = 100
    actions_of.size_semantics = actions_of.SUM_OF_MEMBERS
    primary.modify(entry)
    assert primary.read(p4r.TableEntry(table_id=entry.table_id)) == [entry], "three members, whatever their weights"
    actions_of.size_semantics = actions_of.SUM_OF_WEIGHTS
    assert codes(primary.modify, entry) == [INVALID]
    primary.delete(entry)
    primary.insert(member)


def test_value_sets(primary: Client, names: Names) -> None:
    def values(*numbers: int) -> p4r.ValueSetEntry:
        entry = p4r.ValueSetEntry(value_set_id=names["special_types"])
        for number in numbers:
            entry.members.add().match.append(exact(1, number))
        return entry

    assert primary.read(p4r.ValueSetEntry()) == [values()]
    primary.modify(values(0x22F3, 5))
    assert primary.read(p4r.ValueSetEntry(value_set_id=names["special_types"])) == [values(0x22F3, 5)]
    assert codes(primary.modify, values(1, 2, 3, 4, 5), values(1, 1), values(1 << 16)) == [
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        EXISTS,
        OUT_OF_RANGE,
    ]
    assert codes(primary.insert, values(1)) == [INVALID]
    primary.modify(values())
    assert primary.read(p4r.ValueSetEntry()) == [values()]


def test_digest_settings(primary: Client, names: Names) -> None:
    config = p4r.DigestEntry.Config(max_timeout_ns=1000, max_list_size=10, ack_timeout_ns=5)
    entry = p4r.DigestEntry(digest_id=names["learn_t"], config=config)
    assert primary.read(p4r.DigestEntry()) == []
    assert codes(primary.modify, entry) == [MISSING]
    primary.insert(entry)
    assert primary.read(p4r.DigestEntry()) == [entry]
    assert codes(primary.insert, entry) == [EXISTS]
    entry.config.max_list_size = 20
    primary.modify(entry)
    assert primary.read(p4r.DigestEntry(digest_id=names["learn_t"])) == [entry]
    primary.delete(entry)
    assert codes(primary.delete, entry) == [MISSING]
