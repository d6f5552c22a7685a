"""Packet-in, packet-out, digests, idle time-outs, and the effects of control messages on packets."""

from __future__ import annotations

import time
from typing import Any

import grpc
from finsy.proto import p4r
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from tests.p4runtime.client import Client, Names, encode, exact, lpm, ternary

CPU_PORT = 510
REASON, STAMP = 2, 3


def frame(destination: str = "10.0.0.1", source: str = "10.9.9.9", protocol: int = 6, kind: int = 0x800) -> Packet:
    ether = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02", type=kind)
    return ether / IP(src=source, dst=destination, proto=protocol) / Raw(b"payload") if kind == 0x800 else ether / Raw(b"payload")


def packet_out(payload: Any, port: int = 1) -> p4r.PacketOut:
    message = p4r.PacketOut(payload=bytes(payload))
    message.metadata.add(metadata_id=1, value=encode(port))
    message.metadata.add(metadata_id=2, value=b"\0")
    return message


def metadata(packet: p4r.PacketIn) -> dict[int, int]:
    return {field.metadata_id: int.from_bytes(field.value, "big") for field in packet.metadata}


def route_to(names: Names, action: str, *values: int, prefix: int = 0x0A000000) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=names["the_ingress.route"], match=[lpm(1, prefix, 8)], action=names.table_action(action, *values))


def test_packet_in_carries_the_header_as_metadata(primary: Client, neighbour: Client, names: Names) -> None:
    primary.insert(route_to(names, "the_ingress.to_cpu", 33))
    sent = frame()
    neighbour.send(packet=packet_out(sent, port=2))
    packet = primary.receive("packet")
    assert packet.payload == bytes(sent)
    assert metadata(packet) == {1: 2, REASON: 33, STAMP: 0xDEADBEEF}
    assert [field.value for field in packet.metadata] == [b"\x02", b"\x21", b"\xde\xad\xbe\xef"]
    counter = p4r.CounterEntry(counter_id=names["port_counter"], index=p4r.Index(index=2))
    [cell] = primary.read(counter)
    assert (cell.data.packet_count, cell.data.byte_count) == (1, len(sent))


def test_packets_keep_their_order(primary: Client, neighbour: Client, names: Names) -> None:
    primary.insert(route_to(names, "the_ingress.to_cpu", 1))
    for number in range(500):
        neighbour.send(packet=packet_out(bytes(frame()) + number.to_bytes(2, "big")))
    received = [int.from_bytes(primary.receive("packet").payload[-2:], "big") for _ in range(500)]
    assert received == list(range(500))


def test_bad_packet_outs_are_reported(primary: Client) -> None:
    good = packet_out(b"x")
    without, twice, unknown, large = p4r.PacketOut(), p4r.PacketOut(), p4r.PacketOut(), p4r.PacketOut()
    without.metadata.append(good.metadata[0])
    twice.metadata.extend([*good.metadata, good.metadata[0]])
    unknown.metadata.extend(good.metadata)
    unknown.metadata.add(metadata_id=9, value=b"\1")
    large.metadata.extend(good.metadata)
    large.metadata[0].value = b"\xff\xff"
    for wrong in (without, twice, unknown, large):
        primary.send(packet=wrong)
        error = primary.receive("error")
        assert error.canonical_code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
        assert error.packet_out.packet_out == wrong
    primary.send(digest_ack=p4r.DigestListAck(digest_id=5, list_id=1))
    assert primary.receive("error").digest_list_ack.digest_list_ack.digest_id == 5
    primary.send()
    assert primary.receive("error").WhichOneof("details") == "other"


def test_backups_send_and_receive_no_packets(primary: Client, neighbour: Client, names: Names, pair: Any) -> None:
    primary.insert(route_to(names, "the_ingress.to_cpu", 1))
    with pair.client(election_id=0) as backup:
        assert backup.arbitrate() == grpc.StatusCode.ALREADY_EXISTS
        backup.send(packet=packet_out(frame()))
        assert backup.receive("error").canonical_code == grpc.StatusCode.PERMISSION_DENIED.value[0]
        neighbour.send(packet=packet_out(frame()))
        primary.receive("packet")
        backup.nothing()


def test_clones_go_to_the_controller(primary: Client, neighbour: Client, names: Names) -> None:
    session = p4r.PacketReplicationEngineEntry()
    session.clone_session_entry.session_id = 100
    session.clone_session_entry.replicas.add(port=encode(CPU_PORT), instance=1)
    session.clone_session_entry.packet_length_bytes = 60
    acl = p4r.TableEntry(
        table_id=names["the_ingress.acl"],
        match=[ternary(1, 0x0A090909, 0xFFFFFFFF)],
        priority=1,
        action=names.table_action("the_ingress.clone_to_cpu"),
    )
    primary.insert(session, acl)
    neighbour.send(packet=packet_out(bytes(frame()) + bytes(100)))
    packet = primary.receive("packet")
    assert metadata(packet)[1] == 1
    assert metadata(packet)[REASON] == 1
    assert packet.payload[:34] == bytes(frame())[:34]


def test_multicast_reaches_every_replica(primary: Client, neighbour: Client, names: Names) -> None:
    group = p4r.PacketReplicationEngineEntry()
    group.multicast_group_entry.multicast_group_id = 3
    for port in (1, 2):
        group.multicast_group_entry.replicas.add(port=encode(port), instance=port)
    primary.insert(group, route_to(names, "the_ingress.multicast", 3))
    neighbour.insert(route_to(names, "the_ingress.to_cpu", 9))
    neighbour.send(packet=packet_out(frame()))
    ports = {metadata(neighbour.receive("packet"))[1] for _ in range(2)}
    assert ports == {1, 2}


def test_the_pipeline_writes_registers(primary: Client, neighbour: Client, names: Names) -> None:
    remember = p4r.TableEntry(table_id=names["the_ingress.acl"], priority=1, action=names.table_action("the_ingress.remember", 4, 0xCAFE))
    primary.insert(remember, route_to(names, "the_ingress.to_cpu", 1))
    neighbour.send(packet=packet_out(frame()))
    primary.receive("packet")
    [cell] = primary.read(p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=4)))
    assert cell.data.bitstring == b"\xca\xfe"
    [signed] = primary.read(p4r.RegisterEntry(register_id=names["signed_cells"], index=p4r.Index(index=0)))
    assert signed.data.bitstring == b"\xff"


def test_value_sets_steer_the_parser(primary: Client, neighbour: Client, names: Names) -> None:
    values = p4r.ValueSetEntry(value_set_id=names["special_types"])
    values.members.add().match.append(exact(1, 0x1234))
    primary.modify(values)
    neighbour.send(packet=packet_out(frame(kind=0x4321)))
    neighbour.send(packet=packet_out(frame(kind=0x1234)))
    packet = primary.receive("packet")
    assert metadata(packet)[REASON] == 42
    assert packet.payload == bytes(frame(kind=0x1234))


def test_groups_choose_among_members(primary: Client, neighbour: Client, names: Names) -> None:
    entry = p4r.TableEntry(table_id=names["the_ingress.hops"], match=[exact(1, 0x0A000001)])
    for port in (1, 2):
        action = names.action("the_ingress.forward", port)
        entry.action.action_profile_action_set.action_profile_actions.add(action=action, weight=1)
    primary.insert(entry)
    neighbour.insert(route_to(names, "the_ingress.to_cpu", 9))
    ports = set()
    for source in range(40):
        neighbour.send(packet=packet_out(frame(source=f"10.9.9.{source}")))
        ports.add(metadata(neighbour.receive("packet"))[1])
    assert ports == {1, 2}


def learn(neighbour: Client, last: int) -> None:
    ether = Ether(dst="02:00:00:00:00:01", src=f"02:00:00:00:00:{last:02x}", type=0x0801)
    neighbour.send(packet=packet_out(ether / Raw(b"learn me")))


def sources(digest: p4r.DigestList) -> list[int]:
    """The last bytes of the learned addresses."""
    return [data.struct.members[0].bitstring[-1] for data in digest.data]


def test_digests(primary: Client, neighbour: Client, names: Names) -> None:
    learn(neighbour, 1)
    primary.nothing()
    config = p4r.DigestEntry.Config(max_timeout_ns=10**9, max_list_size=2, ack_timeout_ns=10**12)
    primary.insert(p4r.DigestEntry(digest_id=names["learn_t"], config=config))
    for last in (1, 1, 2):
        learn(neighbour, last)
    digest = primary.receive("digest")
    assert digest.digest_id == names["learn_t"]
    assert abs(digest.timestamp - time.time_ns()) < 10**10
    members = [[part.bitstring for part in data.struct.members] for data in digest.data]
    assert members == [[b"\x02\x00\x00\x00\x00\x01", b"\x01"], [b"\x02\x00\x00\x00\x00\x02", b"\x01"]]
    # Messages keep their order: once the third one is there alone, the other two have been recognized as repeated.
    for last in (1, 2, 3):
        learn(neighbour, last)
    assert sources(primary.receive("digest")) == [3]
    primary.send(digest_ack=p4r.DigestListAck(digest_id=names["learn_t"], list_id=digest.list_id))
    # A stream's messages are handled in order: with the answer to this one the acknowledgement has been handled.
    assert primary.arbitrate() == grpc.StatusCode.OK
    learn(neighbour, 1)
    # One message alone waits for the time-out.
    later = primary.receive("digest")
    assert sources(later) == [1]
    assert later.list_id != digest.list_id


def test_idle_entries_are_reported(primary: Client, names: Names) -> None:
    entry = p4r.TableEntry(
        table_id=names["the_ingress.source"],
        match=[exact(1, 0x020000000001)],
        action=names.table_action("NoAction"),
        idle_timeout_ns=200_000_000,
        metadata=b"mine",
        controller_metadata=5,
    )
    primary.insert(entry)
    notification = primary.receive("idle_timeout_notification")
    entry.ClearField("action")
    assert list(notification.table_entry) == [entry]
    query = p4r.TableEntry(table_id=entry.table_id)
    query.time_since_last_hit.SetInParent()
    [read] = primary.read(query)
    assert read.time_since_last_hit.elapsed_ns >= 200_000_000
    assert read.idle_timeout_ns == 200_000_000
