"""A refused update leaves no trace: every type of update of every entity, correct and with each field wrong in turn.

Each update is tried in an all-or-nothing batch that fails behind it, so that the switch must undo it. If the switch refuses it there,
it is tried once more alone. Afterwards all that can be read is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from finsy.proto import p4r
from google.protobuf.descriptor import FieldDescriptor

from tests.harness.long_tests import LONG
from tests.p4runtime.client import Client, Names, WriteFailed, between, entry, exact, lpm, optional, ternary

OK = grpc.StatusCode.OK
INVALID = grpc.StatusCode.INVALID_ARGUMENT
MISSING = grpc.StatusCode.NOT_FOUND
EXISTS = grpc.StatusCode.ALREADY_EXISTS
DENIED = grpc.StatusCode.PERMISSION_DENIED
IN_USE = grpc.StatusCode.FAILED_PRECONDITION
UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
ABORTED = grpc.StatusCode.ABORTED
REFUSALS = {
    INVALID,
    MISSING,
    EXISTS,
    DENIED,
    IN_USE,
    UNIMPLEMENTED,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
KINDS = ("INSERT", "MODIFY", "DELETE")
ATOMIC = ("ROLLBACK_ON_ERROR", "DATAPLANE_ATOMIC")
RATES = p4r.MeterConfig(cir=10, cburst=20, pir=30, pburst=40)

Expected = tuple[grpc.StatusCode, grpc.StatusCode, grpc.StatusCode]
"""The answers to INSERT, MODIFY and DELETE."""
THERE: Expected = (EXISTS, OK, OK)
USED: Expected = (EXISTS, OK, IN_USE)
NEW: Expected = (OK, MISSING, MISSING)
CHANGED: Expected = (INVALID, OK, INVALID)
FIXED: Expected = (DENIED, DENIED, DENIED)


class Entities:
    """Messages of testbed.p4's entities: those written before the test, and those that it tries."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def table(self, name: str, *match: p4r.FieldMatch, **more: Any) -> p4r.TableEntry:
        return p4r.TableEntry(table_id=self.names[f"the_ingress.{name}"], match=match, **more)

    def default(self, name: str, action: p4r.TableAction | None = None, **more: Any) -> p4r.TableEntry:
        return self.table(name, is_default_action=True, action=action, **more)

    def action(self, name: str, *values: int) -> p4r.TableAction:
        return self.names.table_action(f"the_ingress.{name}", *values)

    def route(self, address: int, **more: Any) -> p4r.TableEntry:
        return self.table("route", lpm(1, address << 24, 8), action=self.action("forward", 1), **more)

    def acl(self, priority: int, **more: Any) -> p4r.TableEntry:
        match = (ternary(1, 0x0A000000, 0xFF000000), between(2, 6, 17), optional(3, 0x0800))
        return self.table("acl", *match, priority=priority, action=self.action("meter_color"), **more)

    def source(self, address: int) -> p4r.TableEntry:
        return self.table("source", exact(1, address), action=self.action("learn"), idle_timeout_ns=10**15)

    def hop(self, address: int, **action: Any) -> p4r.TableEntry:
        return self.table("hops", exact(1, address), action=p4r.TableAction(**action))

    def mark(self, protocol: int, member: int) -> p4r.TableEntry:
        return self.table("marks", exact(1, protocol), action=p4r.TableAction(action_profile_member_id=member))

    def member(self, profile: str, number: int, action: str, value: int) -> p4r.ActionProfileMember:
        call = self.names.action(f"the_ingress.{action}", value)
        return p4r.ActionProfileMember(action_profile_id=self.names[profile], member_id=number, action=call)

    def group(self, number: int, **members: int) -> p4r.ActionProfileGroup:
        group = p4r.ActionProfileGroup(action_profile_id=self.names["hop_selector"], group_id=number, max_size=8)
        for member, weight in members.items():
            group.members.add(member_id=int(member[1:]), weight=weight, watch_port=b"\x01")
        return group

    def multicast(self, number: int) -> p4r.PacketReplicationEngineEntry:
        message = p4r.PacketReplicationEngineEntry()
        message.multicast_group_entry.multicast_group_id = number
        message.multicast_group_entry.metadata = b"m"
        replica = message.multicast_group_entry.replicas.add(port=b"\x01", instance=1)
        replica.backup_replicas.add(port=b"\x02", instance=1)
        return message

    def clone(self, number: int) -> p4r.PacketReplicationEngineEntry:
        message = p4r.PacketReplicationEngineEntry()
        message.clone_session_entry.session_id = number
        message.clone_session_entry.class_of_service = 3
        message.clone_session_entry.packet_length_bytes = 100
        message.clone_session_entry.replicas.add(port=b"\x01", instance=1)
        return message

    def digest(self) -> p4r.DigestEntry:
        config = p4r.DigestEntry.Config(max_timeout_ns=1000, max_list_size=10, ack_timeout_ns=5)
        return p4r.DigestEntry(digest_id=self.names["learn_t"], config=config)

    def values(self, *numbers: int) -> p4r.ValueSetEntry:
        message = p4r.ValueSetEntry(value_set_id=self.names["special_types"])
        for number in numbers:
            message.members.add().match.append(exact(1, number))
        return message

    def register(self, value: int, index: int | None) -> p4r.RegisterEntry:
        message = p4r.RegisterEntry(register_id=self.names["seen"])
        if index is not None:
            message.index.index = index
        message.data.bitstring = bytes([value])
        return message

    def written_before(self) -> list[tuple[str, Any]]:
        counted = p4r.CounterData(packet_count=5, byte_count=50)
        return [
            ("INSERT", self.member("hop_selector", 1, "forward", 1)),
            ("INSERT", self.member("hop_selector", 2, "forward", 2)),
            ("INSERT", self.member("mark_profile", 3, "set_tos", 9)),
            ("INSERT", self.member("mark_profile", 4, "set_tos", 8)),
            ("INSERT", self.group(7, m1=1, m2=3)),
            ("INSERT", self.group(8, m1=1)),
            ("INSERT", self.route(10, counter_data=counted, metadata=b"mine")),
            ("INSERT", self.acl(10, meter_config=RATES)),
            ("INSERT", self.acl(11)),
            ("INSERT", self.source(5)),
            ("INSERT", self.hop(1, action_profile_group_id=7)),
            ("INSERT", self.hop(2, action_profile_member_id=2)),
            ("INSERT", self.mark(6, 3)),
            ("MODIFY", self.default("route", self.action("forward", 3), metadata=b"default", counter_data=counted)),
            ("MODIFY", self.default("hops", p4r.TableAction(action_profile_group_id=8))),
            ("MODIFY", self.default("marks", p4r.TableAction(action_profile_member_id=4))),
            ("MODIFY", p4r.CounterEntry(counter_id=self.names["port_counter"], index=p4r.Index(index=3), data=counted)),
            ("MODIFY", p4r.MeterEntry(meter_id=self.names["port_meter"], index=p4r.Index(index=3), config=RATES)),
            ("MODIFY", self.register(7, 2)),
            ("MODIFY", self.values(0x22F3, 5)),
            ("INSERT", self.multicast(4)),
            ("INSERT", self.clone(100)),
            ("INSERT", self.digest()),
        ]

    def tried(self) -> list[tuple[Any, Expected]]:
        """Correct messages, with the answers to the three types of their updates."""
        names = self.names
        zero = p4r.CounterData()
        one_shot = p4r.ActionProfileActionSet()
        one_shot.action_profile_actions.add(action=names.action("the_ingress.forward", 1), weight=2, watch_port=b"\x01")
        counter, meter = names["port_counter"], names["port_meter"]
        return [
            (self.route(10, counter_data=p4r.CounterData(packet_count=1), metadata=b"new"), THERE),
            (self.route(11, counter_data=p4r.CounterData(packet_count=1)), NEW),
            (self.acl(10, meter_config=p4r.MeterConfig(cir=1, cburst=1, pir=2, pburst=2)), THERE),
            (self.acl(11, meter_config=RATES), THERE),
            (self.acl(12, meter_config=RATES), NEW),
            (self.source(5), THERE),
            (self.source(6), NEW),
            (self.hop(1, action_profile_member_id=1), THERE),
            (self.hop(3, action_profile_group_id=8), NEW),
            (self.hop(3, action_profile_action_set=one_shot), (INVALID, MISSING, MISSING)),
            (self.hop(1, action_profile_action_set=one_shot), (INVALID, INVALID, OK)),
            (self.mark(6, 4), THERE),
            (self.mark(7, 4), NEW),
            (self.table("fixed", exact(1, 0x86DD), action=self.action("drop")), FIXED),
            (self.default("route", self.action("drop")), CHANGED),
            (self.default("route"), CHANGED),
            (self.default("acl", self.action("drop")), CHANGED),
            (self.default("acl"), CHANGED),
            (self.default("acl", self.action("drop"), meter_config=RATES), (INVALID, UNIMPLEMENTED, INVALID)),
            (self.default("source", names.table_action("NoAction")), (INVALID, DENIED, INVALID)),
            (self.default("source"), CHANGED),
            (self.default("hops", p4r.TableAction(action_profile_member_id=2)), CHANGED),
            (self.default("hops", p4r.TableAction(action_profile_group_id=7)), CHANGED),
            (self.default("hops", self.action("forward", 5)), CHANGED),
            (self.default("hops"), CHANGED),
            (self.default("marks", p4r.TableAction(action_profile_member_id=3)), CHANGED),
            (self.default("marks", p4r.TableAction(action_profile_group_id=7)), (INVALID, INVALID, INVALID)),
            (self.default("marks", p4r.TableAction(action_profile_member_id=9)), (INVALID, MISSING, INVALID)),
            (self.default("marks"), CHANGED),
            (self.member("hop_selector", 1, "forward", 4), USED),
            (self.member("mark_profile", 4, "set_tos", 1), USED),
            (self.member("mark_profile", 5, "set_tos", 1), NEW),
            (self.group(7, m2=1), USED),
            (self.group(8, m2=1), USED),
            (self.group(9, m1=2), NEW),
            (p4r.CounterEntry(counter_id=counter, index=p4r.Index(index=3), data=zero), CHANGED),
            (p4r.CounterEntry(counter_id=counter, data=p4r.CounterData(packet_count=3)), CHANGED),
            (p4r.MeterEntry(meter_id=meter, index=p4r.Index(index=3)), CHANGED),
            (p4r.MeterEntry(meter_id=meter, config=RATES), CHANGED),
            (p4r.DirectCounterEntry(table_entry=self.table("route", lpm(1, 10 << 24, 8)), data=zero), CHANGED),
            (p4r.DirectCounterEntry(table_entry=self.default("route"), data=zero), CHANGED),
            (p4r.DirectMeterEntry(table_entry=_key_of(self.acl(11)), config=RATES), CHANGED),
            (p4r.DirectMeterEntry(table_entry=_key_of(self.acl(10))), CHANGED),
            (p4r.DirectMeterEntry(table_entry=self.default("acl")), CHANGED),
            (p4r.DirectMeterEntry(table_entry=self.default("acl"), config=RATES), (INVALID, UNIMPLEMENTED, INVALID)),
            (self.register(9, 2), CHANGED),
            (self.register(9, None), CHANGED),
            (self.values(1, 2, 3), CHANGED),
            (self.multicast(4), THERE),
            (self.multicast(5), NEW),
            (self.clone(100), THERE),
            (self.clone(101), NEW),
            (self.digest(), THERE),
        ]

    def everything(self) -> list[Any]:
        """Asks for all that can be read."""
        rates = p4r.MeterCounterData()
        direct: dict[str, Any] = {"counter_data": p4r.CounterData(), "meter_config": p4r.MeterConfig(), "meter_counter_data": rates}
        return [
            p4r.TableEntry(**direct),
            p4r.TableEntry(is_default_action=True, **direct),
            p4r.ActionProfileMember(),
            p4r.ActionProfileGroup(),
            p4r.CounterEntry(),
            p4r.MeterEntry(counter_data=rates),
            p4r.RegisterEntry(),
            p4r.PacketReplicationEngineEntry(),
            p4r.ValueSetEntry(),
            p4r.DigestEntry(),
        ]


def _key_of(message: p4r.TableEntry) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=message.table_id, match=message.match, priority=message.priority)


def update(kind: str, message: Any) -> p4r.Update:
    return p4r.Update(type=p4r.Update.Type.Value(kind), entity=entry(message))


@pytest.fixture
def testbed(primary: Client, names: Names) -> Entities:
    testbed = Entities(names)
    primary.write(update(kind, message) for kind, message in testbed.written_before())
    return testbed


def state(client: Client, testbed: Entities) -> list[bytes]:
    return sorted(entity.SerializeToString(deterministic=True) for entity in client.read(*testbed.everything()))


def codes(client: Client, updates: list[p4r.Update], atomicity: str = "CONTINUE_ON_ERROR") -> list[grpc.StatusCode]:
    try:
        client.write(updates, atomicity)
    except WriteFailed as failed:
        return failed.codes
    return [OK] * len(updates)


def leaves_no_trace(client: Client, testbed: Entities, tried: p4r.Update, atomicity: str, before: list[bytes]) -> grpc.StatusCode:
    """Try an update that may leave nothing behind; return the answer to it."""
    failing = update("DELETE", testbed.member("mark_profile", 9999, "set_tos", 1))
    first, last = codes(client, [tried, failing], atomicity)
    assert state(client, testbed) == before, f"{atomicity} leaves a trace of:\n{tried}"
    if first is ABORTED:
        assert last is MISSING, tried
        return OK
    assert last is ABORTED, tried
    assert first in REFUSALS, f"{first}:\n{tried}"
    assert codes(client, [tried]) == [first], f"alone it is answered otherwise:\n{tried}"
    assert state(client, testbed) == before, f"{first}, and leaves a trace:\n{tried}"
    # Among updates that are done, no part of it is done.
    harmless = update("MODIFY", p4r.CounterEntry(counter_id=testbed.names["port_counter"]))
    assert codes(client, [harmless, tried, harmless]) == [OK, first, OK]
    assert state(client, testbed) == before, f"{first} among others, and leaves a trace:\n{tried}"
    return first


def test_each_type_of_each_entity(primary: Client, testbed: Entities) -> None:
    before = state(primary, testbed)
    for message, expected in testbed.tried():
        found = tuple(leaves_no_trace(primary, testbed, update(kind, message), ATOMIC[0], before) for kind in KINDS)
        assert found == expected, f"{[code.name for code in found]}:\n{message}"


def mutants(message: Any) -> Iterator[Any]:
    """The message with one field left out, set to another value, or given twice."""
    for path in _paths(message):
        for change in range(6):
            mutant = type(message)()
            mutant.CopyFrom(message)
            holder = mutant
            for name, index in path[:-1]:
                holder = getattr(holder, name) if index is None else getattr(holder, name)[index]
            if _change(holder, path[-1][0], change) and mutant != message:
                yield mutant


Path = tuple[tuple[str, int | None], ...]


def _paths(message: Any, before: Path = ()) -> Iterator[Path]:
    """Where there is a field, from the message on; unset scalar ones too."""
    for field in message.DESCRIPTOR.fields:
        here = (*before, (field.name, None))
        if field.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE:
            yield here
        elif field.is_repeated if hasattr(field, "is_repeated") else field.label == FieldDescriptor.LABEL_REPEATED:
            if getattr(message, field.name):
                yield here
                yield from _paths(getattr(message, field.name)[0], (*before, (field.name, 0)))
        elif message.HasField(field.name):
            yield here
            yield from _paths(getattr(message, field.name), here)


def _change(holder: Any, name: str, number: int) -> bool:
    """Changes a field in one of six ways; whether there is such a way for it."""
    field = holder.DESCRIPTOR.fields_by_name[name]
    if number == 0:
        holder.ClearField(name)
        return True
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        if number == 1 and not hasattr(getattr(holder, name), "DESCRIPTOR"):
            getattr(holder, name).append(getattr(holder, name)[0])
            return True
        return False
    values: dict[int, list[Any]] = {
        FieldDescriptor.CPPTYPE_INT32: [-1, 1, 5, 2**31 - 1, -(2**31)],
        FieldDescriptor.CPPTYPE_INT64: [-1, 1, 5, 2**63 - 1, -(2**63)],
        FieldDescriptor.CPPTYPE_UINT32: [1, 5, 1000, 2**31, 2**32 - 1],
        FieldDescriptor.CPPTYPE_UINT64: [1, 2**64 - 1],
        FieldDescriptor.CPPTYPE_BOOL: [True, False],
        FieldDescriptor.CPPTYPE_ENUM: [1, 2, 99],
        FieldDescriptor.CPPTYPE_STRING: ["", "\0", "b", "c", "d"] if field.type != FieldDescriptor.TYPE_BYTES else [],
    }
    choice = values.get(field.cpp_type, [])
    if field.type == FieldDescriptor.TYPE_BYTES:
        choice = [b"", b"\0", b"\x01\x01", b"\xff" * 4, b"\xff" * 20]
    if number > len(choice):
        return False
    setattr(holder, name, choice[number - 1])
    return True


def test_each_field_wrong_in_turn(primary: Client, testbed: Entities) -> None:
    before = state(primary, testbed)
    tried = [(kind, mutant) for message, _ in testbed.tried() for mutant in mutants(message) for kind in KINDS]
    # In the ordinary suite every so many of them: 17 has no factor in common with the types and the ways to change a field.
    some = tried if LONG else tried[::17]
    found = [
        leaves_no_trace(primary, testbed, update(kind, mutant), ATOMIC[number % 2], before) for number, (kind, mutant) in enumerate(some)
    ]
    assert len(tried) > 5000, len(tried)
    assert {OK, INVALID, MISSING, EXISTS} <= set(found), set(found)


def test_the_message_of_one_update_says_its_code_and_reason(primary: Client, testbed: Entities) -> None:
    """Its status is UNKNOWN, as the specification has it; many clients print no more than that and the message."""
    request = p4r.WriteRequest(device_id=1, updates=[update("INSERT", testbed.route(10))])
    request.election_id.low = 1
    with pytest.raises(grpc.RpcError) as raised:
        primary.stub.Write(request)
    assert raised.value.code() is grpc.StatusCode.UNKNOWN
    assert raised.value.details() == "ALREADY_EXISTS: this entry of table the_ingress.route exists already"
    request.updates.insert(0, update("MODIFY", testbed.register(1, 0)))
    with pytest.raises(grpc.RpcError) as raised:
        primary.stub.Write(request)
    assert raised.value.details().startswith("1 of 2 updates failed, first (at 1): ALREADY_EXISTS: ")
