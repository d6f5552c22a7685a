"""The controller's knowledge of one switch, whatever its variant: its ports and records, and the entries and words that wait.

There is no I/O and no clock in here: the time comes with every call. Entries to send wait in `outbox`, log lines in `journal`, and messages
to other programs in `announcements`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from common.units import US_PER_S
from controller import narrate
from controller.decisions import Changes
from controller.names import NameBook, rate_text
from controller.outbox import Outbox
from controller.reconcile import Reconciler
from controller.records import PortRecords, Record
from controller.takeover import TakeOver
from protocol.codes import EntryProblem, EventType, RefusedVerdict
from protocol.headers import Event, TransmissionId
from protocol.variant import Variant
from protocol.wire import Negotiation
from scenario.network_description import PortDescription


@dataclass(frozen=True)
class SwitchOptions:
    """The facts about a switch that are given before any of its records is known.

    Attributes:
        name: in log lines.
        ports: those that take part.
        names: of hosts and transmissions, in log lines.
        variant: of its program.
        slots: how many records it has places for.
        new_key: gives the secrets that a switch may need (decisions "tokens", "places by a keyed hash").
    """

    name: str
    ports: Iterable[PortDescription]
    names: NameBook
    variant: Variant
    slots: int
    new_key: Callable[[], int]


class Bookkeeping(Protocol):
    """A variant's way to keep a switch's ports and records."""

    @property
    def reads_with_each_batch(self) -> bool:
        """Whether a batch of adjustments ends with a question for the port's totals."""

    def new_port(self, port: PortDescription) -> PortRecords:
        """A described port, without records yet."""

    def undescribed_port(self, number: int) -> PortRecords:
        """A port that is not described any more: it is only watched till it is empty."""

    def new_keys(self) -> list[int]:
        """The secrets that a switch without records is given."""

    def note(self, record: Record, event: Event) -> None:
        """Take over what events of this variant say of a record besides."""


class KnownSwitch:
    """The ports and records of one switch."""

    def __init__(self, options: SwitchOptions, bookkeeping: Bookkeeping, reconciler: type[Reconciler] = Reconciler) -> None:
        self.name = options.name
        self.names = options.names
        self._bookkeeping = bookkeeping
        self.ports = {port.port: bookkeeping.new_port(port) for port in options.ports}
        self.outbox = Outbox(reads_with_each_batch=bookkeeping.reads_with_each_batch)
        self.journal: list[tuple[int, str]] = []
        self.announcements: list[dict[str, Any]] = []
        self.reconciler = reconciler(self.ports, lambda text: self.say(logging.INFO, text), options.slots)
        self.take_over: TakeOver | None = None
        self._clock_offset_s: float | None = None

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """The switch is connected and configured. ``is_empty``: it has no records (its pipeline was just loaded).

        Records known from before get a full time-out again: their refreshes may have passed unseen.
        """
        self.outbox.clear()
        self._clock_offset_s = None
        for port in self.ports.values():
            if is_empty:
                port.clear()
            for record in port:
                record.last_heard_s = now_s
                record.expiring_since_s = None
                record.reducing_to_kbps = 0
        managed = [port.port for port in self.ports.values() if port.capacity_kbps]
        self.take_over = None if is_empty or not managed else TakeOver(self.name, managed, now_s)
        if is_empty and (keys := self._bookkeeping.new_keys()):
            self.outbox.set_keys(keys)
        self.reconciler.start()
        self.reconciler.tick(self.outbox, now_s)

    # Events that mean the same in every variant

    def refused(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """A request was refused; its record goes, unless the event says that it has a rate still."""
        port = self.port_of(event)
        who = self.names.transmission(event.sender_ip, event.receiver_ip, event.id.subflow)
        why = narrate.refused_words(event.verdict)
        if message is not None and event.verdict == RefusedVerdict.BELOW_MIN:
            why += f" of {rate_text(message.min_kbps)} Mbit/s"
        offered = f" at {rate_text(event.share_kbps)} Mbit/s" if event.share_kbps else ""
        self.say(logging.INFO, f"port {port.port}: {who} refused{offered}: {why}")
        if event.rate_kbps:
            self.heard(port, event, now_s)  # it goes on with its rate (decision "Mins are kept")
        else:
            self.forget(port, event)

    def removed(self, event: Event) -> None:
        """A record went."""
        port = self.port_of(event)
        who = self.names.transmission(event.sender_ip, event.receiver_ip, event.id.subflow)
        how = narrate.removed_words(event.verdict)
        freed = rate_text(event.previous_rate_kbps)
        self.say(logging.INFO, f"port {port.port}: {who} {how}, {freed} Mbit/s free again")
        self.forget(port, event)

    def record_read(self, event: Event, now_s: float) -> None:
        """The answer to a question for a slot."""
        port = self.port_of(event)
        is_new = event.id not in port.records
        record = self.known(port, event, now_s)
        if is_new:
            record.last_heard_s = self.time_of(event, now_s)
            record.lowered_at_s = now_s

    def unanswered(self, event: Event) -> None:
        """An entry could not be carried out."""
        port = self.ports.get(event.data_port)
        record = port.records.get(event.id) if port is not None else None
        if port is None or record is None:
            return
        who = narrate.name_of(record, self.names)
        why = narrate.problem_words(event.verdict)
        self.say(logging.WARNING, f"port {port.port}: could not adjust {who}: {why}")
        if event.verdict in (EntryProblem.UNKNOWN_ID, EntryProblem.ADDRESS_MISMATCH):
            port.remove(event.id)
            self.outbox.forget(record)
        record.reduce_tries = 0
        self.reconciler.suspect(port.port)

    # Records

    def port_of(self, event: Event) -> PortRecords:
        """The event's port."""
        port = self.ports.get(event.data_port)
        if port is None:
            port = self.ports[event.data_port] = self._bookkeeping.undescribed_port(event.data_port)
        return port

    def known(self, port: PortRecords, event: Event, now_s: float) -> Record:
        """The event's record with the rate and flag that it has after the event and after reduces under way."""
        record = port.adopt(event, now_s)
        record.seen_in_walk = self.reconciler.walk_number
        self._bookkeeping.note(record, event)
        known_kbps = record.rate_kbps
        before_kbps = event.rate_kbps if event.event is EventType.RECORD else event.previous_rate_kbps
        reduce_is_under_way = 0 < record.reducing_to_kbps < before_kbps
        if reduce_is_under_way and event.rate_kbps > record.reducing_to_kbps:
            record.rate_kbps = record.reducing_to_kbps
            record.is_bottleneck = True
        else:
            record.rate_kbps = event.rate_kbps
            record.is_bottleneck = event.is_bottleneck
            if not reduce_is_under_way:
                record.reducing_to_kbps = 0
        if record.rate_kbps < known_kbps:
            record.lowered_at_s = now_s
        return record

    def heard(self, port: PortRecords, event: Event, now_s: float) -> Record:
        """The same for an event that shows that the transmission lives."""
        record = self.known(port, event, now_s)
        record.last_heard_s = now_s
        record.expiring_since_s = None
        return record

    def forget(self, port: PortRecords, event: Event) -> None:
        """The event's record has gone, and freed what it had."""
        record = port.remove(event.id)
        if record is not None:
            self.outbox.forget(record)
        if event.previous_rate_kbps:
            port.capacity_freed = True

    def records_of(self, transmission: TransmissionId) -> list[Record]:
        """Its records, by port."""
        return [record for port in self.ports.values() if (record := port.records.get(transmission)) is not None]

    # The switch's clock

    def note_clock(self, event: Event, now_s: float) -> None:
        """The event's record was seen just now by the switch's clock."""
        offset_s = now_s - event.last_seen_us / US_PER_S
        self._clock_offset_s = offset_s if self._clock_offset_s is None else min(self._clock_offset_s, offset_s)

    def time_of(self, event: Event, now_s: float) -> float:
        """When the switch last saw the record, in the controller's clock; now if the clocks were never compared."""
        if self._clock_offset_s is None:
            return now_s
        return min(now_s, event.last_seen_us / US_PER_S + self._clock_offset_s)

    # Words

    def say(self, level: int, text: str) -> None:
        """A sentence for the log, at a log level."""
        self.journal.append((level, f"{self.name} {text}"))

    def tell_admission(self, port: PortRecords, record: Record, previous_kbps: int, is_new: bool, changes: Changes) -> None:
        """Log an admission with its rate, and the reduces for it."""
        who = narrate.name_of(record, self.names)
        rate = rate_text(record.rate_kbps)
        text = f"admitted at {rate} Mbit/s" if is_new else f"renegotiated {rate_text(previous_kbps)} → {rate} Mbit/s"
        reduced = narrate.changes(changes.reduce, "reduced", self.names)
        self.say(logging.INFO, f"port {port.port}: {who} {text}{', ' if reduced else ''}{reduced}")
