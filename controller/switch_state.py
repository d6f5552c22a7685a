"""One switch as the controller knows it: events in, packet-out entries and log lines out.

No I/O and no clock in here: the time comes with every call, what is to be sent waits in `outbox`, what is to be said
in `journal`, what other programs are to be told in `announcements`. The same calls in the same order give the same
entries in the same order.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from controller import narrate, timing
from controller.decisions import Changes, changes_after_admission, changes_after_departure, changes_to_fit, is_worth_it, keep_minimum
from controller.minimum import changes_to_fit_above_minimum, without_room
from controller.names import NameBook, rate_text
from controller.offers import close_offer, is_busy, make_offers
from controller.outbox import Batch, Outbox
from controller.reconcile import Reconciler
from controller.records import Load, PortRecords, Record
from controller.takeover import TakeOver
from protocol.codes import EntryProblem, EventType, RefusedVerdict
from protocol.constants import FRACTION_BITS, RECORD_TIMEOUT_S, SLOTS
from protocol.deployable_headers import KEYS, MAX_COUNTED_RTT_US, DeployableEvent
from protocol.headers import Event, TransmissionId
from protocol.units import US_PER_S
from protocol.variant import COMPLETE, Decision, Variant, VariantName
from protocol.wire import Flags, Negotiation
from scenario.network_description import PortDescription

KEY_BITS = 64

NO_OTHERS_EXPECTED_Q8 = 1 << FRACTION_BITS
"""Q_T of a newcomer that the pipeline expects no others beside, with its fraction bits."""


class SwitchState:
    """The ports and records of one switch, and what to do about each event."""

    def __init__(
        self,
        name: str,
        ports: Iterable[PortDescription],
        names: NameBook,
        *,
        variant: Variant = COMPLETE,
        slots: int = SLOTS,
        new_key: Callable[[], int] = lambda: secrets.randbits(KEY_BITS),
    ) -> None:
        """``variant``: whether freed capacity is handed out at once (D3), and too much called back (D4), and what goes past the paper.

        ``slots``: how many records the switch has places for.

        ``new_key``: gives the secrets that a switch needs for that (D22, D23).
        """
        self.name = name
        self._is_deployable = variant.basis is not VariantName.PAPER
        self.ports = {port.port: self._described(port) for port in ports}
        self._new_key = new_key
        self.outbox = Outbox(reads_with_each_batch=variant.basis is not VariantName.PAPER)
        self.journal: list[tuple[int, str]] = []
        self.announcements: list[dict[str, Any]] = []
        self.reconciler = Reconciler(self.ports, lambda text: self._say(logging.INFO, text), slots)
        self._names = names
        self._hands_out = Decision.D3 in variant
        self._calls_back = Decision.D4 in variant
        self._clock_offset_s: float | None = None
        self._take_over: TakeOver | None = None

    def _described(self, port: PortDescription) -> PortRecords:
        """A port without records yet."""
        described = PortRecords(port.port, port.capacity_kbps, port.tolerance_kbps, port.peer, shares_by_source=self._is_deployable)
        if self._is_deployable and port.least_kbps is not None:
            described.load = Load(port.capacity_kbps, port.least_kbps)
        return described

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
        self._take_over = None if is_empty or not managed else TakeOver(self.name, managed, now_s)
        if is_empty and self._is_deployable:
            self.outbox.set_keys([self._new_key() for _ in range(KEYS)])
        self.reconciler.start()
        self.reconciler.tick(self.outbox, now_s)

    def set_capacity(self, port_number: int, capacity_kbps: int, now_s: float) -> tuple[int, int]:
        """The link behind a port has another rate now, and the switch's table entry says so already (D17).

        Lower: who has more than the level at which all fit is reduced to it. Higher: what is free is offered, as after a departure (D3).

        Returns:
            How many records are reduced, and how many are offered more.
        """
        port = self.ports[port_number]
        if port.load is not None:
            capacity_kbps = port.load.change_link(port.capacity_kbps, capacity_kbps)
        text = f"port {port.port}: capacity {rate_text(port.capacity_kbps)} → {rate_text(capacity_kbps)} Mbit/s"
        port.capacity_kbps = capacity_kbps
        changes = self._changes_to_fit(port)
        reduced = narrate.changes(changes.reduce, "reduced", self._names)
        self._say(logging.INFO, f"{text}{', ' if reduced else ''}{reduced}")
        self._reduce_all(changes, now_s)
        # Requests that the switch answered by the old capacity may still be on their way here: their sum is looked at after them.
        self.outbox.read_port(port_number)
        return len(changes.reduce), self._settle(port, now_s) if self._hands_out else 0

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """An event came; ``message`` is the negotiation message that caused it, if one did."""
        match event.event:
            case EventType.ADMITTED:
                self._admitted(event, message, now_s)
            case EventType.REFUSED:
                self._refused(event, message, now_s)
            case EventType.CONFIRMED:
                self._confirmed(event, now_s)
            case EventType.REDUCED:
                self._reduced_by_another(event, now_s)
            case EventType.REMOVED:
                self._removed(event)
            case EventType.REFRESHED:
                self._refreshed(event, message, now_s)
            case EventType.RECORD:
                self._record_read(event, now_s)
            case EventType.PORT_TOTALS:
                self._totals_read(event, now_s)
            case EventType.UNANSWERED:
                self._unanswered(event)
        if self._hands_out:
            port = self.ports.get(event.data_port)
            if port is not None and port.capacity_freed:
                self._settle(port, now_s)

    def tick(self, now_s: float) -> None:
        """Housekeeping, to be called every `timing.TICK_S`."""
        for port in self.ports.values():
            for record in port:
                self._look_after(port, record, now_s)
            if port.taken_back:
                waiting = {record: record.rate_kbps for record in port if record.reserved_kbps < record.rate_kbps}
                _, port.taken_back = make_offers(waiting, self.outbox, now_s)
            if port.load is not None:
                self._look_at_load(port, port.load, now_s)
            if self._hands_out:
                self._hand_out_what_is_left(port, now_s)
        self.reconciler.tick(self.outbox, now_s)

    @property
    def knows_all_records(self) -> bool:
        """Whether the records of the switch have been read since the controller came to it."""
        return self._take_over is None

    def records_of(self, transmission: TransmissionId) -> list[Record]:
        """Its records, by port."""
        return [record for port in self.ports.values() if (record := port.records.get(transmission)) is not None]

    def keeping_too_much(self, now_s: float) -> list[Record]:
        """Records whose senders were told to give something up, and have not said in time that they have (D26)."""
        return [
            record
            for port in self.ports.values()
            for record in port
            if record.rate_kbps < record.reserved_kbps and now_s - record.lowered_at_s >= timing.take_back_s(record.rtt_s)
        ]

    def reduce_again(self, record: Record, now_s: float) -> None:
        """Tell the record's sender once more, if it was not told lately."""
        if now_s - record.reduced_at_s >= timing.REDUCE_ACK_S:
            record.reduced_at_s = now_s
            self.outbox.reduce(record, record.rate_kbps)

    def take_back(self, record: Record) -> None:
        """What the record was reduced to is all that it has from now on; who waits for the rest is told to ask for it."""
        kept = rate_text(record.reserved_kbps - record.rate_kbps)
        record.reserved_kbps = record.rate_kbps
        self.outbox.take_back(record)
        self._say(
            logging.WARNING, f"port {record.data_port}: {narrate.name_of(record, self._names)} does not obey: {kept} Mbit/s taken back"
        )
        self.ports[record.data_port].taken_back = True

    def take_batches(self, now_s: float) -> list[Batch]:
        """What is to be sent now, in order. The caller must send it or call `connected` again."""
        batches, ports = self.outbox.take()
        self.reconciler.reads_sent(ports, now_s)
        return batches

    def take_announcements(self) -> list[dict[str, Any]]:
        """What other programs are to be told of all that happened since the last call."""
        told, self.announcements = self.announcements, []
        return told

    def take_journal(self) -> list[tuple[int, str]]:
        """(log level, sentence) of all that happened since the last call."""
        lines, self.journal = self.journal, []
        return lines

    # Events

    def _admitted(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        port = self._port(event)
        record = self._heard(port, event, now_s)
        self._note_clock(event, now_s)
        previous_kbps = event.previous_rate_kbps
        is_new = previous_kbps == 0 and not (message and message.flags & Flags.RENEGOTIATION)
        close_offer(record)
        record.negotiating_since_s = now_s
        record.limited_by_offer = False
        if message is not None:
            record.asked_kbps = message.max_kbps
            record.rtt_s = self._rtt_s(message)
        if is_new:
            port.last_arrival_s = now_s
            port.idle_wait_s = timing.IDLE_S
            port.idle_pass_at_s = now_s + timing.IDLE_S
        changes = changes_after_admission(port, event, reduces_in_third_case=self._calls_back)
        if event.expected_arrivals_q8 <= NO_OTHERS_EXPECTED_Q8:
            # B_a takes every transmission to use its share: some may not, and the newcomer may take less than B_c.
            # If more are expected to arrive, the rest is theirs until the port has been idle.
            port.unsettled |= bool(changes.reduce) or event.rate_kbps < event.share_kbps
        self._tell_admission(port, record, previous_kbps, is_new, changes)
        self._reduce_all(changes, now_s)
        if changes.increase:
            offered, _ = make_offers(changes.increase, self.outbox, now_s)
            self._tell_offers(port, offered)

    def _refused(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        port = self._port(event)
        who = self._names.transmission(event.sender_ip, event.receiver_ip, event.id.subflow)
        why = narrate.refused_words(event.verdict)
        if message is not None and event.verdict == RefusedVerdict.BELOW_MIN:
            why += f" of {rate_text(message.min_kbps)} Mbit/s"
        offered = f" at {rate_text(event.share_kbps)} Mbit/s" if event.share_kbps else ""
        self._say(logging.INFO, f"port {port.port}: {who} refused{offered}: {why}")
        if event.rate_kbps:
            self._heard(port, event, now_s)  # it goes on with what it has (D20)
        else:
            self._forget(port, event)

    def _confirmed(self, event: Event, now_s: float) -> None:
        port = self._port(event)
        record = self._heard(port, event, now_s)
        self._note_clock(event, now_s)
        record.negotiating_since_s = None
        if not record.reducing_to_kbps:
            record.reduce_tries = 0  # the success carries the record's rate to the sender
        record.limited_by_offer = not record.is_bottleneck and record.rate_kbps in record.offers_kbps
        is_held_back = record.limited_by_offer or (self._is_deployable and record.is_bottleneck)
        if is_held_back and is_worth_it(record.rate_kbps, event.share_kbps, port.tolerance_kbps):
            port.capacity_freed = True  # there is more by now than the offer said
        port.unsettled |= record.limited_by_offer  # there may be more for it by now
        self._lowered(port, record, event)

    def _reduced_by_another(self, event: Event, now_s: float) -> None:
        port = self._port(event)
        record = self._known(port, event, now_s)
        record.limited_by_offer = False
        self._lowered(port, record, event)

    def _removed(self, event: Event) -> None:
        port = self._port(event)
        who = self._names.transmission(event.sender_ip, event.receiver_ip, event.id.subflow)
        how = narrate.removed_words(event.verdict)
        freed = rate_text(event.previous_rate_kbps)
        self._say(logging.INFO, f"port {port.port}: {who} {how}, {freed} Mbit/s free again")
        self._forget(port, event)

    def _refreshed(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        port = self._port(event)
        if message is None:  # an expire entry found that it is still alive
            record = self._known(port, event, now_s)
            record.expiring_since_s = None
            record.last_heard_s = self._time_of(event, now_s)
            return
        record = self._heard(port, event, now_s)
        if self._is_deployable:
            record.rtt_s = self._rtt_s(message)
        self._note_clock(event, now_s)
        port.unsettled |= record.offer_tries >= timing.MAX_OFFER_TRIES
        record.offer_tries = 0
        if message.max_kbps <= record.rate_kbps:
            record.reduce_tries = 0
        self._lowered(port, record, event)

    def _record_read(self, event: Event, now_s: float) -> None:
        port = self._port(event)
        is_new = event.id not in port.records
        record = self._known(port, event, now_s)
        if is_new:
            record.last_heard_s = self._time_of(event, now_s)
            record.lowered_at_s = now_s

    def _totals_read(self, event: Event, now_s: float) -> None:
        port = self.ports.get(event.data_port)
        if port is not None and port.load is not None:
            self._divide_beside_load(port, port.load, event.share_kbps)
        if port is None or not self.reconciler.totals(port, event, self.outbox, now_s):
            return
        reduced = self._make_fit(port, event.port_sum_kbps - port.capacity_kbps, now_s) if event.port_sum_kbps > port.capacity_kbps else 0
        if self._take_over is not None:
            self._go_on_taking_over(self._take_over, port, reduced, now_s)

    def _look_at_load(self, port: PortRecords, load: Load, now_s: float) -> None:
        """Ask what others leave, if it is time and no answer is awaited: one that was lost must be able to time out."""
        is_read_anyway = self.reconciler.is_walking or self.reconciler.is_under_way(port.port)
        if now_s - load.read_at_s >= timing.LOAD_READ_S and not is_read_anyway:
            load.read_at_s = now_s
            self.outbox.read_port(port.port)

    def _divide_beside_load(self, port: PortRecords, load: Load, divided_kbps: int) -> None:
        """The switch says what others leave (D28): who has more than that is reduced, what there is more of is offered."""
        if not load.is_another(port.capacity_kbps, divided_kbps):
            return
        sent, left = rate_text(load.link_kbps - divided_kbps), rate_text(divided_kbps)
        at_least = " at least" if divided_kbps == load.least_kbps else ""
        self._say(logging.INFO, f"port {port.port}: others send {sent} Mbit/s{at_least}, {left} of {rate_text(load.link_kbps)} are divided")
        port.unsettled |= divided_kbps > port.capacity_kbps
        port.capacity_kbps = divided_kbps

    def _go_on_taking_over(self, take_over: TakeOver, port: PortRecords, reduced: int, now_s: float) -> None:
        take_over.reduced += reduced
        if take_over.is_known(port.port, now_s) and self._hands_out and not reduced:
            # Who left while nobody was in charge left something to hand out.
            take_over.offered += self._settle(port, now_s)
        if not reduced and take_over.is_right(port.port):
            records = sum(len(port.records) for port in self.ports.values())
            self.announcements.append(take_over.announcement(records, now_s))
            self._take_over = None

    def _unanswered(self, event: Event) -> None:
        port = self.ports.get(event.data_port)
        record = port.records.get(event.id) if port is not None else None
        if port is None or record is None:
            return
        who = narrate.name_of(record, self._names)
        why = narrate.problem_words(event.verdict)
        self._say(logging.WARNING, f"port {port.port}: could not adjust {who}: {why}")
        if event.verdict in (EntryProblem.UNKNOWN_ID, EntryProblem.ADDRESS_MISMATCH):
            port.remove(event.id)
            self.outbox.forget(record)
        record.reduce_tries = 0
        self.reconciler.suspect(port.port)

    # Records

    def _port(self, event: Event) -> PortRecords:
        """The event's port. A port that is not described any more (capacity 0) is only watched till it is empty."""
        port = self.ports.get(event.data_port)
        if port is None:
            port = self.ports[event.data_port] = PortRecords(event.data_port, 0, 0, shares_by_source=self._is_deployable)
        return port

    def _known(self, port: PortRecords, event: Event, now_s: float) -> Record:
        """The event's record with the rate and flag that it has after the event and after reduces under way."""
        record = port.adopt(event, now_s)
        record.seen_in_walk = self.reconciler.walk_number
        if self._is_deployable and isinstance(event, DeployableEvent):
            record.min_kbps = event.min_kbps
            record.reserved_kbps = event.reserved_kbps
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

    def _heard(self, port: PortRecords, event: Event, now_s: float) -> Record:
        """The same for an event that shows that the transmission lives."""
        record = self._known(port, event, now_s)
        record.last_heard_s = now_s
        record.expiring_since_s = None
        return record

    def _lowered(self, port: PortRecords, record: Record, event: Event) -> None:
        """Note the capacity that the event has freed, if it has."""
        if event.rate_kbps < event.previous_rate_kbps:
            port.capacity_freed = True
            who = narrate.name_of(record, self._names)
            before = rate_text(event.previous_rate_kbps)
            self._say(
                logging.INFO,
                f"port {port.port}: {who} takes {rate_text(event.rate_kbps)} of {before} Mbit/s, limited elsewhere",
            )

    def _rtt_s(self, message: Negotiation) -> float:
        """The RTT that a message tells, as far as the pipeline believes it (D25)."""
        return (min(message.rtt_us, MAX_COUNTED_RTT_US) if self._is_deployable else message.rtt_us) / US_PER_S

    def _forget(self, port: PortRecords, event: Event) -> None:
        record = port.remove(event.id)
        if record is not None:
            self.outbox.forget(record)
        if event.previous_rate_kbps:
            port.capacity_freed = True

    def _reduce_all(self, changes: Changes, now_s: float) -> None:
        if self._is_deployable:
            keep_minimum(changes)
        self.outbox.reduce_all(changes.reduce)
        for record, speed_kbps in changes.reduce.items():
            record.rate_kbps = record.reducing_to_kbps = speed_kbps
            record.is_bottleneck = True
            record.limited_by_offer = False
            record.offer_kbps = 0
            record.reduced_at_s = record.lowered_at_s = now_s
            record.reduce_tries = 1

    def _make_fit(self, port: PortRecords, excess_kbps: int, now_s: float) -> int:
        """Reduce the port's records till they fit (D4); how many that are."""
        if not self._calls_back:
            return 0
        changes = self._changes_to_fit(port)
        if self._is_deployable and not changes.reduce:
            return 0  # all are at their Mins
        reduced = narrate.changes(changes.reduce, "reduced", self._names)
        self._say(logging.INFO, f"port {port.port}: {rate_text(excess_kbps)} Mbit/s more than there is: {reduced}")
        self._reduce_all(changes, now_s)
        return len(changes.reduce)

    def _changes_to_fit(self, port: PortRecords) -> Changes:
        """Who must go down so that all fit; whose Mins do not fit any more, the last that came, are ended first (D31)."""
        if not self._is_deployable:
            return changes_to_fit(port)
        for record in without_room(port):
            self._end(port, record)
        return changes_to_fit_above_minimum(port)

    def _end(self, port: PortRecords, record: Record) -> None:
        """The record goes, and its sender is made to ask at once: it is refused then, and told so."""
        who = narrate.name_of(record, self._names)
        self._say(logging.WARNING, f"port {port.port}: {who} ended: its Min of {rate_text(record.min_kbps)} Mbit/s does not fit any more")
        port.remove(record.id)
        self.outbox.forget(record)
        self.outbox.reduce(record, record.min_kbps)
        self.outbox.expire(record, 0.0)

    # Handing out

    def _settle(self, port: PortRecords, now_s: float) -> int:
        """Offer the port's free capacity to those it holds back (D3); how many were offered something."""
        port.capacity_freed = False
        changes = changes_after_departure(port)
        offered, port.unsettled = make_offers(changes.increase, self.outbox, now_s)
        self._tell_offers(port, offered)
        return len(offered)

    def _hand_out_what_is_left(self, port: PortRecords, now_s: float) -> None:
        if port.unsettled:
            self._settle(port, now_s)
        if now_s >= port.idle_pass_at_s:
            port.idle_wait_s = min(2 * port.idle_wait_s, timing.IDLE_MAX_S)
            port.idle_pass_at_s = now_s + port.idle_wait_s if self._settle(port, now_s) else float("inf")

    def _look_after(self, port: PortRecords, record: Record, now_s: float) -> None:
        """Expire the record, send its reduce again, or give up waiting for the answer to an offer, if it is time."""
        if now_s - record.last_heard_s >= RECORD_TIMEOUT_S and (
            record.expiring_since_s is None or now_s - record.expiring_since_s >= timing.EXPIRY_RETRY_S
        ):
            record.expiring_since_s = now_s
            self.outbox.expire(record, RECORD_TIMEOUT_S)
        if 0 < record.reduce_tries < timing.MAX_REDUCE_TRIES and now_s - record.reduced_at_s >= timing.REDUCE_ACK_S + timing.patience_s(
            record.rtt_s
        ):
            record.reduce_tries += 1
            record.reduced_at_s = now_s
            self.outbox.reduce(record, record.rate_kbps)
        if (record.offer_kbps or record.negotiating_since_s is not None) and not is_busy(record, now_s):
            record.offer_kbps = 0
            record.negotiating_since_s = None
            port.unsettled = True

    # The switch's clock

    def _note_clock(self, event: Event, now_s: float) -> None:
        """The event's record was seen just now by the switch's clock."""
        offset_s = now_s - event.last_seen_us / US_PER_S
        self._clock_offset_s = offset_s if self._clock_offset_s is None else min(self._clock_offset_s, offset_s)

    def _time_of(self, event: Event, now_s: float) -> float:
        """When the switch last saw the record, in the controller's clock; now if the clocks were never compared."""
        if self._clock_offset_s is None:
            return now_s
        return min(now_s, event.last_seen_us / US_PER_S + self._clock_offset_s)

    # Words

    def _say(self, level: int, text: str) -> None:
        self.journal.append((level, f"{self.name} {text}"))

    def _tell_admission(self, port: PortRecords, record: Record, previous_kbps: int, is_new: bool, changes: Changes) -> None:
        who = narrate.name_of(record, self._names)
        rate = rate_text(record.rate_kbps)
        text = f"admitted at {rate} Mbit/s" if is_new else f"renegotiated {rate_text(previous_kbps)} → {rate} Mbit/s"
        reduced = narrate.changes(changes.reduce, "reduced", self._names)
        self._say(logging.INFO, f"port {port.port}: {who} {text}{', ' if reduced else ''}{reduced}")

    def _tell_offers(self, port: PortRecords, offered: Mapping[Record, int]) -> None:
        if offered:
            text = narrate.changes(offered, "may go", self._names)
            self._say(logging.INFO, f"port {port.port}: {text}")
