"""A switch for the core's tests: the reference model with the controller's core behind it, and a clock to turn."""

from __future__ import annotations

from collections import deque
from typing import Any

from common.units import BITS_PER_KILOBIT, US_PER_S
from controller.names import NameBook
from controller.switch_state import SwitchState
from protocol.codes import EntryType
from protocol.headers import ENTRY_BYTES, Entry, Event
from protocol.model.port_model import Record
from protocol.model.variants import new_model
from protocol.packet_out import decode_entries
from protocol.record_slots import candidate_slots
from protocol.variant import COMPLETE, Variant
from protocol.wire import Flags, Message, MessageType, Negotiation, TransmissionId
from scenario.network_description import PortDescription

PORT = 4
HOST_PORT = 1
RTT_US = 60_000


def sender_ip(number: int) -> int:
    """Address of a transmission's sender, by its number."""
    return 0x0A000000 + number


def receiver_ip(number: int) -> int:
    """Address of a transmission's receiver, by its number."""
    return 0x0A800000 + number


def identity(number: int) -> TransmissionId:
    """The transmission of that number."""
    return TransmissionId(0x1000 + number, number)


class ModelSwitch:
    """One port, 36 Mbit/s unless told otherwise. Events wait in `events` until `deliver` hands them to the core."""

    def __init__(self, capacity_kbps: int = 36_000, *, variant: Variant = COMPLETE, labels: dict[str, str] | None = None) -> None:
        self.model = new_model({PORT: capacity_kbps})
        description = [PortDescription(port=PORT, capacity_bps=capacity_kbps * BITS_PER_KILOBIT, peer="s2")]
        self.names = NameBook({}, labels or {"10.0.0.1>10.128.0.1": "A", "10.0.0.2>10.128.0.2": "B", "10.0.0.3>10.128.0.3": "C"})
        self.description = description
        self.variant = variant
        self.now_s = 100.0
        self.events: deque[tuple[Event, Message | None]] = deque()
        self.adjustments: list[tuple[EntryType, int, int]] = []
        """(type, transmission number, speed) of all reduces and increases sent."""
        self.lines: list[str] = []
        self.announcements: list[dict[str, Any]] = []
        self.answers_slot_reads = True
        """A switch that is too busy loses the entries that read slots."""
        self.acknowledge = True
        """Senders refresh their records after a reduce, as real ones do."""
        self.restart_controller()

    def restart_controller(self) -> None:
        """A controller that knows nothing takes the place of the one before."""
        self.state = SwitchState("s1", self.description, self.names, variant=self.variant)
        self.events.clear()
        self.state.connected(self.now_s, is_empty=False)

    @property
    def now_us(self) -> int:
        """The switch's clock, µs."""
        return round(self.now_s * US_PER_S)

    @property
    def rates(self) -> dict[int, int]:
        """The data plane's records: rate by transmission number."""
        return {record.id.destination_id: record.rate_kbps for record in self.model.records.values()}

    def message(self, message: Message) -> Message | None:
        """A message passes the switch; the message that comes out."""
        number = message.id.destination_id
        forward = message.type in (MessageType.REQUEST, MessageType.TERMINATE)
        ends = (sender_ip(number), receiver_ip(number))
        ports = (HOST_PORT, PORT)
        if not forward:
            ends, ports = ends[::-1], ports[::-1]
        reaction = self.model.handle_message(message, *ends, *ports, self.now_us)
        if reaction.event is not None:
            self.events.append((reaction.event, message))
        return reaction.message

    def request(self, number: int, max_kbps: int = 200_000, flags: Flags = Flags.NONE, min_kbps: int = 0) -> int:
        """A request goes through; the max it leaves with."""
        answer = self.message(Negotiation(MessageType.REQUEST, identity(number), max_kbps, min_kbps, RTT_US, flags=flags))
        assert isinstance(answer, Negotiation)
        return answer.max_kbps

    def success(self, number: int, max_kbps: int, flags: Flags = Flags.NONE) -> None:
        """A success goes back through the switch."""
        self.message(Negotiation(MessageType.SUCCESS, identity(number), max_kbps, 0, RTT_US, flags=flags))

    def deliver(self) -> None:
        """The controller takes all events, and the switch the entries it sends, until there are no more."""
        while self.events or self.state.outbox:
            while self.events:
                event, message = self.events.popleft()
                self.state.handle(event, message if isinstance(message, Negotiation) else None, self.now_s)
            self.carry_out(self.take())
        self.lines += [line for _, line in self.state.take_journal()]
        self.announcements += self.state.take_announcements()

    def take(self) -> list[Entry]:
        """The entries the core wants to send, unpacked."""
        entries = []
        for batch in self.state.take_batches(self.now_s):
            assert len(batch.payload) == batch.count * ENTRY_BYTES
            entries += decode_entries(batch.payload)
        return entries

    def carry_out(self, entries: list[Entry]) -> None:
        """The switch carries out the entries of a packet-out."""
        acknowledged: list[tuple[int, int]] = []
        for entry in entries:
            if entry.type in (EntryType.REDUCE, EntryType.INCREASE):
                self.adjustments.append((entry.type, entry.id.destination_id, entry.value))
            if entry.type == EntryType.REDUCE and self.acknowledge:
                acknowledged.append((entry.id.destination_id, entry.value))
            if entry.type == EntryType.READ_SLOT and not self.answers_slot_reads:
                continue
            reaction = self.model.handle_entry(entry, True, self.now_us)
            if reaction.event is not None:
                self.events.append((reaction.event, None))
        for number, rate_kbps in acknowledged:
            self.refresh(number, rate_kbps)

    def refresh(self, number: int, rate_kbps: int) -> None:
        """The sender refreshes its record at this rate, and the receiver answers."""
        self.request(number, rate_kbps, Flags.REFRESH)
        self.success(number, rate_kbps, Flags.REFRESH)

    def fill(self, count: int, rate_kbps: int) -> None:
        """Records 1 … count at this rate, in the data plane and in the core, without anybody being asked."""
        port = self.model.ports[PORT]
        for number in range(1, count + 1):
            slot = next(slot for slot in candidate_slots(identity(number), PORT) if slot not in self.model.records)
            record = Record(identity(number), PORT, sender_ip(number), receiver_ip(number), slot, rate_kbps, True, self.now_us, rate_kbps)
            self.model.records[slot] = record
            port.add(record)
        self.restart_controller()
        self.pass_time(4.0)

    def set_capacity(self, capacity_kbps: int) -> tuple[int, int]:
        """Change the table entry, and tell the core; its entries wait for `deliver`."""
        self.model.set_capacity(PORT, capacity_kbps)
        self.description = [port.model_copy(update={"capacity_bps": capacity_kbps * BITS_PER_KILOBIT}) for port in self.description]
        return self.state.set_capacity(PORT, capacity_kbps, self.now_s)

    def take_offers(self) -> None:
        """Every sender takes the latest increase it was offered."""
        offers = {number: speed_kbps for kind, number, speed_kbps in self.adjustments if kind == EntryType.INCREASE}
        for number, speed_kbps in offers.items():
            if number in self.rates:
                self.success(number, self.request(number, speed_kbps, Flags.RENEGOTIATION))
                self.deliver()

    def join(self, number: int, max_kbps: int = 200_000, success_kbps: int | None = None) -> None:
        """A whole negotiation, with the controller keeping up."""
        granted_kbps = self.request(number, max_kbps)
        self.deliver()
        self.success(number, granted_kbps if success_kbps is None else success_kbps)
        self.deliver()

    def pass_time(self, duration_s: float, step_s: float = 0.1) -> None:
        """Let time go by in steps, with the core's ticks."""
        end_s = self.now_s + duration_s
        while self.now_s < end_s - 1e-9:
            self.now_s += step_s
            self.state.tick(self.now_s)
            self.deliver()

    def assert_in_step(self) -> None:
        """The core's records are the data plane's."""
        view = {record.id: (record.rate_kbps, record.is_bottleneck, record.slot) for record in self.state.ports[PORT]}
        assert view == {record.id: (record.rate_kbps, record.is_bottleneck, record.slot) for record in self.model.records.values()}
