"""One switch of the fair-level variant as the controller knows it (docs/protocol.md, D32): who has a record, and whether he still lives.

What each may send is the switch's own business: nobody is reduced or offered anything from here. No I/O and no clock, as in
controller/switch_state.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from controller import timing
from controller.decisions import Changes
from controller.names import NameBook, rate_text
from controller.outbox import Outbox
from controller.reconcile import Reconciler
from controller.records import PortRecords, PortTotals, Record
from controller.switch_state import SwitchState
from controller.takeover import TakeOver
from protocol.codes import EventType
from protocol.constants import RECORD_TIMEOUT_S, SLOTS
from protocol.headers import Event
from protocol.variant import FAIR_LEVEL, Variant
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
        """Whether all slots have been asked for, and every port has answered: what was sent before has been done."""
        return self._next_slot is None and super().is_synchronised

    def heard_of(self, port: PortRecords) -> None:
        """The port's totals came."""
        self._agreed.add(port.port)

    def tick(self, outbox: Outbox, _now_s: float) -> None:
        """Ask for the next slots."""
        if self._next_slot is not None:
            self._next_slot = self._read_slots(self._next_slot, outbox)


class FairLevelState(SwitchState):
    """The ports and records of one switch whose senders follow a level."""

    def __init__(
        self, name: str, ports: Iterable[PortDescription], names: NameBook, *, variant: Variant = FAIR_LEVEL, slots: int = SLOTS
    ) -> None:
        super().__init__(name, ports, names, variant=variant, slots=slots)
        self._level_ports = {number: port for number, port in self.ports.items() if isinstance(port, LevelPort)}
        self._walk = SlotWalk(self.ports, lambda text: self._say(logging.INFO, text), slots)
        self.reconciler = self._walk
        self._read_at_s = float("-inf")

    def _described(self, port: PortDescription) -> PortRecords:
        return LevelPort(port.port, port.capacity_kbps, port.tolerance_kbps, port.peer, shares_by_source=True)

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """The switch is connected and configured; one with records is read slot by slot."""
        super().connected(now_s, is_empty=is_empty)
        self._read_at_s = float("-inf")
        if not is_empty:
            self._walk.begin()

    def set_capacity(self, port_number: int, capacity_kbps: int, _now_s: float) -> tuple[int, int]:
        """The link behind a port has another rate now: its senders follow the new level. Nobody is told anything."""
        port = self.ports[port_number]
        self._say(logging.INFO, f"port {port.port}: capacity {rate_text(port.capacity_kbps)} → {rate_text(capacity_kbps)} Mbit/s")
        port.capacity_kbps = capacity_kbps
        return 0, 0

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """An event came; ``message`` is the negotiation message that caused it, if one did."""
        match event.event:
            case EventType.ADMITTED:
                port = self._port(event)
                self._note_clock(event, now_s)
                self._tell_admission(port, self._heard(port, event, now_s), 0, True, Changes())
            case EventType.REFUSED:
                self._refused(event, message, now_s)
            case EventType.REMOVED:
                self._removed(event)
            case EventType.RECORD:
                self._record_read(event, now_s)
            case EventType.PORT_TOTALS if event.data_port in self._level_ports:
                told = self._level_ports[event.data_port]
                told.told = PortTotals(event.port_sum_kbps, event.port_count, event.bottleneck_sum_kbps, event.bottleneck_count)
                self._walk.heard_of(told)
            case EventType.UNANSWERED:
                self._unanswered(event)

    def tick(self, now_s: float) -> None:
        """Housekeeping, to be called every `timing.TICK_S`."""
        if self._take_over is not None and self._walk.is_synchronised:
            self._say_what_was_taken_over(self._take_over, now_s)
            self._take_over = None
        self._walk.tick(self.outbox, now_s)
        for every in self.ports.values():
            for record in every:
                if now_s - record.last_heard_s >= RECORD_TIMEOUT_S:
                    record.last_heard_s = now_s  # the switch says so if it has not heard of it either; else it is asked again then
                    self.outbox.expire(record, RECORD_TIMEOUT_S)
        if now_s - self._read_at_s >= timing.PORT_CHECK_S:
            self._read_at_s = now_s
            for number, port in self._level_ports.items():
                if port.capacity_kbps:
                    self.outbox.read_port(number)

    def _say_what_was_taken_over(self, take_over: TakeOver, now_s: float) -> None:
        for number in self._level_ports:
            take_over.is_known(number, now_s)
        records = sum(len(known.records) for known in self.ports.values())
        self.announcements.append(take_over.announcement(records, now_s))

    def keeping_too_much(self, _now_s: float) -> list[Record]:
        """Nobody was told to give anything up."""
        return []
