"""The deployable variant (docs/protocol/deployable.md) in the reference model: the behaviour of p4src/nodectl_deployable.p4.

Targets are the rates of protocol/model/reference_model.py, by the same rules; this module adds everything else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from protocol.codes import AdmittedVerdict, EntryProblem, EntryType, ErrorReason, EventType, Flags, MessageType
from protocol.constants import ARRIVAL_WINDOW_BITS
from protocol.deployable_headers import (
    INDEX_KEY,
    KEYS,
    MAX_COUNTED_RTT_US,
    SOURCE_RECORDS,
    SOURCE_SLOTS,
    TOKEN_KEY,
    DeployableEvent,
    MessageExtension,
)
from protocol.frames import TCP_SYN
from protocol.headers import Entry, Event, TransmissionId
from protocol.keyed_hash import hash_of_words
from protocol.model.enforcement_model import GRACE_US, LONGEST_ANSWER, Enforcement, Flow, TrafficClass
from protocol.model.load_model import LoadMeter, divided_kbps
from protocol.model.port_model import Group, Port, Record
from protocol.model.reference_model import WITH_DATA, Reaction, SwitchModel
from protocol.record_slots import slots_of
from protocol.variant import Variant
from protocol.wire import Adjustment, Message, Negotiation
from protocol.wire_v2 import ExtendedAdjustment, ExtendedMessage, ExtendedNegotiation, extension_of


@dataclass(slots=True)
class Reserve:
    """The state of a record beside its target. `sequence` 0: its sender speaks version 1."""

    reserved_kbps: int = 0
    confirmed_kbps: int = 0
    """The part of the reserve that its sender was told it has: the last request may still be under way."""
    min_kbps: int = 0
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """A record that has gone from a slot which is free since."""

    id: TransmissionId
    data_port: int
    sequence: int


class DeployableRules:
    """The rules of a switch of the deployable variant, with its reserves and other state; methods as in ModelRules."""

    shares_by_source = True
    most_siblings: int | None = SOURCE_RECORDS
    """Records that a source may have besides a new one (decision "sources")."""

    def __init__(self, variant: Variant, capacities_kbps: Mapping[int, int], host_ports: Collection[int] = ()) -> None:
        """``host_ports``: the ports with hosts behind them, which it does not believe without proof."""
        self.host_ports = frozenset(host_ports)
        self.keys = [0] * KEYS
        """Secret: the first for indices, the second for tokens."""
        self.source_windows: dict[int, int] = {}
        """The window in which a source last counted as an arrival, plus 1."""
        self.enforcement = Enforcement(variant.slots)
        self._now_us = 0
        self.loads: defaultdict[int, LoadMeter] = defaultdict(LoadMeter)
        """By port."""
        self._link_kbps = dict(capacities_kbps)
        self._least_kbps: dict[int, int] = {}
        """The least rate to divide, for ports that divide the rest of their capacity beside the load (decision "the measured load")."""
        self.reserves: dict[int, Reserve] = {}
        """By slot."""
        self.ended: dict[int, Ended] = {}
        """By slot."""
        self.reserved_sums_kbps: Counter[int] = Counter()
        """By data port; never above its capacity, unless that has become less."""
        self.overcommitted: Counter[int] = Counter()
        """How often an operation broke that, by data port."""
        self.current = Reserve()
        """The reserve of the record that is worked on."""

    @property
    def reserving(self) -> DeployableRules:
        """These rules know of reserves themselves."""
        return self

    def set_capacity(self, of: SwitchModel, port: int, capacity_kbps: int, least_kbps: int | None) -> None:
        """The load of others is taken off the divided rate (decision "the measured load")."""
        of.ports[port].capacity_kbps = capacity_kbps
        self._link_kbps[port] = capacity_kbps
        self._least_kbps.pop(port, None)
        if least_kbps is not None:
            self._least_kbps[port] = least_kbps

    def note_departure(self, port: int, length: int, now_us: int) -> None:
        """A packet of the class OTHERS leaves by a port."""
        self.loads[port].count(length, now_us)

    def _divide(self, of: SwitchModel, data_port: int, now_us: int) -> None:
        """From now on the port's capacity is the part that the load leaves."""
        if data_port in self._least_kbps:
            load_kbps = self.loads[data_port].load_kbps(now_us)
            capacity_kbps = divided_kbps(self._link_kbps[data_port], self._least_kbps[data_port], load_kbps)
            of.ports[data_port].capacity_kbps = capacity_kbps

    def handle_message(
        self, of: SwitchModel, message: Message, source_ip: int, destination_ip: int, ingress_port: int, egress_port: int, now_us: int
    ) -> Reaction:
        """Hosts are not believed; stale messages are counted and forwarded."""
        self._now_us = now_us
        self._divide(of, egress_port if message.type in WITH_DATA else ingress_port, now_us)
        is_from_host = ingress_port in self.host_ports
        if message.type == MessageType.CHALLENGE:
            of.errors[ErrorReason.TYPE] += 1
            return Reaction(message, is_dropped=is_from_host)
        if is_from_host:
            checked = self._check_source(of, message, source_ip)
            if isinstance(checked, Reaction):
                return checked
            message = checked
        is_with_data = message.type in WITH_DATA
        data_port = egress_port if is_with_data else ingress_port
        ends = (source_ip, destination_ip) if is_with_data else (destination_ip, source_ip)
        record, _ = of.find(message.id, data_port)
        is_about_a_record = data_port in of.ports and (record is None or (record.sender_ip, record.receiver_ip) == ends)
        if is_from_host and not is_with_data and (record is None or not is_about_a_record):
            of.errors[self._why_not_an_answer(of, data_port, record)] += 1
            return Reaction(message, is_dropped=True)
        if is_about_a_record and self._is_stale(message, record, data_port):
            of.errors[ErrorReason.STALE] += 1
            return Reaction(message)
        self._load(record if is_about_a_record else None)
        if is_with_data:
            self._lower_to_current(message)
        reaction = of.take_message(message, source_ip, destination_ip, ingress_port, egress_port, now_us)
        if not is_about_a_record:
            return reaction
        finished = self._finished(of, reaction, message.id, data_port, record)
        if message.type == MessageType.REQUEST or record is not None:
            finished = self._marked(finished, data_port)
        extension = extension_of(message)
        if extension is not None and reaction.event is not None and reaction.event.event == EventType.ADMITTED:
            after, _ = of.find(message.id, data_port)
            assert after is not None
            ports = (extension.source_port, extension.destination_port)
            self.enforcement.note(after, ports, ingress_port, record is None, of.records, now_us)
        return finished

    def handle_entry(self, of: SwitchModel, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """No reduce goes below Min, and each message is of the version that its transmission's sender speaks."""
        if entry.type == EntryType.SET_KEY and entry.value < KEYS:
            self.keys[entry.value] = entry.id.content_id
            self.enforcement.key = self.keys[INDEX_KEY]
            return Reaction(None)
        self._divide(of, entry.data_port, now_us)
        if entry.type == EntryType.READ_SLOT:
            record = of.records.get(entry.value)
        elif entry.type == EntryType.READ_PORT:
            record = None
        else:
            record = of.find(entry.id, entry.data_port)[0] if entry.data_port in of.ports else None
            if record is not None and (record.sender_ip, record.receiver_ip) != (entry.sender_ip, entry.receiver_ip):
                record = None
        self._load(record)
        self._now_us = now_us
        if entry.type == EntryType.TAKE_BACK:
            return self._take_back(of, entry, record, now_us)
        if entry.type == EntryType.REDUCE and entry.value:
            entry = replace(entry, value=max(entry.value, self.current.min_kbps))
        reaction = of.take_entry(entry, has_route, now_us)
        if reaction.event is not None and reaction.event.event == EventType.PORT_TOTALS:
            reaction = replace(reaction, event=replace(reaction.event, share_kbps=of.ports[entry.data_port].capacity_kbps))
        if isinstance(reaction.message, Adjustment) and self.current.sequence:
            message = reaction.message
            extension = MessageExtension(sequence=self.current.sequence)
            reaction = replace(reaction, message=ExtendedAdjustment(message.type, message.id, message.speed_kbps, extension=extension))
        if reaction.event is not None and reaction.event.event == EventType.UNANSWERED:
            return replace(reaction, event=_extended(reaction.event, Reserve(), 0))
        if record is None:
            event = reaction.event and _extended(reaction.event, Reserve(), self.reserved_sums_kbps[entry.data_port])
            return replace(reaction, event=event)
        return self._finished(of, reaction, record.id, record.data_port, record)

    def handle_data(
        self, of: SwitchModel, flow: Flow, length: int, ingress_port: int, now_us: int, tcp_flags: int = 0
    ) -> tuple[TrafficClass, bool]:
        """The class of a packet of TCP that came from a host and is routed to ``flow.data_port``, and whether it is dropped."""
        if tcp_flags & TCP_SYN and self.enforcement.takes_opening(ingress_port, length, now_us):
            return TrafficClass.CONTROL, False
        if length <= LONGEST_ANSWER:
            answered = Flow(flow.receiver_ip, flow.sender_ip, flow.destination_port, flow.source_port, ingress_port)
            record = self.enforcement.find(answered, of.records)
            if record is not None and (confirmed_kbps := self.reserves[record.slot].confirmed_kbps):
                return self.enforcement.meter_answer(record, confirmed_kbps, length, now_us), False
        record = self.enforcement.find(flow, of.records)
        if record is None or self.enforcement.slots[record.slot].ingress_port != ingress_port:
            return TrafficClass.OTHERS, False
        if self.reserves[record.slot].confirmed_kbps == 0:
            return TrafficClass.OTHERS, False
        return self.enforcement.meter(record, self.reserves[record.slot].confirmed_kbps, length, now_us)

    def _take_back(self, of: SwitchModel, entry: Entry, record: Record | None, now_us: int) -> Reaction:
        if record is None:
            known = of.find(entry.id, entry.data_port)[0] if entry.data_port in of.ports else None
            problem = EntryProblem.UNKNOWN_ID if known is None else EntryProblem.ADDRESS_MISMATCH
            return Reaction(None, _extended(of.event_about(entry, EventType.UNANSWERED, problem, Port(0)), Reserve(), 0))
        if record.rate_kbps < self.current.reserved_kbps and now_us >= self.enforcement.grace_until_us.get(record.slot, 0):
            self.current.reserved_kbps = record.rate_kbps
        return self._finished(of, Reaction(None), record.id, record.data_port, record)

    # Sources: decisions "tokens", "places by a keyed hash", "sources", "arrivals of a source"

    def token_of(self, source_ip: int) -> int:
        """The token that a source has to show; the switch tells it when the source first asks."""
        return hash_of_words(self.keys[TOKEN_KEY], [source_ip, 0, 0, 0, 0])

    def _check_source(self, of: SwitchModel, message: Message, source_ip: int) -> Message | Reaction:
        """The message without its token, or the reaction to one that is not believed."""
        if message.type in WITH_DATA:
            if isinstance(message, ExtendedMessage):
                token = self.token_of(source_ip)
                if message.extension.token == token:
                    return replace(message, extension=replace(message.extension, token=0))
                if message.type == MessageType.REQUEST:
                    challenge = replace(message, type=MessageType.CHALLENGE, extension=replace(message.extension, token=token))
                    return Reaction(challenge, is_turned_round=True)
        elif message.type not in (MessageType.REDUCE, MessageType.INCREASE):
            return message
        of.errors[ErrorReason.NOT_BELIEVED] += 1
        return Reaction(message, is_dropped=True)

    def _why_not_an_answer(self, of: SwitchModel, data_port: int, record: Record | None) -> ErrorReason:
        if data_port not in of.ports:
            return ErrorReason.NOT_BELIEVED
        return ErrorReason.UNKNOWN_ID if record is None else ErrorReason.ID_COLLISION

    # Answers that come another way

    def _marked(self, reaction: Reaction, data_port: int) -> Reaction:
        """The request takes this switch's mark along, and its success takes it off again."""
        message = reaction.message
        if not isinstance(message, ExtendedNegotiation) or message.type not in (MessageType.REQUEST, MessageType.SUCCESS):
            return reaction
        token = message.extension.token ^ self._record_hash(message.id, data_port) >> 48
        return replace(reaction, message=replace(message, extension=replace(message.extension, token=token)))

    def record_candidates(self, of: SwitchModel, transmission: TransmissionId, data_port: int) -> Sequence[int]:
        """By a keyed hash (decision "places by a keyed hash")."""
        return slots_of(self._record_hash(transmission, data_port), of.variant.way_bits)

    def _record_hash(self, transmission: TransmissionId, data_port: int) -> int:
        content_id = transmission.content_id
        words = [content_id >> 32, content_id & 0xFFFFFFFF, transmission.destination_id, transmission.subflow, data_port]
        return hash_of_words(self.keys[INDEX_KEY], words)

    def group_candidates(self, of: SwitchModel, record: Record) -> Sequence[int]:
        """By a keyed hash of the source (decisions "places by a keyed hash", "sources")."""
        hashed = self._source_hash(record)
        return slots_of(hashed, of.variant.way_bits)

    def _source_hash(self, record: Record) -> int:
        return hash_of_words(self.keys[INDEX_KEY], [record.sender_ip, 0, 0, 0, record.data_port])

    def expected_q8(self, _of: SwitchModel, port: Port, place: Record, now_us: int, rtt_us: int, is_new: bool) -> int:
        """By arrivals of sources (decision "arrivals of a source")."""
        if is_new:
            source = self._source_hash(place) >> 48 & SOURCE_SLOTS - 1
            window = (now_us >> ARRIVAL_WINDOW_BITS) + 1
            is_new = self.source_windows.get(source) != window
            self.source_windows[source] = window
        return port.arrivals.expected_q8(now_us, min(rtt_us, MAX_COUNTED_RTT_US), is_new)

    # Stale messages

    def _is_stale(self, message: Message, record: Record | None, data_port: int) -> bool:
        extension = extension_of(message)
        sequence = extension.sequence if extension else 0
        known = self.reserves[record.slot].sequence if record else 0
        match message.type:
            case MessageType.REQUEST:
                ended = max([one.sequence for one in self.ended.values() if (one.id, one.data_port) == (message.id, data_port)], default=0)
                is_ghost = record is None and ended > 0 and sequence <= ended
                return sequence < known or (extension is not None and sequence == 0) or is_ghost
            case MessageType.TERMINATE:
                return record is not None and sequence < known
            case MessageType.SUCCESS | MessageType.FAILURE:
                return record is not None and sequence != known
        return False

    # Reserves (decision "two-phase grants")

    def _lower_to_current(self, message: Message) -> None:
        extension = extension_of(message)
        if extension is not None and extension.sequence > self.current.sequence:
            self.current.reserved_kbps = min(self.current.reserved_kbps, extension.current_kbps)
            self.current.sequence = extension.sequence

    def request(self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, place: Record, now_us: int) -> Reaction:
        """The free part of an admitted rate is granted (decision "two-phase grants")."""
        reserved_before_kbps = self.reserves[record.slot].reserved_kbps if record else 0
        reaction = of.take_request(message, port, record, place, now_us)
        assert reaction.event is not None
        match reaction.event.event:
            case EventType.REFRESHED if not isinstance(message, ExtendedNegotiation):
                self.current.reserved_kbps = min(self.current.reserved_kbps, message.max_kbps)
            case EventType.REFUSED if reaction.event.rate_kbps:
                assert isinstance(reaction.message, Negotiation)
                return replace(reaction, message=replace(reaction.message, flags=Flags.RENEGOTIATION))
            case EventType.ADMITTED:
                return self._grant(reaction, port, place.data_port, reserved_before_kbps)
        return reaction

    def _grant(self, reaction: Reaction, port: Port, data_port: int, reserved_before_kbps: int) -> Reaction:
        message, event = reaction.message, reaction.event
        assert isinstance(message, Negotiation)
        assert event is not None
        free_kbps = max(0, port.capacity_kbps - (self.reserved_sums_kbps[data_port] - reserved_before_kbps))
        granted_kbps = min(event.rate_kbps, free_kbps)
        if isinstance(message, ExtendedNegotiation):
            granted_kbps = min(granted_kbps, message.extension.granted_kbps)
        if granted_kbps < message.min_kbps:
            granted_kbps = 0
        self.current.min_kbps = message.min_kbps
        self.current.confirmed_kbps = min(self.current.confirmed_kbps, self.current.reserved_kbps)
        self.current.reserved_kbps = max(self.current.reserved_kbps, granted_kbps)
        if isinstance(message, ExtendedNegotiation):
            return replace(reaction, message=message.granting(granted_kbps))
        if granted_kbps == 0:
            return Reaction(replace(message, type=MessageType.FAILURE), event, is_turned_round=True)
        return replace(reaction, message=replace(message, max_kbps=min(message.max_kbps, granted_kbps)))

    def share(
        self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, siblings: Group, expected_q8: int
    ) -> tuple[int, int, AdmittedVerdict]:
        """Algorithms 1 and 2."""
        return of.papers_share(message, port, record, siblings, expected_q8)

    def success(self, of: SwitchModel, message: Negotiation, port: Port, record: Record, now_us: int) -> Reaction:
        """It confirms the reserved rate, and no more."""
        reaction = of.take_success(message, port, record, now_us)
        answer = reaction.message
        if not isinstance(answer, ExtendedNegotiation):
            return reaction
        if Flags.REFRESH in message.flags and message.max_kbps < record.rate_kbps:
            refreshed = replace(record, last_seen_us=now_us)
            lowered = replace(refreshed, rate_kbps=message.max_kbps, is_bottleneck=False)
            reaction = replace(reaction, event=of.change(EventType.REDUCED, 0, port, refreshed, lowered))
        return self.confirmed(of, reaction, answer, record)

    def confirmed(self, of: SwitchModel, reaction: Reaction, answer: ExtendedNegotiation, record: Record) -> Reaction:
        """The reaction with the rate that an answer grants, capacity freed since the request included; this is reserved, and no more."""
        most_kbps = self.current.reserved_kbps
        if Flags.REFRESH not in answer.flags:
            others_kbps = self.reserved_sums_kbps[record.data_port] - self.current.reserved_kbps
            most_kbps = max(most_kbps, of.ports[record.data_port].capacity_kbps - others_kbps)
        granted_kbps = min(answer.extension.granted_kbps, answer.max_kbps, most_kbps)
        if granted_kbps < self.current.min_kbps:
            granted_kbps = 0
        confirmed_kbps = min(self.current.confirmed_kbps, answer.extension.current_kbps)
        self.current.reserved_kbps = self.current.confirmed_kbps = max(granted_kbps, confirmed_kbps)
        return replace(reaction, message=answer.granting(granted_kbps))

    def limits(self, _of: SwitchModel, record: Record, message: Negotiation) -> bool:
        """It has the rate that this port offered it, or granted, or it asked for no more than that."""
        if record.share_kbps <= message.max_kbps:
            return True
        if not isinstance(message, ExtendedNegotiation):
            return self.current.reserved_kbps <= message.max_kbps
        return Flags.AGAIN in message.flags and record.is_bottleneck

    # Refusals (decision "Mins are kept")

    def left_after_refusal(self, message: Negotiation, record: Record | None, share_kbps: int) -> Record | None:
        """The whole record, if the transmission sends."""
        extension = extension_of(message)
        if record is None or extension is None or extension.current_kbps == 0:
            return None
        return replace(record, share_kbps=share_kbps)

    def failure(self, of: SwitchModel, message: Negotiation, port: Port, record: Record) -> Reaction:
        """A renegotiation that is refused leaves the record."""
        extension = extension_of(message)
        if extension is None or extension.current_kbps == 0 or Flags.RENEGOTIATION not in message.flags:
            return of.take_failure(message, port, record)
        self.current.reserved_kbps = min(self.current.reserved_kbps, extension.current_kbps)
        if extension.current_kbps >= record.rate_kbps:
            return Reaction(message)
        lowered = replace(record, rate_kbps=extension.current_kbps, is_bottleneck=False)
        return Reaction(message, of.change(EventType.REDUCED, 0, port, record, lowered))

    # State

    def _load(self, record: Record | None) -> None:
        self.current = replace(self.reserves[record.slot]) if record is not None else Reserve()

    def _finished(
        self, of: SwitchModel, reaction: Reaction, transmission: TransmissionId, data_port: int, before: Record | None
    ) -> Reaction:
        """Writes the reserve back and puts it into the event."""
        after, _ = of.find(transmission, data_port)
        reserved_before_kbps = self.reserves[before.slot].reserved_kbps if before is not None else 0
        if after is None:
            self.current.reserved_kbps = 0
            if before is not None:
                del self.reserves[before.slot]
                self.ended[before.slot] = Ended(transmission, data_port, self.current.sequence)
        else:
            self.ended.pop(after.slot, None)
            self.current.confirmed_kbps = min(self.current.confirmed_kbps, self.current.reserved_kbps)
            before_kbps = before.rate_kbps if before is not None else 0
            if after.rate_kbps < self.current.reserved_kbps and before_kbps >= reserved_before_kbps:
                self.enforcement.grace_until_us[after.slot] = self._now_us + GRACE_US
            self.reserves[after.slot] = self.current
        self.reserved_sums_kbps[data_port] += self.current.reserved_kbps - reserved_before_kbps
        if self.current.reserved_kbps > reserved_before_kbps and self.reserved_sums_kbps[data_port] > of.ports[data_port].capacity_kbps:
            self.overcommitted[data_port] += 1
        if reaction.event is None:
            return reaction
        return replace(reaction, event=_extended(reaction.event, self.current, self.reserved_sums_kbps[data_port]))


def _extended(event: Event, reserve: Reserve, reserved_sum_kbps: int) -> DeployableEvent:
    known = {field.name: getattr(event, field.name) for field in fields(event)}
    return DeployableEvent(
        **known,
        reserved_kbps=reserve.reserved_kbps,
        min_kbps=reserve.min_kbps,
        sequence=reserve.sequence,
        port_reserved_sum_kbps=reserved_sum_kbps,
    )
