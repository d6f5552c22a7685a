"""Nonsense from clients: an answer for each, and the server lives on."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import grpc
from finsy.proto import p4r
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tests.harness.waiting import wait_for
from tests.p4runtime.client import Client, details
from tests.p4runtime.conftest import Pair, Program

NUMBERS = (0, 1, 2, 3, 5, 7, 8, 16, 100, 255, 510, 511, 512, 65535, 65536, 2**31 - 1)
EXPECTED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
}


def scramble(message: Message, chance: random.Random, ids: list[int], depth: int = 0) -> None:
    """Fill a message with random fields; ids are often real ones."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type and field.message_type.full_name == "google.protobuf.Any":
            continue
        if chance.random() < 0.45 or (depth > 7 and field.message_type):
            continue
        if field.is_repeated:
            for _ in range(chance.randrange(3)):
                if field.message_type:
                    scramble(getattr(message, field.name).add(), chance, ids, depth + 1)
        elif field.message_type:
            child = getattr(message, field.name)
            child.SetInParent()
            scramble(child, chance, ids, depth + 1)
        else:
            set_scalar(message, field, chance, ids)


def outcome(attempt: Callable[[], object], *also: grpc.StatusCode) -> list[grpc.StatusCode]:
    """How an attempt ended: one code, or one for each element of a batch. Nothing unexpected, but for `also`."""
    try:
        attempt()
    except grpc.RpcError as error:
        assert error.code() in EXPECTED | {*also}, error  # noqa: PT017
        failed = details(error)
        return failed.codes if failed else [error.code()]
    return [grpc.StatusCode.OK]


def set_scalar(message: Message, field: FieldDescriptor, chance: random.Random, ids: list[int]) -> None:
    if field.type == FieldDescriptor.TYPE_BYTES:
        value: object = chance.randbytes(chance.choice((0, 1, 1, 2, 4, 6, 9)))
    elif field.type == FieldDescriptor.TYPE_BOOL:
        value = chance.random() < 0.3
    elif field.type == FieldDescriptor.TYPE_STRING:
        value = chance.choice(("", "x", "é"))
    elif field.type == FieldDescriptor.TYPE_ENUM:
        value = chance.randrange(4)
    elif field.name.endswith("_id") and field.name not in ("field_id", "param_id", "member_id", "group_id"):
        value = chance.choice(ids)
    else:
        value = chance.choice(NUMBERS)
        if field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64) and chance.random() < 0.2:
            value = -chance.choice(NUMBERS)
    setattr(message, field.name, value)


def read_all(client: Client, request: p4r.ReadRequest) -> None:
    for _ in client.stub.Read(request):
        pass


def test_random_entities(primary: Client, program: Program) -> None:
    chance = random.Random(4711)
    kinds = ("tables", "actions", "action_profiles", "counters", "meters", "registers", "value_sets", "digests")
    ids = [0, *(item.preamble.id for kind in kinds for item in getattr(program.config.p4info, kind))]
    codes = set()
    for _ in range(600):
        write = p4r.WriteRequest(device_id=1, atomicity=chance.choice(p4r.WriteRequest.Atomicity.values()))
        write.election_id.low = 1
        read = p4r.ReadRequest(device_id=1)
        for _ in range(8):
            update = write.updates.add(type=chance.randrange(1, 4))
            kind = chance.choice(p4r.Entity.DESCRIPTOR.fields)
            for entity in (update.entity, read.entities.add()):
                child = getattr(entity, kind.name)
                child.SetInParent()
                scramble(child, chance, ids)
        codes.update(outcome(partial(primary.stub.Write, write)))
        codes.update(outcome(partial(read_all, primary, read)))
    assert grpc.StatusCode.INTERNAL not in codes
    assert {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE} <= codes
    primary.set_pipeline(program.config)


def test_bytes_that_are_no_message(pair: Pair, program: Program) -> None:
    with pair.client() as client:
        chance = random.Random(1)
        for method in ("Write", "Read", "SetForwardingPipelineConfig", "GetForwardingPipelineConfig", "Capabilities"):
            call = client.channel.unary_unary(f"/p4.v1.P4Runtime/{method}", None, None)
            for _ in range(20):
                outcome(partial(call, chance.randbytes(50), timeout=5), grpc.StatusCode.INTERNAL)
        stream = client.channel.stream_stream("/p4.v1.P4Runtime/StreamChannel", None, None)
        outcome(lambda: list(stream(iter([chance.randbytes(50)]), timeout=5)), grpc.StatusCode.INTERNAL)
        assert client.arbitrate() == grpc.StatusCode.OK


def test_scrambled_pipelines(pair: Pair, program: Program) -> None:
    chance = random.Random(2)
    with pair.client() as client:
        client.arbitrate()
        for _ in range(60):
            config = p4r.ForwardingPipelineConfig()
            config.CopyFrom(program.config)
            text = bytearray(config.p4_device_config)
            for _ in range(3):
                at = chance.randrange(len(text) - 40)
                match chance.randrange(3):
                    case 0:
                        del text[at : at + chance.randrange(1, 30)]
                    case 1:
                        text[at] = chance.randrange(256)
                    case _:
                        text[at:at] = chance.choice((b"9", b"null,", b'"x",', b"[", b"-1"))
            config.p4_device_config = bytes(text)
            tables = config.p4info.tables
            scramble(tables[chance.randrange(len(tables))], chance, [0, 1, tables[0].preamble.id])
            action = chance.choice(("VERIFY", "VERIFY_AND_COMMIT"))
            [code] = outcome(partial(client.set_pipeline, config, action))
            assert code in (grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT)
        client.set_pipeline(program.config)


def test_a_client_that_vanishes_is_forgotten(pair: Pair) -> None:
    with pair.client() as client:
        assert client.arbitrate() == grpc.StatusCode.OK
        client.channel.close()
    with pair.client(election_id=None) as other:
        wait_for("the end of the primary", lambda: other.arbitrate() == grpc.StatusCode.NOT_FOUND)
