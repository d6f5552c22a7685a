"""The records of one port as the controller sees them: the transmissions through it, and their rates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from protocol.codes import EntryType
from protocol.headers import Entry, Event
from protocol.packet_out import encode_entries
from protocol.wire import TransmissionId


@dataclass(slots=True, eq=False)
class Record:
    """One transmission on one port. Rates are kbit/s, times seconds of the controller's clock."""

    id: TransmissionId
    data_port: int
    sender_ip: int
    receiver_ip: int
    slot: int
    rate_kbps: int
    """The rate the data plane's record has, or will have once the reduces already sent have reached it."""
    is_bottleneck: bool
    """This port set the transmission's rate (ctl_flag)."""
    last_heard_s: float
    rtt_s: float = 0.0
    asked_kbps: int = 0
    """Max of the sender's latest request; 0 if not known."""
    negotiating_since_s: float | None = None
    """A request went on to the receiver then, and its success has not come back yet."""
    limited_by_offer: bool = False
    """Its rate is what the controller once offered, though the port had more by the time the sender asked."""
    offer_kbps: int = 0
    """Speed of the increase the sender has not answered yet; 0 if there is none."""
    offers_kbps: tuple[int, ...] = ()
    """Speeds of the latest increases, the latest one last: an answer may come when there has been another offer already."""
    offered_at_s: float = 0.0
    offer_tries: int = 0
    reducing_to_kbps: int = 0
    """Speed of a reduce that may not have reached the data plane yet; 0 if there is none."""
    reduced_at_s: float = 0.0
    reduce_tries: int = 0
    """Times the latest reduce was sent; 0 once the sender showed that it knows its rate."""
    expiring_since_s: float | None = None
    min_kbps: int = 0
    """Min of its requests, where the pipeline tells it (decision "Mins are kept"): it is reduced no further."""
    reserved_kbps: int = 0
    """The most that its sender may be sending, where the pipeline tells it (decision "two-phase grants")."""
    lowered_at_s: float = float("-inf")
    """When its rate last became less."""
    seen_in_walk: int = 0
    wire: bytes = b""
    """The middle of its packet-out entries: all between type and value."""

    @property
    def wants_more(self) -> bool:
        """Whether this port is what keeps the transmission from going faster, or may turn out to be while its success is awaited."""
        return self.is_bottleneck or self.limited_by_offer or (self.negotiating_since_s is not None and self.asked_kbps > self.rate_kbps)


Group = list[Record]
"""The subflows of one transmission on one port: they share one share."""


def group_kbps(group: Group) -> int:
    """The sum of the subflows' rates."""
    return group[0].rate_kbps if len(group) == 1 else sum([record.rate_kbps for record in group])


WORTHWHILE_CHANGE = 32
"""Of a port's capacity beside others' load: TCP's own ups and downs are not worth a message to everybody."""

TYPE_BYTES = 2
VALUE_BYTES = 4


def entry_middle(record: Record) -> bytes:
    """The bytes of any entry about the record, without the type in front and the value at the end."""
    entry = Entry(EntryType.REDUCE, record.data_port, record.id, record.sender_ip, record.receiver_ip, 0)
    return encode_entries([entry])[TYPE_BYTES:-VALUE_BYTES]


@dataclass(slots=True)
class PortTotals:
    """Sums over the transmissions of a port, kbit/s and counts: Q_z, Q_ctl, B_ctl and the sum from which B_v is worked out."""

    sum_kbps: int
    count: int
    bottleneck_sum_kbps: int
    bottleneck_count: int


@dataclass(slots=True)
class Load:
    """The load of others on a port, which lowers its capacity (decision "the measured load")."""

    link_kbps: int
    """The link's rate."""
    least_kbps: int
    """The least rate that is divided."""
    read_at_s: float = float("-inf")

    def is_another(self, before_kbps: int, now_kbps: int) -> bool:
        """Whether the divided rate has changed by so much that rates follow at once; a smaller change is left to the next requests."""
        is_at_an_end = now_kbps in (self.least_kbps, self.link_kbps) and now_kbps != before_kbps
        return is_at_an_end or abs(now_kbps - before_kbps) > self.link_kbps // WORTHWHILE_CHANGE

    def change_link(self, divided_kbps: int, link_kbps: int) -> int:
        """Change the link's rate; returns the part of it that is divided until the switch tells one."""
        self.least_kbps = max(1, self.least_kbps * link_kbps // self.link_kbps)
        divided_kbps = max(self.least_kbps, divided_kbps + link_kbps - self.link_kbps)
        self.link_kbps = link_kbps
        return divided_kbps


@dataclass(slots=True)
class PortRecords:
    """A port with rate control: its capacity and its records."""

    port: int
    capacity_kbps: int
    """The rate that is divided: the whole link's, or the part that others leave (decision "the measured load")."""
    tolerance_kbps: int
    peer: str = ""
    records: dict[TransmissionId, Record] = field(default_factory=dict)
    """To be changed by `adopt`, `remove`, `keep_only` and `clear` alone."""
    _groups: dict[tuple[int, int], Group] = field(default_factory=dict)
    shares_by_source: bool = False
    """A group is all that one source sends, not one transmission's subflows (decision "sources")."""
    load: Load | None = None
    """Of others; None: it is not looked at."""
    capacity_freed: bool = False
    """Capacity became free and has not been handed out yet."""
    unsettled: bool = False
    """Somebody could not be offered a share because an earlier offer or a negotiation is still open."""
    taken_back: bool = False
    """Something was, and not all who wait for it have been told to ask (decision "enforcement")."""
    idle_pass_at_s: float = float("inf")
    """When to hand out what was kept back for transmissions that did not come."""
    idle_wait_s: float = 0.0

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records.values())

    @property
    def groups(self) -> Collection[Group]:
        """The transmissions, each as the list of its subflows' records on this port."""
        return self._groups.values()

    def siblings(self, transmission: TransmissionId) -> Group:
        """The records of the transmission's other subflows; the transmission's own is known."""
        return [record for record in self._groups[self._key_of(self.records[transmission])] if record.id != transmission]

    def _key_of(self, record: Record) -> tuple[int, int]:
        return (record.sender_ip, 0) if self.shares_by_source else (record.id.content_id, record.id.destination_id)

    def totals(self, counts: Callable[[Record], bool] | None = None) -> PortTotals:
        """The sums over the transmissions, worked out afresh: O(records). ``counts``: which records; all unless it is given."""
        groups = self.groups if counts is None else [kept for group in self.groups if (kept := [*filter(counts, group)])]
        bottlenecks = [group_kbps(group) for group in groups if any(record.is_bottleneck for record in group)]
        return PortTotals(
            sum_kbps=sum(map(group_kbps, groups)),
            count=len(groups),
            bottleneck_sum_kbps=sum(bottlenecks),
            bottleneck_count=len(bottlenecks),
        )

    def free_kbps(self) -> int:
        """Free capacity B_v in kbit/s, never below 0."""
        return max(0, self.capacity_kbps - sum([record.rate_kbps for record in self]))

    def remove(self, transmission: TransmissionId) -> Record | None:
        """Forget a record; None if it is not known."""
        record = self.records.pop(transmission, None)
        if record is not None:
            key = self._key_of(record)
            group = self._groups[key]
            group.remove(record)
            if not group:
                del self._groups[key]
        return record

    def keep_only(self, stays: Callable[[Record], bool]) -> None:
        """Forget the records that do not stay."""
        for record in [record for record in self if not stays(record)]:
            self.remove(record.id)

    def clear(self) -> None:
        """Forget all records."""
        self.records.clear()
        self._groups.clear()

    def adopt(self, event: Event, now_s: float) -> Record:
        """The record an event is about, made if it is not known; rate and flag are not touched if it is."""
        record = self.records.get(event.id)
        if record is not None and (record.sender_ip, record.receiver_ip) == (event.sender_ip, event.receiver_ip):
            record.slot = event.slot
            return record
        record = Record(
            id=event.id,
            data_port=self.port,
            sender_ip=event.sender_ip,
            receiver_ip=event.receiver_ip,
            slot=event.slot,
            rate_kbps=event.rate_kbps,
            is_bottleneck=event.is_bottleneck,
            last_heard_s=now_s,
        )
        record.wire = entry_middle(record)
        self.remove(event.id)
        self.records[event.id] = record
        self._groups.setdefault(self._key_of(record), []).append(record)
        return record
