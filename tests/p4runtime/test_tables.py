"""Table entries: every kind of match, priorities, default entries, constant tables, direct resources, batches."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from finsy.proto import p4r

from tests.p4runtime.client import Client, Names, WriteFailed, between, details, entry, exact, lpm, optional, ternary

INVALID = grpc.StatusCode.INVALID_ARGUMENT
DENIED = grpc.StatusCode.PERMISSION_DENIED
EXISTS = grpc.StatusCode.ALREADY_EXISTS
MISSING = grpc.StatusCode.NOT_FOUND
ABORTED = grpc.StatusCode.ABORTED


def route(names: Names, address: int, length: int, port: int = 2, **more: Any) -> p4r.TableEntry:
    match = [lpm(1, address, length)] if length else []
    action = names.table_action("the_ingress.forward", port)
    return p4r.TableEntry(table_id=names["the_ingress.route"], match=match, action=action, **more)


def acl(names: Names, *match: p4r.FieldMatch, priority: int = 10, **more: Any) -> p4r.TableEntry:
    more.setdefault("action", names.table_action("the_ingress.drop"))
    return p4r.TableEntry(table_id=names["the_ingress.acl"], match=match, priority=priority, **more)


def codes(call: Any, *arguments: Any) -> list[grpc.StatusCode]:
    with pytest.raises(WriteFailed) as raised:
        call(*arguments)
    return raised.value.codes


def test_entries_are_read_as_written(primary: Client, names: Names) -> None:
    entries = [
        route(names, 0x0A000000, 8, metadata=b"opaque", controller_metadata=77),
        route(names, 0x0A010000, 16),
        route(names, 0, 0, port=1),
        acl(names, ternary(1, 0x0A000001, 0xFF0000FF), between(2, 6, 17), optional(3, 0x800)),
        acl(names, ternary(1, 0x0A000001, 0xFF0000FF), between(2, 6, 17), optional(3, 0x800), priority=11),
        acl(names, priority=1),
    ]
    primary.insert(*entries)
    found = primary.read(p4r.TableEntry(table_id=names["the_ingress.route"]))
    assert sorted(found, key=repr) == sorted(entries[:3], key=repr)
    found = primary.read(p4r.TableEntry(table_id=names["the_ingress.acl"]))
    assert sorted(found, key=repr) == sorted(entries[3:], key=repr)
    everything = primary.read(p4r.TableEntry())
    assert all(one in everything for one in entries)


def test_reads_select(primary: Client, names: Names) -> None:
    first = route(names, 0x0A000000, 8, metadata=b"a", controller_metadata=1)
    second = p4r.TableEntry(
        table_id=names["the_ingress.route"], match=[lpm(1, 0x0B000000, 8)], action=names.table_action("the_ingress.drop")
    )
    third, fourth = acl(names, priority=3), acl(names, optional(3, 5), priority=4)
    primary.insert(first, second, third, fourth)
    table = names["the_ingress.route"]
    assert primary.read(p4r.TableEntry(table_id=table, match=first.match)) == [first]
    assert primary.read(p4r.TableEntry(table_id=table, match=[lpm(1, 0x0C000000, 8)])) == []
    assert primary.read(p4r.TableEntry(table_id=table, metadata=b"a")) == [first]
    assert primary.read(p4r.TableEntry(table_id=table, controller_metadata=1)) == [first]
    by_action = p4r.TableAction(action=p4r.Action(action_id=names["the_ingress.drop"]))
    assert primary.read(p4r.TableEntry(table_id=table, action=by_action)) == [second]
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.acl"], priority=3)) == [third]
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.acl"], priority=4, match=fourth.match)) == [fourth]


def test_modify_and_delete(primary: Client, names: Names) -> None:
    primary.insert(route(names, 0x0A000000, 8, port=1, metadata=b"a"))
    primary.modify(route(names, 0x0A000000, 8, port=2))
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.route"])) == [route(names, 0x0A000000, 8, port=2)]
    # The action of an entry stays if the update has none; a delete needs no more than the key.
    key = p4r.TableEntry(table_id=names["the_ingress.route"], match=[lpm(1, 0x0A000000, 8)])
    primary.modify(key)
    assert primary.read(key) == [route(names, 0x0A000000, 8, port=2)]
    primary.delete(key)
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.route"])) == []
    assert codes(primary.delete, key) == [MISSING]
    assert codes(primary.modify, route(names, 0x0A000000, 8)) == [MISSING]


def test_refuses_wrong_entries(primary: Client, names: Names) -> None:
    out_of_range = grpc.StatusCode.OUT_OF_RANGE
    table = names["the_ingress.route"]
    good = route(names, 0x0A000000, 8)
    primary.insert(good)
    forward = names["the_ingress.forward"]

    def with_action(*params: tuple[int, bytes], action: int = forward) -> p4r.TableEntry:
        call = p4r.Action(action_id=action, params=[p4r.Action.Param(param_id=i, value=v) for i, v in params])
        return p4r.TableEntry(table_id=table, match=[lpm(1, 0x0B000000, 8)], action=p4r.TableAction(action=call))

    wrong = [
        (good, EXISTS),
        (p4r.TableEntry(table_id=12345, action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=good.match), INVALID),
        (p4r.TableEntry(table_id=table, match=[exact(1, 1)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(9, 0, 8)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(1, 0, 8), lpm(1, 0, 8)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(1, 0, 0)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(1, 0, 33)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(1, 0x0A000001, 8)], action=good.action), INVALID),
        (p4r.TableEntry(table_id=table, match=[lpm(1, 1 << 32, 32)], action=good.action), out_of_range),
        (route(names, 0x0C000000, 8, priority=5), INVALID),
        (route(names, 0x0C000000, 8, is_const=True), INVALID),
        (route(names, 0x0C000000, 8, idle_timeout_ns=5), INVALID),
        (route(names, 0x0C000000, 8, meter_config=p4r.MeterConfig()), INVALID),
        (with_action((1, b"\x02\x00")), out_of_range),
        (with_action((1, b"")), out_of_range),
        (with_action(), INVALID),
        (with_action((1, b"\x01"), (2, b"\x01")), INVALID),
        (with_action((7, b"\x01")), INVALID),
        (with_action(action=names["the_ingress.learn"]), INVALID),
        (with_action(action=names["NoAction"]), DENIED),
        (acl(names, priority=0), INVALID),
        (acl(names, priority=-1), INVALID),
        (acl(names, ternary(1, 0, 0)), INVALID),
        (acl(names, ternary(1, 0x0A000001, 0xFF000000)), INVALID),
        (acl(names, between(2, 9, 8)), INVALID),
        (acl(names, between(2, 0, 255)), INVALID),
        (p4r.TableEntry(table_id=names["the_ingress.source"], action=names.table_action("NoAction")), INVALID),
    ]
    failed = codes(primary.insert, *(message for message, _ in wrong))
    assert failed == [code for _, code in wrong]


def test_leading_zeros_are_accepted_and_come_back_without(primary: Client, names: Names) -> None:
    written = route(names, 0x0A000000, 8)
    padded = p4r.TableEntry()
    padded.CopyFrom(written)
    padded.match[0].lpm.value = b"\x00\x00\x0a\x00\x00\x00"
    padded.action.action.params[0].value = b"\x00\x00\x02"
    primary.insert(padded)
    assert primary.read(p4r.TableEntry(table_id=written.table_id)) == [written]


def test_default_entries(primary: Client, names: Names) -> None:
    table = names["the_ingress.route"]
    query = p4r.TableEntry(table_id=table, is_default_action=True)
    [initial] = primary.read(query)
    assert initial.action.action.action_id == names["NoAction"]
    changed = p4r.TableEntry(table_id=table, is_default_action=True, action=names.table_action("the_ingress.forward", 1), metadata=b"mine")
    primary.modify(changed)
    assert primary.read(query) == [changed]
    assert codes(primary.insert, changed) == [INVALID]
    assert codes(primary.delete, changed) == [INVALID]
    primary.modify(query)
    assert primary.read(query) == [initial]
    # Constant default action: learn.
    fixed = p4r.TableEntry(table_id=names["the_ingress.source"], is_default_action=True)
    assert primary.read(fixed)[0].is_const
    fixed.action.CopyFrom(names.table_action("NoAction"))
    assert codes(primary.modify, fixed) == [DENIED]


def test_constant_table(primary: Client, names: Names) -> None:
    table = names["the_ingress.fixed"]
    entries = primary.read(p4r.TableEntry(table_id=table))
    assert [one.match[0].exact.value for one in entries] == [b"\x86\xdd", b"\x08\x06"]
    assert all(one.is_const for one in entries)
    drop = p4r.TableEntry(table_id=table, match=[exact(1, 5)], action=names.table_action("the_ingress.drop"))
    assert codes(primary.insert, drop) == [DENIED]
    known = p4r.TableEntry(table_id=table, match=[exact(1, 0x86DD)])
    assert codes(primary.delete, known) == [DENIED]
    known.action.CopyFrom(drop.action)
    assert codes(primary.modify, known) == [DENIED]


def test_constant_entries_are_numbered_down_to_one(primary: Client, names: Names) -> None:
    table = names["the_ingress.ranked"]
    entries = primary.read(p4r.TableEntry(table_id=table))
    assert [one.priority for one in entries] == [3, 2, 1]
    assert primary.read(p4r.TableEntry(table_id=table, priority=2)) == [entries[1]]
    assert primary.read(p4r.TableEntry(table_id=table, priority=2, match=entries[1].match)) == [entries[1]]
    unchanged = p4r.TableEntry(table_id=table, priority=2, match=entries[1].match)
    primary.modify(unchanged)
    unchanged.priority = 1
    assert codes(primary.modify, unchanged) == [MISSING]


def test_table_size(primary: Client, names: Names) -> None:
    entries = [route(names, n << 8, 24) for n in range(65)]
    assert codes(primary.insert, *entries) == [grpc.StatusCode.OK] * 64 + [grpc.StatusCode.RESOURCE_EXHAUSTED]


def test_direct_counters(primary: Client, names: Names) -> None:
    table = names["the_ingress.route"]
    counted = route(names, 0x0A000000, 8, counter_data=p4r.CounterData(packet_count=5, byte_count=700))
    primary.insert(counted, route(names, 0x0B000000, 8))
    key = p4r.TableEntry(table_id=table, match=counted.match)
    query = p4r.DirectCounterEntry(table_entry=key)
    [read] = primary.read(query)
    assert (read.data.packet_count, read.data.byte_count) == (5, 700)
    assert read.table_entry.match == counted.match
    assert len(primary.read(p4r.DirectCounterEntry())) == 2
    assert len(primary.read(p4r.DirectCounterEntry(table_entry=p4r.TableEntry(table_id=table)))) == 2
    primary.modify(p4r.DirectCounterEntry(table_entry=key, data=p4r.CounterData(packet_count=9)))
    key.counter_data.SetInParent()
    assert primary.read(key)[0].counter_data == p4r.CounterData(packet_count=9)
    # A modify without counter_data leaves the counter alone.
    primary.modify(route(names, 0x0A000000, 8, port=1))
    assert primary.read(key)[0].counter_data.packet_count == 9
    missing = p4r.DirectCounterEntry(table_entry=p4r.TableEntry(table_id=table, match=[lpm(1, 0x0D000000, 8)]))
    assert codes(primary.read, missing) == [MISSING]
    assert codes(primary.modify, missing) == [MISSING]
    assert codes(primary.insert, query) == [INVALID]
    no_counter = p4r.DirectCounterEntry(table_entry=p4r.TableEntry(table_id=names["the_ingress.acl"]))
    assert codes(primary.read, no_counter) == [INVALID]


def test_direct_meters(primary: Client, names: Names) -> None:
    rates = p4r.MeterConfig(cir=1000, cburst=100, pir=2000, pburst=200)
    key = acl(names, action=None)
    metered = acl(names, action=names.table_action("the_ingress.meter_color"), meter_config=rates)
    primary.insert(metered)
    query = p4r.DirectMeterEntry(table_entry=key)
    assert primary.read(query)[0].config == rates
    key.meter_config.SetInParent()
    assert primary.read(key)[0].meter_config == rates
    primary.modify(p4r.DirectMeterEntry(table_entry=acl(names, action=None)))
    assert not primary.read(key)[0].HasField("meter_config")
    wrong = p4r.DirectMeterEntry(table_entry=acl(names, action=None), config=p4r.MeterConfig(cir=-1))
    assert codes(primary.modify, wrong) == [INVALID]
    burst = p4r.DirectMeterEntry(table_entry=acl(names, action=None), config=p4r.MeterConfig(cir=1, eburst=1))
    assert codes(primary.modify, burst) == [INVALID]


def update(kind: str, message: Any) -> p4r.Update:
    return p4r.Update(type=p4r.Update.Type.Value(kind), entity=entry(message))


def snapshot(client: Client, names: Names) -> list[Any]:
    register = p4r.RegisterEntry(register_id=names["seen"])
    routes = p4r.TableEntry(table_id=names["the_ingress.route"], counter_data=p4r.CounterData())
    defaults = p4r.TableEntry(is_default_action=True)
    groups = p4r.PacketReplicationEngineEntry()
    return sorted(map(repr, client.read(register, routes, defaults, groups, p4r.CounterEntry(), p4r.ValueSetEntry())))


@pytest.mark.parametrize("atomicity", ["ROLLBACK_ON_ERROR", "DATAPLANE_ATOMIC"])
def test_atomic_batches_are_all_or_nothing(primary: Client, names: Names, atomicity: str) -> None:
    primary.insert(
        route(names, 0x0A000000, 8, counter_data=p4r.CounterData(packet_count=5, byte_count=50), metadata=b"m"),
        route(names, 0x0B000000, 8),
    )
    register = p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=2))
    register.data.bitstring = b"\x07"
    primary.modify(register)
    group = p4r.PacketReplicationEngineEntry()
    group.multicast_group_entry.multicast_group_id = 4
    group.multicast_group_entry.replicas.add(port=b"\x01", instance=1)
    primary.insert(group)
    before = snapshot(primary, names)

    other_register = p4r.RegisterEntry(register_id=names["seen"])
    other_register.data.bitstring = b"\x63"
    other_group = p4r.PacketReplicationEngineEntry()
    other_group.multicast_group_entry.multicast_group_id = 4
    default = p4r.TableEntry(
        table_id=names["the_ingress.route"], is_default_action=True, action=names.table_action("the_ingress.forward", 1)
    )
    counter = p4r.CounterEntry(counter_id=names["port_counter"], data=p4r.CounterData(packet_count=3))
    values = p4r.ValueSetEntry(value_set_id=names["special_types"])
    values.members.add().match.append(exact(1, 0x1234))
    changes = [
        update("DELETE", route(names, 0x0A000000, 8)),
        update("INSERT", route(names, 0x0A000000, 8, port=1)),
        update("MODIFY", route(names, 0x0B000000, 8, port=1)),
        update("INSERT", route(names, 0x0C000000, 8)),
        update("MODIFY", other_register),
        update("MODIFY", other_group),
        update("MODIFY", default),
        update("MODIFY", counter),
        update("MODIFY", values),
    ]
    failing = update("INSERT", route(names, 0x0B000000, 8))
    with pytest.raises(WriteFailed) as raised:
        primary.write([*changes, failing, update("DELETE", route(names, 0x0C000000, 8))], atomicity)
    assert raised.value.codes == [ABORTED] * len(changes) + [EXISTS, ABORTED]
    assert snapshot(primary, names) == before
    with pytest.raises(WriteFailed) as raised:
        primary.write([*changes, update("INSERT", p4r.TableEntry(table_id=1))], atomicity)
    assert raised.value.codes == [ABORTED] * len(changes) + [INVALID]
    assert snapshot(primary, names) == before
    primary.write(changes, atomicity)
    assert snapshot(primary, names) != before


def test_continue_on_error_does_the_rest(primary: Client, names: Names) -> None:
    good, other = route(names, 0x0A000000, 8), route(names, 0x0B000000, 8)
    assert codes(primary.insert, good, good, other) == [grpc.StatusCode.OK, EXISTS, grpc.StatusCode.OK]
    assert len(primary.read(p4r.TableEntry(table_id=good.table_id))) == 2


def test_malformed_updates(primary: Client, names: Names) -> None:
    good = route(names, 0x0A000000, 8)
    updates = [
        p4r.Update(type=p4r.Update.INSERT),
        p4r.Update(type=p4r.Update.UNSPECIFIED, entity=entry(good)),
        p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity()),
        update("INSERT", p4r.ExternEntry(extern_type_id=0x81, extern_id=1)),
        update("MODIFY", p4r.PacketReplicationEngineEntry()),
    ]
    assert codes(primary.write, updates) == [INVALID, INVALID, INVALID, grpc.StatusCode.UNIMPLEMENTED, INVALID]
    unset = p4r.ReadRequest(device_id=1, entities=[p4r.Entity(), entry(p4r.TableEntry())])
    with pytest.raises(grpc.RpcError) as raised:
        list(primary.stub.Read(unset))
    failed = details(raised.value)
    assert failed
    assert failed.codes == [INVALID, grpc.StatusCode.OK]
