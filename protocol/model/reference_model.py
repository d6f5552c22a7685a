"""One Nodectl switch's handling of messages and packet-out entries: the state machine of p4src/ in plain integers.

The differential tests hold the P4 program to this model field by field. It follows docs/protocol/switch.md and is
written to be read beside it; it knows nothing of frames, checksums or MAC addresses. This module has the paper's
rules; the variant (protocol/model/variants) is asked first, and uses those of them that it wants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from protocol.codes import (
    AdmittedVerdict,
    EntryProblem,
    EntryType,
    ErrorReason,
    EventType,
    Flags,
    MessageType,
    RefusedVerdict,
    RemovedVerdict,
)
from protocol.constants import NO_SLOT, ONE_ARRIVAL_Q8
from protocol.headers import Entry, Event, TransmissionId
from protocol.model.allocation import subflow_share_kbps
from protocol.model.port_model import ArrivalEstimator, Group, GroupKey, Port, Record
from protocol.variant import COMPLETE, Decision, Variant
from protocol.wire import Adjustment, Message, Negotiation

if TYPE_CHECKING:
    from protocol.model.variants.deployable import DeployableRules

WITH_DATA: Final = frozenset({MessageType.REQUEST, MessageType.TERMINATE})
"""Messages that go the way of the data, so that the port they leave by is the data port."""


RECORD_ENTRIES: Final = frozenset({EntryType.REDUCE, EntryType.INCREASE, EntryType.EXPIRE})
"""Entries about a record that every variant knows."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """The outcome of a message or an entry.

    `message`: the one that is sent (for an entry None: nothing). `is_turned_round`: it goes back to its sender, as a failure or a
    challenge. `is_dropped`: it goes nowhere.
    """

    message: Message | None
    event: Event | None = None
    is_turned_round: bool = False
    is_dropped: bool = False


class ModelRules(Protocol):
    """The rules by which a variant's switch, `of`, handles messages and entries."""

    @property
    def shares_by_source(self) -> bool:
        """A group is all that one source sends, not one transmission's subflows (decision "sources")."""

    @property
    def reserving(self) -> DeployableRules | None:
        """The switch's reserves, and with them sources, meters and loads; None: its variant knows none."""

    @property
    def most_siblings(self) -> int | None:
        """Records that a group may have besides a new one; None: as many as there are slots."""

    def set_capacity(self, of: SwitchModel, port: int, capacity_kbps: int, least_kbps: int | None) -> None:
        """The table entry with the port's B_z is changed."""

    def handle_message(
        self, of: SwitchModel, message: Message, source_ip: int, destination_ip: int, ingress_port: int, egress_port: int, now_us: int
    ) -> Reaction:
        """A well-formed message that came in by one port and is routed to another."""

    def handle_entry(self, of: SwitchModel, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """One entry of the controller's."""

    def record_candidates(self, of: SwitchModel, transmission: TransmissionId, data_port: int) -> Sequence[int]:
        """The slots that a record may stand in."""

    def group_candidates(self, of: SwitchModel, record: Record) -> Sequence[int]:
        """The slots that a record's group may stand in."""

    def expected_q8(self, of: SwitchModel, port: Port, place: Record, now_us: int, rtt_us: int, is_new: bool) -> int:
        """Q_T for a request with such a record."""

    def request(self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, place: Record, now_us: int) -> Reaction:
        """A request."""

    def share(
        self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, siblings: Group, expected_q8: int
    ) -> tuple[int, int, AdmittedVerdict]:
        """B_c, the share of the transmission with all its subflows, and the case of Algorithm 1. Its group is not in the port's sums."""

    def success(self, of: SwitchModel, message: Negotiation, port: Port, record: Record, now_us: int) -> Reaction:
        """A success."""

    def failure(self, of: SwitchModel, message: Negotiation, port: Port, record: Record) -> Reaction:
        """A failure."""

    def left_after_refusal(self, message: Negotiation, record: Record | None, share_kbps: int) -> Record | None:
        """The record that a refused transmission keeps; None: none."""

    def limits(self, of: SwitchModel, record: Record, success: Negotiation) -> bool:
        """Whether this port keeps a transmission with that success from going faster."""


class SwitchModel:
    """All records and sums of one switch."""

    def __init__(
        self, rules: ModelRules, capacities_kbps: dict[int, int], tolerances_kbps: dict[int, int] | None = None, variant: Variant = COMPLETE
    ) -> None:
        """Ports that are not in `capacities_kbps` take no part. `variant`: as the P4 program was compiled; `rules`: of the variant."""
        self.rules = rules
        self.variant = variant
        tolerances = tolerances_kbps or {}
        least_q8 = ONE_ARRIVAL_Q8 if Decision.Q_T in variant else 1
        self.ports = {
            port: Port(rate, tolerances.get(port, 0), arrivals=ArrivalEstimator(least_q8=least_q8), shares_by_source=rules.shares_by_source)
            for port, rate in capacities_kbps.items()
        }
        self.records: dict[int, Record] = {}
        """Records by slot."""
        self.groups: dict[int, tuple[int, GroupKey]] = {}
        """Data port and key of each group, by slot."""
        self.errors: Counter[ErrorReason] = Counter()

    @property
    def reserving(self) -> DeployableRules | None:
        """The switch's reserves; None: its variant knows none."""
        return self.rules.reserving

    def set_capacity(self, port: int, capacity_kbps: int, least_kbps: int | None = None) -> None:
        """The table entry with the port's B_z is changed: records and sums stay, also if they do not fit any more.

        ``least_kbps``: the measured load is taken off the divided rate, down to this, where the variant does so; None: it is not.
        """
        self.rules.set_capacity(self, port, capacity_kbps, least_kbps)

    # Messages on their way

    def handle_malformed(self, reason: ErrorReason) -> None:
        """A malformed message: counted, forwarded by the caller."""
        self.errors[reason] += 1

    def handle_message(
        self, message: Message, source_ip: int, destination_ip: int, ingress_port: int, egress_port: int, now_us: int
    ) -> Reaction:
        """A well-formed message that came in by one port and is routed to another."""
        return self.rules.handle_message(self, message, source_ip, destination_ip, ingress_port, egress_port, now_us)

    def take_message(
        self, message: Message, source_ip: int, destination_ip: int, ingress_port: int, egress_port: int, now_us: int
    ) -> Reaction:
        """The same as the paper has it (Algorithm 4)."""
        if message.type in WITH_DATA:
            data_port, sender_ip, receiver_ip = egress_port, source_ip, destination_ip
        else:
            data_port, sender_ip, receiver_ip = ingress_port, destination_ip, source_ip
        port = self.ports.get(data_port)
        if port is None:
            return Reaction(message)
        record, free_slot = self.find(message.id, data_port)
        if record is not None and (record.sender_ip, record.receiver_ip) != (sender_ip, receiver_ip):
            self.errors[ErrorReason.ID_COLLISION] += 1
            return Reaction(message)
        if isinstance(message, Negotiation) and message.type == MessageType.REQUEST:
            place = Record(message.id, data_port, sender_ip, receiver_ip, free_slot, 0, False, 0)
            return self.rules.request(self, message, port, record, place, now_us)
        if record is None:
            self.errors[ErrorReason.UNKNOWN_ID] += 1
            return Reaction(message)
        if isinstance(message, Negotiation):
            if message.type == MessageType.SUCCESS:
                return self.rules.success(self, message, port, record, now_us)
            return self.rules.failure(self, message, port, record)
        if message.type == MessageType.TERMINATE:
            return Reaction(message, self._remove(port, record, RemovedVerdict.TERMINATE))
        if message.type == MessageType.REDUCE and message.speed_kbps < record.rate_kbps and Decision.PASSING_REDUCE_LOWERS in self.variant:
            reduced = replace(record, rate_kbps=message.speed_kbps, is_bottleneck=False)
            return Reaction(message, self.change(EventType.REDUCED, 0, port, record, reduced))
        return Reaction(message)

    def find(self, transmission: TransmissionId, data_port: int) -> tuple[Record | None, int]:
        """The record, and the first free slot (NO_SLOT: none)."""
        free_slot = NO_SLOT
        for slot in self.rules.record_candidates(self, transmission, data_port):
            record = self.records.get(slot)
            if record is None:
                free_slot = slot if free_slot == NO_SLOT else free_slot
            elif record.id == transmission and record.data_port == data_port:
                return record, free_slot
        return None, free_slot

    def _group_slot(self, port: Port, record: Record) -> int:
        """The slot of the record's group, or the first free one for it (NO_SLOT: none)."""
        free_slot = NO_SLOT
        for slot in self.rules.group_candidates(self, record):
            group = self.groups.get(slot)
            if group is None:
                free_slot = slot if free_slot == NO_SLOT else free_slot
            elif group == (record.data_port, port.key_of(record)):
                return slot
        return free_slot

    def take_request(self, message: Negotiation, port: Port, record: Record | None, place: Record, now_us: int) -> Reaction:
        """A request (lines 3 to 12)."""
        if Flags.REFRESH in message.flags:
            if record is not None:
                refreshed = replace(record, last_seen_us=now_us)
                if message.max_kbps < record.rate_kbps:
                    refreshed = replace(refreshed, rate_kbps=message.max_kbps, is_bottleneck=False)
                return Reaction(message, self.change(EventType.REFRESHED, 0, port, record, refreshed))
            message = replace(message, flags=Flags.RENEGOTIATION)

        if record is not None:
            port.add(record, -1)
        siblings = port.groups.get(port.key_of(place), Group())
        is_new = record is None and siblings.count == 0 and Flags.RENEGOTIATION not in message.flags
        expected_q8 = self.rules.expected_q8(self, port, place, now_us, message.rtt_us, is_new)
        if Decision.V_Q not in self.variant:
            expected_q8 = ONE_ARRIVAL_Q8
        port.count_group(siblings, -1)
        share_kbps, transmission_share_kbps, verdict = self.rules.share(self, message, port, record, siblings, expected_q8)
        port.count_group(siblings, 1)
        if record is not None:
            port.add(record)

        refusal = None
        if share_kbps < max(message.min_kbps, 1):
            refusal = RefusedVerdict.BELOW_MIN
        elif record is None and (place.slot == NO_SLOT or self._group_slot(port, place) == NO_SLOT):
            refusal = RefusedVerdict.STORE_FULL
            self.errors[ErrorReason.STORE_FULL] += 1
        elif record is None and siblings.count >= (self.rules.most_siblings or self.variant.slots):
            refusal = RefusedVerdict.QUOTA
        if refusal is not None:
            left = self.rules.left_after_refusal(message, record, share_kbps)
            event = self.change(EventType.REFUSED, refusal, port, record or replace(place, slot=NO_SLOT), left)
            event = replace(event, share_kbps=share_kbps, transmission_share_kbps=transmission_share_kbps, expected_arrivals_q8=expected_q8)
            return Reaction(replace(message, type=MessageType.FAILURE), event, is_turned_round=True)

        max_kbps = min(message.max_kbps, share_kbps)
        rate_kbps = max_kbps if Decision.NO_MORE_THAN_ASKED in self.variant else share_kbps
        admitted = replace(record or place, rate_kbps=rate_kbps, share_kbps=share_kbps, last_seen_us=now_us)
        event = self.change(EventType.ADMITTED, verdict, port, record or place, admitted)
        event = replace(event, transmission_share_kbps=transmission_share_kbps, expected_arrivals_q8=expected_q8)
        return Reaction(replace(message, max_kbps=max_kbps), event)

    def papers_share(
        self, message: Negotiation, port: Port, record: Record | None, siblings: Group, expected_q8: int
    ) -> tuple[int, int, AdmittedVerdict]:
        """By Algorithms 1 and 2."""
        free_kbps = port.free_kbps
        transmission_share_kbps, verdict = port.share(expected_q8)
        share_kbps = transmission_share_kbps
        if siblings.count:
            present_kbps = min(siblings.sum_kbps + (record.rate_kbps if record is not None else 0), free_kbps)
            if present_kbps > transmission_share_kbps:
                transmission_share_kbps, verdict = present_kbps, AdmittedVerdict.SHARE
            share_kbps = subflow_share_kbps(transmission_share_kbps, siblings.sum_kbps, siblings.count)
        fits = message.max_kbps < share_kbps and message.max_kbps + siblings.sum_kbps <= free_kbps
        if Decision.NO_MORE_THAN_ASKED in self.variant and fits:
            verdict = AdmittedVerdict.SHARE
        return share_kbps, transmission_share_kbps, verdict

    def take_success(self, message: Negotiation, port: Port, record: Record, now_us: int) -> Reaction:
        """A success (lines 20 to 25)."""
        rate_kbps = min(record.rate_kbps, message.max_kbps)
        answer = replace(message, max_kbps=rate_kbps)
        if Flags.REFRESH in message.flags:
            # A renegotiation may have overtaken the refresh: only that decides about the record.
            self.records[record.slot] = replace(record, last_seen_us=now_us)
            return Reaction(answer)
        is_bottleneck = self.rules.limits(self, record, message)
        kept_kbps = rate_kbps if Decision.SUCCESS_LOWERS in self.variant else record.rate_kbps
        confirmed = replace(record, rate_kbps=kept_kbps, is_bottleneck=is_bottleneck, last_seen_us=now_us)
        return Reaction(answer, self.change(EventType.CONFIRMED, 0, port, record, confirmed))

    def take_failure(self, message: Negotiation, port: Port, record: Record) -> Reaction:
        """A failure (decision "a failure removes the record")."""
        return Reaction(message, self._remove(port, record, RemovedVerdict.FAILURE))

    def _remove(self, port: Port, record: Record, why: RemovedVerdict) -> Event:
        return self.change(EventType.REMOVED, why, port, record, None)

    # Packet-out entries

    def handle_entry(self, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """One entry of the controller's; `has_route`: the forwarding table knows `entry.sender_ip`."""
        return self.rules.handle_entry(self, entry, has_route, now_us)

    def take_entry(self, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """The same for entries that every variant knows."""
        if entry.type == EntryType.READ_SLOT:
            return self._read_slot(entry)
        port = self.ports.get(entry.data_port)
        if entry.type == EntryType.READ_PORT:
            if port is None:
                return self._unanswered(entry, EntryProblem.BAD_ENTRY)
            return Reaction(None, self.event_about(entry, EventType.PORT_TOTALS, 0, port))
        if entry.type not in RECORD_ENTRIES or (entry.type != EntryType.EXPIRE and entry.value == 0):
            return self._unanswered(entry, EntryProblem.BAD_ENTRY)
        record = self.find(entry.id, entry.data_port)[0] if port is not None else None
        if record is None or port is None:
            return self._unanswered(entry, EntryProblem.UNKNOWN_ID)
        if (record.sender_ip, record.receiver_ip) != (entry.sender_ip, entry.receiver_ip):
            return self._unanswered(entry, EntryProblem.ADDRESS_MISMATCH)
        if entry.type == EntryType.EXPIRE:
            if now_us - record.last_seen_us >= entry.value:
                return Reaction(None, self._remove(port, record, RemovedVerdict.EXPIRED))
            return Reaction(None, self.change(EventType.REFRESHED, 0, port, record, record))
        if not has_route:
            return self._unanswered(entry, EntryProblem.NO_ROUTE)
        if entry.type == EntryType.INCREASE:
            return Reaction(Adjustment(MessageType.INCREASE, entry.id, entry.value))
        if entry.value < record.rate_kbps:
            reduced = replace(record, rate_kbps=entry.value, share_kbps=entry.value, is_bottleneck=True)
            self.change(EventType.REDUCED, 0, port, record, reduced)
        return Reaction(Adjustment(MessageType.REDUCE, entry.id, min(entry.value, record.rate_kbps)))

    def _read_slot(self, entry: Entry) -> Reaction:
        if entry.value >= self.variant.slots:
            return self._unanswered(entry, EntryProblem.BAD_ENTRY)
        record = self.records.get(entry.value)
        if record is None:
            return Reaction(None)
        return Reaction(None, self.change(EventType.RECORD, 0, self.ports[record.data_port], record, record))

    def _unanswered(self, entry: Entry, problem: EntryProblem) -> Reaction:
        return Reaction(None, self.event_about(entry, EventType.UNANSWERED, problem, Port(0)))

    @staticmethod
    def event_about(entry: Entry, event: EventType, verdict: int, port: Port) -> Event:
        """An event without a record."""
        nobody = Record(entry.id, entry.data_port, entry.sender_ip, entry.receiver_ip, NO_SLOT, 0, False, 0)
        return _event(event, verdict, port, nobody, 0, 0)

    # State

    def change(self, kind: EventType, verdict: int, port: Port, before: Record, after: Record | None) -> Event:
        """Replaces `before` (rate 0: there was none) by `after` (None: none) in the store and the sums."""
        group_slot = self._group_slot(port, before)
        if before.rate_kbps:
            port.add(before, -1)
            del self.records[before.slot]
        if after is not None:
            self.groups[group_slot] = (before.data_port, port.key_of(before))
        elif port.key_of(before) not in port.groups:
            self.groups.pop(group_slot, None)
        if after is None:
            gone = replace(before, is_bottleneck=False)
            return _event(kind, verdict, port, gone, 0, before.rate_kbps)
        port.add(after)
        self.records[after.slot] = after
        return _event(kind, verdict, port, after, after.rate_kbps, before.rate_kbps)


def _event(kind: EventType, verdict: int, port: Port, record: Record, rate_kbps: int, previous_rate_kbps: int) -> Event:
    return Event(
        event=kind,
        verdict=int(verdict),
        data_port=record.data_port,
        rate_kbps=rate_kbps,
        previous_rate_kbps=previous_rate_kbps,
        port_sum_kbps=port.sum_kbps,
        port_count=port.count,
        bottleneck_sum_kbps=port.bottleneck_sum_kbps,
        bottleneck_count=port.bottleneck_count,
        expected_arrivals_q8=0,
        slot=record.slot,
        is_bottleneck=record.is_bottleneck,
        id=record.id,
        sender_ip=record.sender_ip,
        receiver_ip=record.receiver_ip,
        last_seen_us=record.last_seen_us,
        share_kbps=record.share_kbps,
    )
