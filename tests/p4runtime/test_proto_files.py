"""The `.proto` files of `p4runtime-proto` against the descriptors of an independent implementation (finsy)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from finsy.proto import p4d, p4i, p4r, p4t, rpc_code, rpc_status, stratum
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTORS = ROOT / "switch/target/release/p4runtime_descriptors"
MODULES = (p4r, p4d, p4i, p4t, rpc_code, rpc_status, stratum)

Facts = dict[str, tuple[object, ...]]


def facts_of(files: Iterable[FileDescriptorProto]) -> Facts:
    """Everything that the wire and the generated code depend on, by full name."""
    facts: Facts = {}
    for file in files:
        facts.update(_of_enums(file.enum_type, file.package))
        facts.update(_of_messages(file.message_type, file.package))
        facts.update(_of_services(file.service, file.package))
    return facts


def _of_messages(messages: Iterable[DescriptorProto], scope: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    for message in messages:
        name = f"{scope}.{message.name}"
        yield name, ("message", message.options.map_entry)
        for field in message.field:
            yield f"{name}.{field.name}", _field(field, message)
        yield from _of_messages(message.nested_type, name)
        yield from _of_enums(message.enum_type, name)


def _field(field: FieldDescriptorProto, message: DescriptorProto) -> tuple[object, ...]:
    oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None
    type_name = FieldDescriptorProto.Type.Name(field.type)
    label = FieldDescriptorProto.Label.Name(field.label)
    return field.number, type_name, field.type_name, label, oneof, field.proto3_optional, field.options.packed, field.options.deprecated


def _of_enums(enums: Iterable[EnumDescriptorProto], scope: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    for enum in enums:
        yield f"{scope}.{enum.name}", ("enum", enum.options.allow_alias)
        for value in enum.value:
            yield f"{scope}.{enum.name}.{value.name}", (value.number,)


def _of_services(services: Iterable[ServiceDescriptorProto], scope: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    for service in services:
        yield f"{scope}.{service.name}", ("service",)
        for method in service.method:
            facts = (method.input_type, method.client_streaming, method.output_type, method.server_streaming)
            yield f"{scope}.{service.name}.{method.name}", facts


@pytest.fixture(scope="module")
def ours() -> Facts:
    compiled = FileDescriptorSet.FromString(subprocess.run([DESCRIPTORS], check=True, capture_output=True).stdout)
    return facts_of(file for file in compiled.file if file.package != "google.protobuf")


@pytest.fixture(scope="module")
def theirs() -> Facts:
    files = []
    for module in MODULES:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        files.append(file)
    return facts_of(files)


def test_nothing_is_missing_and_nothing_invented(ours: Facts, theirs: Facts) -> None:
    assert sorted(theirs.keys() - ours.keys()) == []
    assert sorted(ours.keys() - theirs.keys()) == []


def test_numbers_types_labels_and_oneofs_agree(ours: Facts, theirs: Facts) -> None:
    different = {name: (ours[name], theirs[name]) for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]}
    assert different == {}


def test_all_of_the_interface_is_compared(ours: Facts) -> None:
    assert ours["p4.v1.P4Runtime.StreamChannel"] == (".p4.v1.StreamMessageRequest", True, ".p4.v1.StreamMessageResponse", True)
    assert ours["p4.v1.SdnPort.SDN_PORT_CPU"] == (-3,)
    assert ours["p4.v1.FieldMatch.lpm"][:2] == (4, "TYPE_MESSAGE")
    assert ours["p4.v1.FieldMatch.lpm"][4] == "field_match_type"
    assert ours["p4.config.v1.P4TypeInfo.structs"][2:4] == (".p4.config.v1.P4TypeInfo.StructsEntry", "LABEL_REPEATED")


def test_a_difference_is_seen(theirs: Facts) -> None:
    file = FileDescriptorProto()
    p4r.DESCRIPTOR.CopyToProto(file)
    entry = next(message for message in file.message_type if message.name == "TableEntry")
    entry.field[0].number = 99
    changed = facts_of([file])
    assert [name for name, fact in changed.items() if theirs[name] != fact] == ["p4.v1.TableEntry.table_id"]
