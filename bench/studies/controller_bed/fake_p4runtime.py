"""A P4Runtime server for tests: no packets, no P4, but the reference model behind the stream, and tables that are kept.

It speaks enough P4Runtime for the controller: arbitration, pipeline config, table and clone session writes and reads,
packet-ins and packet-outs. Errors come with gRPC status and details as real servers send them.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
from finsy.proto import p4i, p4r, p4r_grpc, rpc_code, rpc_status
from google.protobuf import any_pb2, text_format

from common.units import US_PER_S
from protocol.events import EVENT_FIELDS
from protocol.headers import Event
from protocol.model.variants import new_model
from protocol.packet_out import decode_entries
from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, Message, MessageType

HOST_PORT = 1
WIDTHS = {
    "event": 8,
    "verdict": 8,
    "data_port": 16,
    "port_sum_kbps": 64,
    "bottleneck_sum_kbps": 64,
    "is_bottleneck": 8,
    "reserved": 8,
    "content_id": 64,
    "last_seen_us": 48,
}
ROUTES, CAPACITIES, FORWARD, SET_CAPACITY = 0x02000001, 0x02000002, 0x01000001, 0x01000002


def p4info_text() -> str:
    """P4Info of the parts of the pipeline that the controller uses."""
    info = p4i.P4Info()
    info.pkg_info.arch = "v1model"

    def preamble(entity: Any, number: int, name: str) -> None:
        entity.preamble.id, entity.preamble.name, entity.preamble.alias = number, f"Ingress.{name}", name

    forward = info.actions.add()
    preamble(forward, FORWARD, "forward")
    for number, (name, width) in enumerate((("port", 9), ("source_mac", 48), ("destination_mac", 48)), 1):
        forward.params.add(id=number, name=name, bitwidth=width)
    capacity = info.actions.add()
    preamble(capacity, SET_CAPACITY, "set_capacity")
    for number, name in enumerate(("capacity_kbps", "tolerance_kbps"), 1):
        capacity.params.add(id=number, name=name, bitwidth=32)
    for number, name, key, width, kind, action in (
        (ROUTES, "ipv4_lpm", "hdr.ipv4.destination", 32, p4i.MatchField.LPM, FORWARD),
        (CAPACITIES, "port_capacity", "data_port", 16, p4i.MatchField.EXACT, SET_CAPACITY),
    ):
        table = info.tables.add()
        preamble(table, number, name)
        table.match_fields.add(id=1, name=key, bitwidth=width, match_type=kind)
        table.action_refs.add(id=action)
        table.size = 1024
    for number, header, fields in (
        (81826293, "packet_in", {name: WIDTHS.get(name, 32) for name in EVENT_FIELDS}),
        (76689799, "packet_out", {"magic": 48, "count": 8, "reserved": 8}),
    ):
        metadata = info.controller_packet_metadata.add()
        metadata.preamble.id = number
        metadata.preamble.name = metadata.preamble.alias = header
        for field_number, (name, width) in enumerate(fields.items(), 1):
            metadata.metadata.add(id=field_number, name=name, bitwidth=width)
    return str(text_format.MessageToString(info))


def packet_in(event: Event, frame: bytes) -> p4r.PacketIn:
    """The packet-in of an event."""
    packet = p4r.PacketIn(payload=frame)
    for number, name in enumerate(EVENT_FIELDS, 1):
        value = {"content_id": event.id.content_id, "destination_id": event.id.destination_id, "subflow": event.id.subflow}.get(
            name, getattr(event, name, 0)
        )
        width = max(1, (int(value).bit_length() + 7) // 8)
        packet.metadata.add(metadata_id=number, value=int(value).to_bytes(width, "big"))
    return packet


class FakeSwitch(p4r_grpc.P4RuntimeServicer):
    """One switch. `address` is known after `start`."""

    def __init__(self, capacities_kbps: dict[int, int], *, device_id: int = 1) -> None:
        self.capacities_kbps = capacities_kbps
        self.device_id = device_id
        self.model = new_model(capacities_kbps)
        self.config: p4r.ForwardingPipelineConfig | None = None
        self.entries: dict[bytes, p4r.TableEntry] = {}
        self.clone_sessions: dict[int, p4r.CloneSessionEntry] = {}
        self.pipeline_loads = 0
        self.table_updates = 0
        self.packet_outs = 0
        self.last_packet_out_s = 0.0
        self.adjusted: list[tuple[int, int, int]] = []
        self.address = ""
        self.refuse_entries = False
        self.other_reads = 0
        """Reads of anything but tables, such as registers: refused, as BMv2 does."""
        self._streams: dict[asyncio.Queue[p4r.StreamMessageResponse | None], int] = {}
        self._server: grpc.aio.Server | None = None

    async def start(self, address: str = "127.0.0.1:0") -> str:
        """Serve; returns the address, with the port that was free."""
        self._server = grpc.aio.server()
        p4r_grpc.add_P4RuntimeServicer_to_server(self, self._server)
        port = self._server.add_insecure_port(address)
        self.address = f"127.0.0.1:{port}"
        await self._server.start()
        return self.address

    async def stop(self) -> None:
        """End the server and its streams."""
        for queue in self._streams:
            queue.put_nowait(None)
        if self._server is not None:
            await self._server.stop(0.05)

    def forget(self) -> None:
        """Lose everything, as a restart does."""
        self.config = None
        self.entries.clear()
        self.clone_sessions.clear()
        self.model = new_model(self.capacities_kbps)

    def inject(self, message: Message, sender_ip: int, receiver_ip: int, data_port: int) -> Message | None:
        """A message passes the switch; returns the message that comes out."""
        forward = message.type in (MessageType.REQUEST, MessageType.TERMINATE)
        ends, ports = (sender_ip, receiver_ip), (HOST_PORT, data_port)
        if not forward:
            ends, ports = ends[::-1], ports[::-1]
        reaction = self.model.handle_message(message, *ends, *ports, self._now_us())
        if reaction.event is not None:
            self._publish(reaction.event, b"\0" * (FRAME_BYTES - MESSAGE_BYTES) + message.encode())
        return reaction.message

    # The service

    async def Capabilities(self, _request: Any, _context: Any) -> p4r.CapabilitiesResponse:  # noqa: N802
        """P4Runtime: the version."""
        return p4r.CapabilitiesResponse(p4runtime_api_version="1.4.1")

    async def GetForwardingPipelineConfig(self, _request: Any, context: Any) -> p4r.GetForwardingPipelineConfigResponse:  # noqa: N802
        """P4Runtime: the cookie of the loaded pipeline, or FAILED_PRECONDITION."""
        if self.config is None:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "No forwarding pipeline config set for this device")
        assert self.config is not None
        return p4r.GetForwardingPipelineConfigResponse(config=p4r.ForwardingPipelineConfig(cookie=self.config.cookie))

    async def SetForwardingPipelineConfig(self, request: Any, _context: Any) -> p4r.SetForwardingPipelineConfigResponse:  # noqa: N802
        """P4Runtime: loads the pipeline; records go."""
        self.forget()
        self.config = request.config
        self.pipeline_loads += 1
        return p4r.SetForwardingPipelineConfigResponse()

    async def Read(self, request: Any, context: Any) -> AsyncIterator[p4r.ReadResponse]:  # noqa: N802
        """P4Runtime: entries of tables and clone sessions."""
        if not all(entity.HasField("table_entry") for entity in request.entities):
            self.other_reads += 1
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Register reads are not supported yet")
        tables = {entity.table_entry.table_id for entity in request.entities}
        found = [entry for entry in self.entries.values() if entry.table_id in tables]
        yield p4r.ReadResponse(entities=[p4r.Entity(table_entry=entry) for entry in found])

    async def Write(self, request: Any, context: Any) -> p4r.WriteResponse:  # noqa: N802
        """P4Runtime: entries, one after the other."""
        if self.refuse_entries:
            await self._fail(context, len(request.updates), rpc_code.INVALID_ARGUMENT, "Not a good entry")
        for update in request.updates:
            if update.entity.HasField("table_entry"):
                self._write_entry(update)
                self.table_updates += 1
            else:
                session = update.entity.packet_replication_engine_entry.clone_session_entry
                if update.type == p4r.Update.INSERT and session.session_id in self.clone_sessions:
                    await self._fail(context, 1, rpc_code.ALREADY_EXISTS, "Clone session exists")
                self.clone_sessions[session.session_id] = session
        return p4r.WriteResponse()

    async def StreamChannel(self, requests: Any, _context: Any) -> AsyncIterator[p4r.StreamMessageResponse]:  # noqa: N802
        """P4Runtime: arbitration, packet-ins and packet-outs."""
        queue: asyncio.Queue[p4r.StreamMessageResponse | None] = asyncio.Queue()
        reader = asyncio.create_task(self._read_stream(requests, queue))
        try:
            while (message := await queue.get()) is not None:
                yield message
        finally:
            reader.cancel()
            self._streams.pop(queue, None)

    async def _read_stream(self, requests: Any, queue: asyncio.Queue[p4r.StreamMessageResponse | None]) -> None:
        async for request in requests:
            if request.HasField("arbitration"):
                election = request.arbitration.election_id.low
                is_primary = all(other < election for other in self._streams.values())
                self._streams[queue] = election
                answer = p4r.MasterArbitrationUpdate(device_id=self.device_id)
                answer.election_id.low = max(self._streams.values())
                if not is_primary:
                    answer.status.code = rpc_code.ALREADY_EXISTS
                queue.put_nowait(p4r.StreamMessageResponse(arbitration=answer))
                if is_primary:
                    self._demote_others(queue, election)
            elif request.HasField("packet"):
                self._packet_out(request.packet)

    def _demote_others(self, primary: Any, election: int) -> None:
        for queue in self._streams:
            if queue is not primary:
                update = p4r.MasterArbitrationUpdate(device_id=self.device_id)
                update.election_id.low = election
                update.status.code = rpc_code.ALREADY_EXISTS
                queue.put_nowait(p4r.StreamMessageResponse(arbitration=update))

    def _packet_out(self, packet: p4r.PacketOut) -> None:
        self.packet_outs += 1
        self.last_packet_out_s = time.monotonic()
        self.carry_out(packet)

    def carry_out(self, packet: p4r.PacketOut) -> None:
        """The model does what a packet-out says."""
        entries = decode_entries(packet.payload)
        assert len(entries) == packet.metadata[1].value[0]
        for entry in entries:
            reaction = self.model.handle_entry(entry, True, self._now_us())
            if reaction.message is not None:
                self.adjusted.append((entry.type, entry.id.destination_id, entry.value))
            if reaction.event is not None:
                self._publish(reaction.event, b"")

    def _publish(self, event: Event, frame: bytes) -> None:
        packet = packet_in(event, frame)
        for queue in itertools.islice(self._streams, 1):
            queue.put_nowait(p4r.StreamMessageResponse(packet=packet))

    def _write_entry(self, update: p4r.Update) -> None:
        entry = update.entity.table_entry
        key = p4r.TableEntry(table_id=entry.table_id, match=entry.match).SerializeToString(deterministic=True)
        if update.type == p4r.Update.DELETE:
            del self.entries[key]
            return
        assert (key in self.entries) == (update.type == p4r.Update.MODIFY)
        self.entries[key] = entry
        if entry.table_id == CAPACITIES:
            port, capacity_kbps = (
                int.from_bytes(value, "big") for value in (entry.match[0].exact.value, entry.action.action.params[0].value)
            )
            self.capacities_kbps[port] = capacity_kbps
            self.model.set_capacity(port, capacity_kbps)

    @staticmethod
    async def _fail(context: Any, updates: int, code: int, text: str) -> None:
        status = rpc_status.Status(code=rpc_code.UNKNOWN, message="")
        for _ in range(updates):
            detail = any_pb2.Any()
            detail.Pack(p4r.Error(canonical_code=code, message=text))
            status.details.add().CopyFrom(detail)
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        await context.abort(grpc.StatusCode.UNKNOWN, "")

    @staticmethod
    def _now_us() -> int:
        return int(time.monotonic() * US_PER_S)
