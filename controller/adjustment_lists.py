"""The controller's part of Algorithm 1 and its consequences: which records go down and which may go up, as records come, change and go.

The paper's variant and the deployable one use these lists; they differ in their `ListRules`. There is no I/O and no clock here, as in
controller/known_switch.py.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from controller import narrate, timing
from controller.decisions import Changes, changes_after_admission, changes_after_departure, is_worth_it
from controller.known_switch import Bookkeeping, KnownSwitch, SwitchOptions
from controller.names import rate_text
from controller.offers import close_offer, is_busy, make_offers
from controller.records import Load, PortRecords, Record
from controller.takeover import TakeOver
from protocol.codes import EventType
from protocol.constants import FRACTION_BITS, RECORD_TIMEOUT_S
from protocol.headers import Event
from protocol.variant import Decision
from protocol.wire import Flags, Negotiation

NO_OTHERS_EXPECTED_Q8 = 1 << FRACTION_BITS
"""Q_T of a newcomer that the pipeline expects no others beside, with its fraction bits."""


class ListRules(Bookkeeping, Protocol):
    """The rules that differ between variants whose rates follow from lists."""

    @property
    def takes_back(self) -> bool:
        """Whether the controller takes back the rate that a sender keeps after a reduce (decision "enforcement")."""

    def rtt_s(self, message: Negotiation) -> float:
        """The RTT that a message tells, as far as the pipeline believes it, in seconds."""

    def note_refresh(self, record: Record, message: Negotiation) -> None:
        """Take over what a refresh says of its record besides."""

    def is_held_back(self, record: Record) -> bool:
        """Whether a transmission that was just confirmed may want more than it has."""

    def keep_minimum(self, changes: Changes) -> None:
        """Change a reduce list so that nobody goes lower than the variant lets him."""

    def without_room(self, port: PortRecords) -> list[Record]:
        """Records that have to go so that the others fit."""

    def changes_to_fit(self, port: PortRecords) -> Changes | None:
        """The reduces after which all records fit: none where they do already. None: no record can be reduced."""


class AdjustmentLists:
    """The controller's response to the events of one switch."""

    def __init__(self, options: SwitchOptions, rules: ListRules) -> None:
        """``options.variant``: whether freed capacity is handed out at once, and whether "calling back" holds (docs/decisions/)."""
        self.switch = KnownSwitch(options, rules)
        self.takes_back = rules.takes_back
        self._rules = rules
        self._hands_out = Decision.HANDED_OUT_AT_ONCE in options.variant
        self._calls_back = Decision.CALLED_BACK in options.variant

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """As in Policy."""
        self.switch.connected(now_s, is_empty=is_empty)

    def set_capacity(self, port_number: int, capacity_kbps: int, now_s: float) -> tuple[int, int]:
        """Lower: records above the level at which all fit are reduced to it. Higher: freed capacity is handed out at once."""
        port = self.switch.ports[port_number]
        if port.load is not None:
            capacity_kbps = port.load.change_link(port.capacity_kbps, capacity_kbps)
        text = f"port {port.port}: capacity {rate_text(port.capacity_kbps)} → {rate_text(capacity_kbps)} Mbit/s"
        port.capacity_kbps = capacity_kbps
        changes = self._changes_to_fit(port) or Changes()
        reduced = narrate.changes(changes.reduce, "reduced", self.switch.names)
        self.switch.say(logging.INFO, f"{text}{', ' if reduced else ''}{reduced}")
        self._reduce_all(changes, now_s)
        # Requests that the switch answered by the old capacity may still be on their way here: their sum is looked at after them.
        self.switch.outbox.read_port(port_number)
        return len(changes.reduce), self._settle(port, now_s) if self._hands_out else 0

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """As in Policy."""
        match event.event:
            case EventType.ADMITTED:
                self._admitted(event, message, now_s)
            case EventType.REFUSED:
                self.switch.refused(event, message, now_s)
            case EventType.CONFIRMED:
                self._confirmed(event, now_s)
            case EventType.REDUCED:
                self._reduced_by_another(event, now_s)
            case EventType.REMOVED:
                self.switch.removed(event)
            case EventType.REFRESHED:
                self._refreshed(event, message, now_s)
            case EventType.RECORD:
                self.switch.record_read(event, now_s)
            case EventType.PORT_TOTALS:
                self._totals_read(event, now_s)
            case EventType.UNANSWERED:
                self.switch.unanswered(event)
        if self._hands_out:
            port = self.switch.ports.get(event.data_port)
            if port is not None and port.capacity_freed:
                self._settle(port, now_s)

    def tick(self, now_s: float) -> None:
        """As in Policy."""
        for port in self.switch.ports.values():
            for record in port:
                self._look_after(port, record, now_s)
            if port.taken_back:
                waiting = {record: record.rate_kbps for record in port if record.reserved_kbps < record.rate_kbps}
                _, port.taken_back = make_offers(waiting, self.switch.outbox, now_s)
            if port.load is not None:
                self._look_at_load(port, port.load, now_s)
            if self._hands_out:
                self._hand_out_what_is_left(port, now_s)
        self.switch.reconciler.tick(self.switch.outbox, now_s)

    def keeping_too_much(self, now_s: float) -> list[Record]:
        """As in Policy."""
        return [
            record
            for port in self.switch.ports.values()
            for record in port
            if record.rate_kbps < record.reserved_kbps and now_s - record.lowered_at_s >= timing.take_back_s(record.rtt_s)
        ]

    # Events

    def _admitted(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        port = self.switch.port_of(event)
        record = self.switch.heard(port, event, now_s)
        self.switch.note_clock(event, now_s)
        previous_kbps = event.previous_rate_kbps
        is_new = previous_kbps == 0 and not (message and message.flags & Flags.RENEGOTIATION)
        close_offer(record)
        record.negotiating_since_s = now_s
        record.limited_by_offer = False
        if message is not None:
            record.asked_kbps = message.max_kbps
            record.rtt_s = self._rules.rtt_s(message)
        if is_new:
            port.idle_wait_s = timing.IDLE_S
            port.idle_pass_at_s = now_s + timing.IDLE_S
        changes = changes_after_admission(port, event, reduces_in_third_case=self._calls_back)
        if event.expected_arrivals_q8 <= NO_OTHERS_EXPECTED_Q8:
            # B_a takes every transmission to use its share: some may not, and the newcomer may take less than B_c.
            # If more are expected to arrive, the rest is theirs until the port has been idle.
            port.unsettled |= bool(changes.reduce) or event.rate_kbps < event.share_kbps
        self.switch.tell_admission(port, record, previous_kbps, is_new, changes)
        self._reduce_all(changes, now_s)
        if changes.increase:
            offered, _ = make_offers(changes.increase, self.switch.outbox, now_s)
            self._tell_offers(port, offered)

    def _confirmed(self, event: Event, now_s: float) -> None:
        port = self.switch.port_of(event)
        record = self.switch.heard(port, event, now_s)
        self.switch.note_clock(event, now_s)
        record.negotiating_since_s = None
        if not record.reducing_to_kbps:
            record.reduce_tries = 0  # the success carries the record's rate to the sender
        record.limited_by_offer = not record.is_bottleneck and record.rate_kbps in record.offers_kbps
        is_held_back = record.limited_by_offer or self._rules.is_held_back(record)
        if is_held_back and is_worth_it(record.rate_kbps, event.share_kbps, port.tolerance_kbps):
            port.capacity_freed = True  # there is more by now than the offer said
        port.unsettled |= record.limited_by_offer  # there may be more for it by now
        self._lowered(port, record, event)

    def _reduced_by_another(self, event: Event, now_s: float) -> None:
        port = self.switch.port_of(event)
        record = self.switch.known(port, event, now_s)
        record.limited_by_offer = False
        self._lowered(port, record, event)

    def _refreshed(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        port = self.switch.port_of(event)
        if message is None:  # an expire entry found that it is still alive
            record = self.switch.known(port, event, now_s)
            record.expiring_since_s = None
            record.last_heard_s = self.switch.time_of(event, now_s)
            return
        record = self.switch.heard(port, event, now_s)
        self._rules.note_refresh(record, message)
        self.switch.note_clock(event, now_s)
        port.unsettled |= record.offer_tries >= timing.MAX_OFFER_TRIES
        record.offer_tries = 0
        if message.max_kbps <= record.rate_kbps:
            record.reduce_tries = 0
        self._lowered(port, record, event)

    def _totals_read(self, event: Event, now_s: float) -> None:
        port = self.switch.ports.get(event.data_port)
        if port is not None and port.load is not None:
            self._divide_beside_load(port, port.load, event.share_kbps)
        if port is None or not self.switch.reconciler.totals(port, event, self.switch.outbox, now_s):
            return
        reduced = self._make_fit(port, event.port_sum_kbps - port.capacity_kbps, now_s) if event.port_sum_kbps > port.capacity_kbps else 0
        if self.switch.take_over is not None:
            self._go_on_taking_over(self.switch.take_over, port, reduced, now_s)

    def _look_at_load(self, port: PortRecords, load: Load, now_s: float) -> None:
        """Ask what others leave, if it is time and no answer is awaited: one that was lost must be able to time out."""
        is_read_anyway = self.switch.reconciler.is_walking or self.switch.reconciler.is_under_way(port.port)
        if now_s - load.read_at_s >= timing.LOAD_READ_S and not is_read_anyway:
            load.read_at_s = now_s
            self.switch.outbox.read_port(port.port)

    def _divide_beside_load(self, port: PortRecords, load: Load, divided_kbps: int) -> None:
        """Divide the rate that others leave, as the switch tells (decision "the measured load"): less leads to reduces, more to offers."""
        if not load.is_another(port.capacity_kbps, divided_kbps):
            return
        sent, left = rate_text(load.link_kbps - divided_kbps), rate_text(divided_kbps)
        at_least = " at least" if divided_kbps == load.least_kbps else ""
        self.switch.say(
            logging.INFO, f"port {port.port}: others send {sent} Mbit/s{at_least}, {left} of {rate_text(load.link_kbps)} are divided"
        )
        port.unsettled |= divided_kbps > port.capacity_kbps
        port.capacity_kbps = divided_kbps

    def _go_on_taking_over(self, take_over: TakeOver, port: PortRecords, reduced: int, now_s: float) -> None:
        take_over.reduced += reduced
        if take_over.is_known(port.port, now_s) and self._hands_out and not reduced:
            # Senders that left while nobody was in charge have freed capacity.
            take_over.offered += self._settle(port, now_s)
        if not reduced and take_over.is_right(port.port):
            records = sum(len(port.records) for port in self.switch.ports.values())
            self.switch.announcements.append(take_over.announcement(records, now_s))
            self.switch.take_over = None

    # Records

    def _lowered(self, port: PortRecords, record: Record, event: Event) -> None:
        """Note the capacity that the event has freed, if it has."""
        if event.rate_kbps < event.previous_rate_kbps:
            port.capacity_freed = True
            who = narrate.name_of(record, self.switch.names)
            before = rate_text(event.previous_rate_kbps)
            self.switch.say(
                logging.INFO,
                f"port {port.port}: {who} takes {rate_text(event.rate_kbps)} of {before} Mbit/s, limited elsewhere",
            )

    def _reduce_all(self, changes: Changes, now_s: float) -> None:
        self._rules.keep_minimum(changes)
        self.switch.outbox.reduce_all(changes.reduce)
        for record, speed_kbps in changes.reduce.items():
            record.rate_kbps = record.reducing_to_kbps = speed_kbps
            record.is_bottleneck = True
            record.limited_by_offer = False
            record.offer_kbps = 0
            record.reduced_at_s = record.lowered_at_s = now_s
            record.reduce_tries = 1

    def _make_fit(self, port: PortRecords, excess_kbps: int, now_s: float) -> int:
        """Reduce the port's records till they fit (decision "calling back"); how many that are."""
        if not self._calls_back:
            return 0
        changes = self._changes_to_fit(port)
        if changes is None:
            return 0
        reduced = narrate.changes(changes.reduce, "reduced", self.switch.names)
        self.switch.say(logging.INFO, f"port {port.port}: {rate_text(excess_kbps)} Mbit/s more than there is: {reduced}")
        self._reduce_all(changes, now_s)
        return len(changes.reduce)

    def _changes_to_fit(self, port: PortRecords) -> Changes | None:
        """The reduces after which all records fit; records without room are ended first (decision "Mins of a link that gets slower")."""
        for record in self._rules.without_room(port):
            self._end(port, record)
        return self._rules.changes_to_fit(port)

    def _end(self, port: PortRecords, record: Record) -> None:
        """The record goes, and its sender is made to ask at once: it is refused then, and told so."""
        who = narrate.name_of(record, self.switch.names)
        self.switch.say(
            logging.WARNING, f"port {port.port}: {who} ended: its Min of {rate_text(record.min_kbps)} Mbit/s does not fit any more"
        )
        port.remove(record.id)
        self.switch.outbox.forget(record)
        self.switch.outbox.reduce(record, record.min_kbps)
        self.switch.outbox.expire(record, 0.0)

    # Handing out

    def _settle(self, port: PortRecords, now_s: float) -> int:
        """Freed capacity is handed out at once: offer it to those that the port holds back; how many were offered something."""
        port.capacity_freed = False
        changes = changes_after_departure(port)
        offered, port.unsettled = make_offers(changes.increase, self.switch.outbox, now_s)
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
            self.switch.outbox.expire(record, RECORD_TIMEOUT_S)
        if 0 < record.reduce_tries < timing.MAX_REDUCE_TRIES and now_s - record.reduced_at_s >= timing.REDUCE_ACK_S + timing.patience_s(
            record.rtt_s
        ):
            record.reduce_tries += 1
            record.reduced_at_s = now_s
            self.switch.outbox.reduce(record, record.rate_kbps)
        if (record.offer_kbps or record.negotiating_since_s is not None) and not is_busy(record, now_s):
            record.offer_kbps = 0
            record.negotiating_since_s = None
            port.unsettled = True

    # Words

    def _tell_offers(self, port: PortRecords, offered: Mapping[Record, int]) -> None:
        if offered:
            text = narrate.changes(offered, "may go", self.switch.names)
            self.switch.say(logging.INFO, f"port {port.port}: {text}")
