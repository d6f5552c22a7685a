"""The real BMv2 for tests: `simple_switch_grpc`, its data plane through gRPC instead of interfaces.

With `--dp-grpc-server-addr` BMv2 takes frames for any port from a gRPC stream, and sends leaving frames back on it. When the
client closes its half, BMv2 finishes all packets before it ends the stream. So one stream a frame gives exactly the frames
that came of it, without waiting times. Without `--cpu-port` the CPU port is a port like the others, and its frames carry the
controller header as the pipeline wrote it, as p4sim gives them.
"""

from __future__ import annotations

import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from finsy.proto import p4i, p4r
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from common.errors import UserError
from protocol.constants import CLONE_SESSION, CPU_PORT
from protocol.variant import DEPLOYABLE
from scenario.run_request import EMBEDDED
from tests.harness.free_port import free_port
from tests.harness.waiting import LIMIT_S
from tests.p4runtime.client import Client, Names
from topo.bmv2 import thrift_port
from topo.toolchain import BMV2, BMV2_COMMAND, choose

Frames = dict[int, list[bytes]]

START_S = 20.0
DEVICE_ID = 1
NO_REGISTERS = "BMv2 has no access to registers over P4Runtime"


def bmv2_command() -> Path | None:
    """BMv2 on PATH; the embedded switch, which has the same name, is none."""
    try:
        return choose(BMV2, EMBEDDED).bmv2
    except UserError:
        return None


def bmv2_or_skip() -> Path:
    """BMv2 on PATH; where it is not, the test is skipped and says so."""
    command = bmv2_command()
    if command is None:
        pytest.skip(f"BMv2 is not installed (no {BMV2_COMMAND} on PATH)")
    return command


def _packet_message() -> Any:
    """p4.bm.PacketStreamRequest and PacketStreamResponse, which have the same fields."""
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="nodectl_tests/dataplane.proto", package="nodectl_tests", syntax="proto3")
    message = file.message_type.add(name="Packet")
    fields = (("id", kinds.TYPE_UINT64), ("device_id", kinds.TYPE_UINT64), ("port", kinds.TYPE_UINT32), ("packet", kinds.TYPE_BYTES))
    for number, (name, kind) in enumerate(fields, start=1):
        message.field.add(name=name, number=number, type=kind, label=kinds.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("nodectl_tests.Packet"))


Packet = _packet_message()


class Bmv2Process:
    """A running `simple_switch_grpc` with one program, which can be put in afresh."""

    def __init__(self, program: Path, directory: Path) -> None:
        p4info = text_format.Parse(program.with_suffix(".p4info.txtpb").read_text(), p4i.P4Info())
        self.config = p4r.ForwardingPipelineConfig(p4info=p4info, p4_device_config=program.read_bytes())
        self.names = Names(p4info)
        self.tables = {table.preamble.name: table for table in p4info.tables}
        control, data = (f"127.0.0.1:{free_port()}" for _ in range(2))
        command = bmv2_command()
        assert command is not None
        self._log = (directory / "bmv2.log").open("wb")
        started_us = monotonic_us()
        self._process = subprocess.Popen(
            [str(command), "--no-p4", "--device-id", str(DEVICE_ID), "--log-level", "off", *thrift_port(command, control), "--",
             "--priority-queues", str(DEPLOYABLE.design.priorities), "--grpc-server-addr", control, "--dp-grpc-server-addr", data],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.client = Client(control, DEVICE_ID)
        self._has_clone_session = False
        self._channel = grpc.insecure_channel(data)
        try:
            for channel in (self.client.channel, self._channel):
                grpc.channel_ready_future(channel).result(START_S)
        except grpc.FutureTimeoutError:
            self.close()
            raise AssertionError(f"BMv2 did not start: {(directory / 'bmv2.log').read_text(errors='replace')}") from None
        # Where the switch's clock (µs since its start) stands against ours is known between two bounds, which every
        # timestamp that it shows brings closer to each other.
        self.offset_us = [started_us, monotonic_us()]
        self._stream = self._channel.stream_stream(
            "/p4.bm.DataplaneInterface/PacketStream", request_serializer=Packet.SerializeToString, response_deserializer=Packet.FromString
        )
        self.client.arbitrate()

    def load(self) -> None:
        """Put the program in: tables, registers and counters are as at the start."""
        replica = p4r.Replica(egress_port=CPU_PORT, instance=1)
        session = p4r.CloneSessionEntry(session_id=CLONE_SESSION, replicas=[replica])
        entry = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
        if self._has_clone_session:
            # BMv2 keeps clone sessions when a program comes in, and would then make two clones.
            self.client.delete(entry)
            self._has_clone_session = False
        self.client.set_pipeline(self.config)
        self.client.insert(entry)
        self._has_clone_session = True

    def exchange(self, port: int, frame: bytes) -> Iterable[Any]:
        """Send one frame; returns the packets that come of it."""

        def requests() -> Iterator[Any]:
            yield Packet(device_id=DEVICE_ID, port=port, packet=frame)

        deadline = time.monotonic() + START_S
        while True:
            try:
                return list(self._stream(requests(), timeout=START_S))
            except grpc.RpcError as error:
                # It listens before it is ready for packets, and has then not taken this one.
                if error.code() != grpc.StatusCode.UNAVAILABLE or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def close(self) -> None:
        self.client.close()
        self._channel.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class Bmv2Switch:
    """BMv2 as a switch to drive frame by frame. Its clock runs by itself: `time_us` is not heeded."""

    is_real_time = True

    def __init__(self, process: Bmv2Process) -> None:
        self._process = process
        process.load()
        self._sent_us = (0, 0)

    def send(self, port: int, frame: bytes, time_us: int) -> Frames:
        before = monotonic_us()
        frames: Frames = defaultdict(list)
        if frame:  # BMv2's data plane service passes over empty frames
            for packet in self._process.exchange(port, frame):
                frames[packet.port].append(packet.packet)
        self._sent_us = (before, monotonic_us())
        return dict(frames)

    def restart(self) -> None:
        self._process.load()

    def now_between_us(self) -> tuple[int, int]:
        now, (least, most) = monotonic_us(), self._process.offset_us
        return now - most, now - least

    def handled_between_us(self) -> tuple[int, int]:
        before, after = self._sent_us
        return max(0, before - self._process.offset_us[1]), after - self._process.offset_us[0]

    def handled_at(self, time_us: int) -> None:
        before, after = self._sent_us
        self._process.offset_us = [max(self._process.offset_us[0], before - time_us), min(self._process.offset_us[1], after - time_us)]

    def add_entry(self, table: str, match: Sequence[dict[str, Any]], action: str, parameters: Sequence[int]) -> None:
        info, names = self._process.tables[table], self._process.names
        entry = p4r.TableEntry(table_id=info.preamble.id, action=names.table_action(action, *parameters))
        for field, key in zip(info.match_fields, match, strict=True):
            ((kind, value),) = key.items()
            if kind == "lpm":
                entry.match.add(field_id=field.id).lpm.CopyFrom(p4r.FieldMatch.LPM(value=canonical(value[0]), prefix_len=value[1]))
            else:
                entry.match.add(field_id=field.id).exact.value = canonical(value)
        self._process.client.insert(entry)

    def register(self, name: str, index: int) -> int:
        pytest.skip(NO_REGISTERS)

    def write_register(self, name: str, index: int, value: int) -> None:
        pytest.skip(NO_REGISTERS)

    def counter(self, name: str, index: int) -> int:
        wanted = p4r.CounterEntry(counter_id=self._process.names[name], index=p4r.Index(index=index))
        (entry,) = self._process.client.read(wanted)
        return int(entry.data.packet_count)

    def close(self) -> None:
        """The process goes on: the next switch is the same with the program put in afresh."""


def canonical(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal).lstrip(b"\0") or b"\0"


def monotonic_us() -> int:
    return time.monotonic_ns() // 1000
