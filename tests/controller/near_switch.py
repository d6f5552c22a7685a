"""A switch beside the controller: the reference model and a session's connection in one process and one simulated time, without gRPC."""

from __future__ import annotations

import asyncio

import pytest
from finsy import P4Schema
from finsy.proto import p4i, p4r
from google.protobuf import text_format

from bench.studies.controller_bed.fake_p4runtime import FakeSwitch, p4info_text, packet_in
from bench.studies.controller_bed.model_switch import receiver_ip, sender_ip
from common.units import US_PER_S
from controller import session as session_module
from controller.clock import Clock
from controller.computing_cost import Processor
from controller.names import NameBook
from controller.session import SwitchSession
from controller.switch_state import SwitchState
from protocol.headers import Event
from protocol.wire import Flags, MessageType, Negotiation, TransmissionId
from scenario.network_description import PortDescription, SwitchDescription

PORT = 4
CAPACITY_BPS = 36_000_000
RTT_US = 60_000


class NearSwitch(FakeSwitch):
    """A switch that keeps the events for the controller, and the times of the packet-outs and entries that it gets."""

    def __init__(self, clock: Clock) -> None:
        super().__init__({PORT: CAPACITY_BPS // 1000})
        self.clock = clock
        self.events: asyncio.Queue[p4r.StreamMessageResponse] = asyncio.Queue()
        self.sent: list[tuple[float, int]] = []
        """(seconds, entries) of all packet-outs that came."""
        self.written: list[float] = []

    def request(self, number: int, flags: Flags = Flags.NONE) -> None:
        """A transmission asks for as much as there is."""
        message = Negotiation(MessageType.REQUEST, TransmissionId(number, number, 0), 200_000, 0, RTT_US, flags=flags)
        self.inject(message, sender_ip(number), receiver_ip(number), PORT)

    def sent_since(self, at_s: float) -> list[tuple[float, int]]:
        return [(round(when, 6), entries) for when, entries in self.sent if when >= at_s]

    def carry_out(self, packet: p4r.PacketOut) -> None:
        self.sent.append((self.clock.now_s(), packet.metadata[1].value[0]))
        super().carry_out(packet)

    def _publish(self, event: Event, frame: bytes) -> None:
        self.events.put_nowait(p4r.StreamMessageResponse(packet=packet_in(event, frame)))

    def _now_us(self) -> int:  # type: ignore[override]
        return round(self.clock.now_s() * US_PER_S)


class NearConnection:
    """Instead of ``controller.connection.Connection``."""

    def __init__(self, switch: NearSwitch) -> None:
        self._switch = switch

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def configure(self, description: SwitchDescription) -> tuple[bool, int]:
        return True, 0

    async def write_entries(self, description: SwitchDescription) -> int:
        self._switch.written.append(self._switch.clock.now_s())
        self._switch.model.set_capacity(PORT, description.ports[0].capacity_kbps)
        return 1

    async def receive(self) -> p4r.StreamMessageResponse:
        return await self._switch.events.get()

    async def send(self, message: p4r.StreamMessageRequest) -> None:
        self._switch.carry_out(message.packet)


def session_with(switch: NearSwitch, processor: Processor, monkeypatch: pytest.MonkeyPatch) -> SwitchSession:
    """A session whose switch this is."""
    monkeypatch.setattr(session_module, "Connection", lambda *_arguments: NearConnection(switch))
    ports = [PortDescription(port=PORT, capacity_bps=CAPACITY_BPS, peer="s2")]
    description = SwitchDescription(name="s1", device_id=1, grpc_addr="127.0.0.1:1", ports=ports)
    schema = P4Schema(text_format.Parse(p4info_text(), p4i.P4Info()), b"{}")
    state = SwitchState("s1", ports, NameBook({}, {}))
    return SwitchSession(description, schema, state, switch.clock, processor=processor, connect_timeout_s=1, election_id=1)
