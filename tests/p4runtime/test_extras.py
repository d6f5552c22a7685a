"""Preinitialised tables, meters' counts by colour and excess bursts, backup replicas, ranges in value sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4i, p4r

from tests.harness.waiting import wait_for
from tests.p4runtime.client import Client, Names, WriteFailed, between, encode, exact, ternary
from tests.p4runtime.conftest import Pair, Program, compile_testbed

INVALID = grpc.StatusCode.INVALID_ARGUMENT
RANKED, PLAIN = "the_ingress.ranked", "the_ingress.plain"


@pytest.fixture(scope="module")
def extras(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program, with the type of its indirect meter as the annotation asks for."""
    program = compile_testbed(tmp_path_factory.mktemp("extras"), Path(__file__).parent / "extras.p4")
    for meter in program.config.p4info.meters:
        meter.spec.type = p4i.MeterSpec.SINGLE_RATE_THREE_COLOR
    return program


@pytest.fixture
def controller(pair: Pair, extras: Program) -> Iterator[Client]:
    with pair.client() as client:
        client.arbitrate()
        client.set_pipeline(extras.config)
        yield client


def send(neighbour: Client, kind: int, value: int, count: int = 1) -> None:
    message = p4r.PacketOut(payload=bytes([kind, 0]) + value.to_bytes(2, "big"))
    message.metadata.add(metadata_id=1, value=b"\x01")
    message.metadata.add(metadata_id=2, value=b"\0")
    for _ in range(count):
        neighbour.send(packet=message)


def codes(call: object, *messages: object) -> list[grpc.StatusCode]:
    assert callable(call)
    with pytest.raises(WriteFailed) as raised:
        call(*messages)
    return raised.value.codes


def test_entries_of_the_program_can_be_changed_and_are_ranked_with_others(controller: Client, extras: Program) -> None:
    names = extras.names
    table = p4r.TableEntry(table_id=names[RANKED])
    entries = controller.read(table)
    assert [(entry.priority, entry.is_const) for entry in entries] == [(3, False), (2, False), (1, False)]
    entries[0].action.CopyFrom(names.table_action("the_ingress.forward", 7))
    controller.modify(entries[0])
    controller.delete(entries[1])
    new = p4r.TableEntry(table_id=names[RANKED], match=[ternary(1, 9, 0xFF)], priority=2, action=names.table_action("the_ingress.drop"))
    controller.insert(new)
    by_priority = sorted(controller.read(table), key=lambda entry: -entry.priority)
    assert by_priority == [entries[0], new, entries[2]]


@pytest.mark.real_time
def test_meters_count_by_colour(controller: Client, neighbour: Client, extras: Program) -> None:
    names = extras.names
    meter = p4r.MeterEntry(meter_id=names["limits"], index=p4r.Index(index=1))
    config = p4r.MeterConfig(cir=1, cburst=2, pir=1, pburst=2, eburst=3)
    controller.modify(p4r.MeterEntry(meter_id=meter.meter_id, index=meter.index, config=config))
    send(neighbour, 1, 5, count=9)
    wanted = p4r.MeterEntry(meter_id=meter.meter_id, index=meter.index, counter_data=p4r.MeterCounterData())

    def counts() -> list[int]:
        [cell] = controller.read(wanted)
        assert cell.config == config
        return [color.packet_count for color in (cell.counter_data.green, cell.counter_data.yellow, cell.counter_data.red)]

    wait_for("nine packets", lambda: sum(counts()) >= 9)
    green, yellow, red = counts()
    # A token may come in meanwhile: one a second.
    assert green + yellow + red == 9
    assert 2 <= green <= 4
    assert yellow >= 3
    assert not controller.read(meter)[0].HasField("counter_data")
    wrong = p4r.MeterEntry(meter_id=meter.meter_id, index=meter.index, config=config)
    wrong.counter_data.red.packet_count = 1
    assert codes(controller.modify, wrong) == [INVALID]
    wrong.counter_data.Clear()
    wrong.counter_data.SetInParent()
    controller.modify(wrong)
    assert counts() == [0, 0, 0]


def test_direct_meters_count_by_colour(controller: Client, neighbour: Client, extras: Program) -> None:
    names = extras.names
    entry = p4r.TableEntry(table_id=names[PLAIN], match=[exact(1, 5)], action=names.table_action("the_ingress.measured", 1))
    entry.meter_config.CopyFrom(p4r.MeterConfig(cir=1, cburst=1, pir=1, pburst=1))
    controller.insert(entry)
    send(neighbour, 1, 5, count=4)
    wanted = p4r.TableEntry(table_id=names[PLAIN], meter_counter_data=p4r.MeterCounterData())

    def counts() -> list[int]:
        [found] = controller.read(wanted)
        data = found.meter_counter_data
        return [data.green.packet_count, data.yellow.packet_count, data.red.packet_count]

    wait_for("four packets", lambda: sum(counts()) >= 4)
    green, yellow, red = counts()
    assert (green + red, yellow) == (4, 0)
    assert green >= 1
    key = p4r.TableEntry(table_id=names[PLAIN], match=[exact(1, 5)])
    [direct] = controller.read(p4r.DirectMeterEntry(table_entry=key, counter_data=p4r.MeterCounterData()))
    assert direct.counter_data.green.packet_count >= 1
    assert direct.config == entry.meter_config
    controller.modify(p4r.DirectMeterEntry(table_entry=key, config=entry.meter_config, counter_data=p4r.MeterCounterData()))
    assert counts() == [0, 0, 0]


def test_backup_replicas_are_kept(controller: Client) -> None:
    group = p4r.PacketReplicationEngineEntry()
    group.multicast_group_entry.multicast_group_id = 5
    replica = group.multicast_group_entry.replicas.add(port=encode(1), instance=1)
    replica.backup_replicas.add(port=encode(2), instance=1)
    replica.backup_replicas.add(port=encode(3), instance=1)
    group.multicast_group_entry.replicas.add(port=encode(4), instance=1)
    controller.insert(group)
    assert controller.read(p4r.PacketReplicationEngineEntry()) == [group]
    for port, instance in ((1, 9), (4, 1), (2, 1)):
        wrong = p4r.PacketReplicationEngineEntry()
        wrong.CopyFrom(group)
        wrong.multicast_group_entry.replicas[0].backup_replicas.add(port=encode(port), instance=instance)
        assert codes(controller.modify, wrong) == [INVALID]


def test_value_sets_take_ranges(controller: Client, neighbour: Client, extras: Program) -> None:
    names: Names = extras.names
    members = [p4r.ValueSetMember(match=[exact(1, 1), between(2, 100, 200)]), p4r.ValueSetMember(match=[exact(1, 2)])]
    controller.modify(p4r.ValueSetEntry(value_set_id=names["refused"], members=members))
    assert controller.read(p4r.ValueSetEntry(value_set_id=names["refused"])) == [
        p4r.ValueSetEntry(value_set_id=names["refused"], members=members)
    ]
    assert codes(controller.modify, p4r.ValueSetEntry(value_set_id=names["refused"], members=[members[0]] * 2)) == [
        grpc.StatusCode.ALREADY_EXISTS
    ]
    digest = p4r.DigestEntry(digest_id=names["seen_t"])
    digest.config.max_list_size = 1
    controller.insert(digest)
    # The meter sees what was not refused.
    for kind, value in ((1, 99), (1, 100), (1, 200), (1, 201), (2, 7), (3, 150)):
        send(neighbour, kind, value)
    wanted = p4r.MeterEntry(meter_id=names["limits"], index=p4r.Index(index=1), counter_data=p4r.MeterCounterData())
    # Packets go one after the other: when the digest of a last one is here, those before it have been counted or refused.
    last_kind = 4
    send(neighbour, last_kind, 0)
    while controller.receive("digest").data[0].struct.members[2].bitstring != bytes([last_kind]):
        pass

    def counted() -> int:
        return int(controller.read(wanted)[0].counter_data.green.packet_count)

    wait_for("four packets", lambda: counted() >= 4)
    assert counted() == 4


def test_registers_and_digests_of_translated_types(controller: Client, neighbour: Client, extras: Program) -> None:
    """The neighbour's packets come in by port 1, which has a name."""
    names = extras.names
    digest = p4r.DigestEntry(digest_id=names["seen_t"])
    digest.config.max_list_size = 1
    controller.insert(digest)
    send(neighbour, 7, 5)
    [learned] = controller.receive("digest").data
    assert [member.bitstring for member in learned.struct.members] == [b"uplink", b"\x01", b"\x07"]

    def cell(register: str, index: int, value: bytes = b"") -> p4r.RegisterEntry:
        entry = p4r.RegisterEntry(register_id=names[register], index=p4r.Index(index=index))
        entry.data.bitstring = value
        return entry

    for register, first, second in (("last_name", b"uplink", b"17"), ("last_wide", b"\x01", b"\x11")):
        [read] = controller.read(cell(register, 0))
        assert read == cell(register, 0, first)
        controller.modify(cell(register, 1, second))
        assert controller.read(cell(register, 1)) == [cell(register, 1, second)]
    assert codes(controller.modify, cell("last_wide", 0, b"\x02\x00")) == [grpc.StatusCode.OUT_OF_RANGE]
