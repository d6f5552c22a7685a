"""``p4.v1``, ``p4.config.v1`` and ``p4.tmp``, as the package `p4runtime` calls them.

That package's newest version does not work with today's protobuf; finsy brings the same messages, made anew. ``p4.tmp.p4config_pb2`` is how
clients hand BMv2 a program: P4Runtime's servers for it take the JSON in a message ``P4DeviceConfig``, or bare.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FINSYS = (
    "v1", "v1.p4runtime_pb2", "v1.p4runtime_pb2_grpc", "v1.p4data_pb2",
    "config", "config.v1", "config.v1.p4info_pb2", "config.v1.p4types_pb2",
)  # fmt: skip
FIELDS = descriptor_pb2.FieldDescriptorProto


def _device_config() -> ModuleType:
    file = descriptor_pb2.FileDescriptorProto(name="p4/tmp/p4config.proto", package="p4.tmp", syntax="proto3")
    message = file.message_type.add(name="P4DeviceConfig")
    extras = message.nested_type.add(name="Extras")
    pair = extras.nested_type.add(name="KvEntry", options=descriptor_pb2.MessageOptions(map_entry=True))
    for number, name in enumerate(("key", "value"), start=1):
        pair.field.add(name=name, number=number, type=FIELDS.TYPE_STRING, label=FIELDS.LABEL_OPTIONAL)
    kinds = {"type": FIELDS.TYPE_MESSAGE, "type_name": ".p4.tmp.P4DeviceConfig.Extras.KvEntry", "label": FIELDS.LABEL_REPEATED}
    extras.field.add(name="kv", number=1, **kinds)
    message.field.add(name="reassign", number=1, type=FIELDS.TYPE_BOOL, label=FIELDS.LABEL_OPTIONAL)
    message.field.add(
        name="extras", number=2, type=FIELDS.TYPE_MESSAGE, type_name=".p4.tmp.P4DeviceConfig.Extras", label=FIELDS.LABEL_OPTIONAL
    )
    message.field.add(name="device_data", number=3, type=FIELDS.TYPE_BYTES, label=FIELDS.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    module = ModuleType(f"{__name__}.tmp.p4config_pb2")
    found = pool.FindMessageTypeByName("p4.tmp.P4DeviceConfig")
    vars(module)["P4DeviceConfig"] = message_factory.GetMessageClass(found)
    return module


def _bring() -> None:
    for name in FINSYS:
        sys.modules[f"{__name__}.{name}"] = importlib.import_module(f"finsy.proto.p4.{name}")
    tmp = ModuleType(f"{__name__}.tmp")
    config = _device_config()
    vars(tmp)["p4config_pb2"] = config
    tmp.__path__ = []
    sys.modules[tmp.__name__], sys.modules[config.__name__] = tmp, config


_bring()
