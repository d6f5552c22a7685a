"""The fair-level variant (docs/decisions/one-level-a-port.md): transmissions with a record, and whether they still live.

The switch itself decides each sender's rate: the controller neither reduces nor offers anything. There is no I/O and no clock, as in
controller/known_switch.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from controller import timing
from controller.decisions import Changes
from controller.known_switch import KnownSwitch, SwitchOptions
from controller.names import rate_text
from controller.outbox import Outbox
from controller.policy import Policy
from controller.reconcile import Reconciler
from controller.records import PortRecords, PortTotals, Record
from controller.takeover import TakeOver
from controller.variants.deployable import ReserveRules
from protocol.codes import EventType
from protocol.constants import RECORD_TIMEOUT_S
from protocol.headers import Event
from protocol.wire import Negotiation
from scenario.network_description import PortDescription


@dataclass(slots=True)
class LevelPort(PortRecords):
    """A port whose sums are the switch's: its records' rates are known as they were when the records were made."""

    told: PortTotals = field(default_factory=lambda: PortTotals(0, 0, 0, 0))

    def totals(self, _counts: Callable[[Record], bool] | None = None) -> PortTotals:
        """The sums as the switch has last told them."""
        return self.told

    def free_kbps(self) -> int:
        """Free capacity by those sums, in kbit/s, never below 0."""
        return max(0, self.capacity_kbps - self.told.sum_kbps)


class SlotWalk(Reconciler):
    """Reads all slots of a switch that had records before this controller came, once. There are no sums to compare."""

    def begin(self) -> None:
        """From the first slot on, with the next ticks."""
        self._next_slot = 0

    @property
    def is_synchronised(self) -> bool:
        """Whether all slots have been asked for, and every port has answered: entries that were sent before have been carried out."""
        return self._next_slot is None and super().is_synchronised

    def heard_of(self, port: PortRecords) -> None:
        """The port's totals came."""
        self._agreed.add(port.port)

    def tick(self, outbox: Outbox, _now_s: float) -> None:
        """Ask for the next slots."""
        if self._next_slot is not None:
            self._next_slot = self._read_slots(self._next_slot, outbox)


class LevelBookkeeping:
    """As the deployable variant's (controller/variants/deployable.py), but a port's sums are the switch's."""

    reads_with_each_batch = True

    def __init__(self, reserves: ReserveRules) -> None:
        self.undescribed_port = reserves.undescribed_port
        self.new_keys = reserves.new_keys
        self.note = reserves.note

    def new_port(self, port: PortDescription) -> PortRecords:
        """As in Bookkeeping."""
        return LevelPort(port.port, port.capacity_kbps, port.tolerance_kbps, port.peer, shares_by_source=True)


class FollowedLevel:
    """The controller's response to the events of one switch whose senders follow a level."""

    takes_back = True

    def __init__(self, options: SwitchOptions) -> None:
        self.switch = KnownSwitch(options, LevelBookkeeping(ReserveRules(options.new_key)), SlotWalk)
        assert isinstance(self.switch.reconciler, SlotWalk)
        self._walk = self.switch.reconciler
        self._level_ports = {number: port for number, port in self.switch.ports.items() if isinstance(port, LevelPort)}
        self._read_at_s = float("-inf")

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """As in Policy; a switch with records is read slot by slot."""
        self.switch.connected(now_s, is_empty=is_empty)
        self._read_at_s = float("-inf")
        if not is_empty:
            self._walk.begin()

    def set_capacity(self, port_number: int, capacity_kbps: int, _now_s: float) -> tuple[int, int]:
        """Its senders follow the new level. Nobody is told anything."""
        port = self.switch.ports[port_number]
        self.switch.say(logging.INFO, f"port {port.port}: capacity {rate_text(port.capacity_kbps)} → {rate_text(capacity_kbps)} Mbit/s")
        port.capacity_kbps = capacity_kbps
        return 0, 0

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """As in Policy."""
        match event.event:
            case EventType.ADMITTED:
                port = self.switch.port_of(event)
                self.switch.note_clock(event, now_s)
                self.switch.tell_admission(port, self.switch.heard(port, event, now_s), 0, True, Changes())
            case EventType.REFUSED:
                self.switch.refused(event, message, now_s)
            case EventType.REMOVED:
                self.switch.removed(event)
            case EventType.RECORD:
                self.switch.record_read(event, now_s)
            case EventType.PORT_TOTALS if event.data_port in self._level_ports:
                told = self._level_ports[event.data_port]
                told.told = PortTotals(event.port_sum_kbps, event.port_count, event.bottleneck_sum_kbps, event.bottleneck_count)
                self._walk.heard_of(told)
            case EventType.UNANSWERED:
                self.switch.unanswered(event)

    def tick(self, now_s: float) -> None:
        """As in Policy."""
        if self.switch.take_over is not None and self._walk.is_synchronised:
            self._say_what_was_taken_over(self.switch.take_over, now_s)
            self.switch.take_over = None
        self._walk.tick(self.switch.outbox, now_s)
        for every in self.switch.ports.values():
            for record in every:
                if now_s - record.last_heard_s >= RECORD_TIMEOUT_S:
                    record.last_heard_s = now_s  # the switch says so if it has not heard of it either; else it is asked again then
                    self.switch.outbox.expire(record, RECORD_TIMEOUT_S)
        if now_s - self._read_at_s >= timing.PORT_CHECK_S:
            self._read_at_s = now_s
            for number, port in self._level_ports.items():
                if port.capacity_kbps:
                    self.switch.outbox.read_port(number)

    def _say_what_was_taken_over(self, take_over: TakeOver, now_s: float) -> None:
        for number in self._level_ports:
            take_over.is_known(number, now_s)
        records = sum(len(known.records) for known in self.switch.ports.values())
        self.switch.announcements.append(take_over.announcement(records, now_s))

    def keeping_too_much(self, _now_s: float) -> list[Record]:
        """Nobody was told to give anything up."""
        return []


def policy(options: SwitchOptions) -> Policy:
    """The policy for one switch."""
    return FollowedLevel(options)
