"""Keeps the controller's records equal to the data plane's.

Every few seconds, after every batch of reduces and after a (re)connection the port totals are read through the
pipeline. Packet-ins come in the order of the changes, so the totals must equal the controller's own sums at the moment
they arrive, unless entries are still under way. If they differ twice, all record slots are read ("walk"): records
found are taken over, and the totals are read with every portion. As soon as they agree, the walk ends: a new record takes the first free
way, so that most are found in the first quarter. Records that neither the walk nor any event has shown are dropped at its end.

Slots and totals are read by packet-outs, through the pipeline, on every switch: BMv2 has no P4Runtime access to registers.
Where a switch is so busy that answers get lost, the senders' refreshes make up for them, since they refresh every record
within one interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from controller import timing
from controller.outbox import Outbox
from controller.records import PortRecords, PortTotals, Record
from protocol.constants import MAX_BATCH_ENTRIES
from protocol.headers import Event

SLOTS_PER_TICK: Final = 16 * MAX_BATCH_ENTRIES
"""The walk goes on by so many slots a tick, so that the switch has time for packets in between."""


@dataclass(slots=True)
class _PortCheck:
    outstanding: int = 0
    asked_at_s: float = 0.0
    next_at_s: float = float("-inf")
    differences: int = 0


class Reconciler:
    """Compares and rebuilds the records of one switch."""

    def __init__(self, ports: dict[int, PortRecords], say: Callable[[str], None], slots: int) -> None:
        """``slots``: how many records the switch has places for."""
        self._ports = ports
        self._slots = slots
        self._say = say
        self._checks: dict[int, _PortCheck] = {}
        self._fresh = True
        self._next_slot: int | None = None
        self._closing_at_s: float | None = None
        self._closing: set[int] = set()
        self._walk_again_at_s: float | None = None
        self._walk_pause_s = 1.0
        self._sound = True
        self._agreed: set[int] = set()
        self._was_in_step = False
        self.walk_number = 0
        """Number of the latest walk or connection; records carry the one they were last seen in."""
        self._trusted_since = 0
        """Records that were seen in this walk, or a later one, are there for all that is known."""

    @property
    def is_walking(self) -> bool:
        """Whether the record slots are being read."""
        return self._next_slot is not None or self._closing_at_s is not None or bool(self._closing)

    @property
    def is_synchronised(self) -> bool:
        """Whether every port's totals have agreed since the connection was made."""
        return self._agreed >= {port.port for port in self._managed()}

    def start(self) -> None:
        """A connection was made: compare at once; a first difference is no surprise then."""
        self._checks.clear()
        self._agreed.clear()
        self._fresh = True
        self._was_in_step = False
        self.walk_number += 1
        self._trusted_since = self.walk_number
        self._next_slot = self._closing_at_s = self._walk_again_at_s = None
        self._closing.clear()

    def reads_sent(self, ports: list[int], now_s: float) -> None:
        """Reads of these ports' totals are on their way to the pipeline."""
        for port in ports:
            check = self._check(port)
            check.outstanding += 1
            check.asked_at_s = now_s

    def is_under_way(self, port: int) -> bool:
        """Whether an answer about the port's totals is still to come."""
        return self._check(port).outstanding > 0

    def suspect(self, port: int) -> None:
        """Something about this port did not fit: compare soon."""
        self._check(port).next_at_s = float("-inf")

    def tick(self, outbox: Outbox, now_s: float) -> None:
        """Ask what is due: totals, and the next slots of a walk."""
        for port in [port.port for port in self._managed()]:
            check = self._check(port)
            if check.outstanding and now_s - check.asked_at_s > timing.READ_TIMEOUT_S:
                check.outstanding = 0
                check.next_at_s = now_s
            if check.outstanding == 0 and now_s >= check.next_at_s and self._may_read(port):
                check.next_at_s = now_s + timing.PORT_CHECK_S
                outbox.read_port(port)
        self._step_walk(outbox, now_s)

    def totals(self, port: PortRecords, event: Event, outbox: Outbox, now_s: float) -> bool:
        """An answer to read-port-totals came: compare. True if all agrees and no reduce is under way."""
        check = self._check(port.port)
        check.outstanding = max(0, check.outstanding - 1)
        if check.outstanding or outbox.has_reduces(port.port):
            return False
        for record in port:
            record.reducing_to_kbps = 0
        closing = port.port in self._closing
        theirs = PortTotals(event.port_sum_kbps, event.port_count, event.bottleneck_sum_kbps, event.bottleneck_count)
        if closing:
            self._sweep(port, theirs)
        agrees = port.totals() == theirs
        if agrees:
            check.differences = 0
            check.next_at_s = now_s + timing.PORT_CHECK_S
            self._agreed.add(port.port)
            self._was_in_step = self._was_in_step or self.is_synchronised
            self._fresh = self._fresh and not self.is_synchronised
            if self._next_slot is not None:
                self._end_walk_if_all_are_found()
        elif self.is_walking and not closing:
            self._agreed.discard(port.port)
        else:
            self._sound = False
            self._agreed.discard(port.port)
            check.differences += 1
            check.next_at_s = now_s + timing.RECHECK_S
            if (self._fresh or check.differences > 1) and not self.is_walking and self._walk_again_at_s is None:
                if not self._fresh:
                    self._say(f"port {port.port}: records differ from the switch's; reading them anew")
                self._begin_walk()
        if closing:
            self._close(port.port, now_s)
        return agrees

    def _managed(self) -> Iterator[PortRecords]:
        """The ports whose totals the pipeline can tell: those with a capacity."""
        return (port for port in self._ports.values() if port.capacity_kbps)

    def _check(self, port: int) -> _PortCheck:
        check = self._checks.get(port)
        if check is None:
            check = self._checks[port] = _PortCheck()
        return check

    def _may_read(self, port: int) -> bool:
        return not self.is_walking or port in self._closing

    def _begin_walk(self) -> None:
        self.walk_number += 1
        if self._was_in_step:
            # What was known went wrong: from here on only what the walk and new events show counts.
            self._trusted_since = self.walk_number
        self._agreed.clear()
        self._next_slot = 0
        self._walk_again_at_s = None
        self._sound = True

    def _step_walk(self, outbox: Outbox, now_s: float) -> None:
        if self._walk_again_at_s is not None and now_s >= self._walk_again_at_s:
            self._begin_walk()
        if self._next_slot is not None:
            self._next_slot = self._read_slots(self._next_slot, outbox)
            if self._next_slot is None:
                self._closing_at_s = now_s + timing.WALK_SETTLE_S
            else:
                for managed in self._managed():
                    outbox.read_port(managed.port)
        elif self._closing_at_s is not None and now_s >= self._closing_at_s:
            self._closing_at_s = None
            self._closing = {port.port for port in self._managed()}
            for port in self._closing:
                outbox.read_port(port)
                self._check(port).next_at_s = now_s + timing.PORT_CHECK_S

    def _read_slots(self, first: int, outbox: Outbox) -> int | None:
        """Ask for some slots from ``first`` on; returns the next one, or None after the last."""
        end = min(first + SLOTS_PER_TICK, self._slots)
        outbox.read_slots(range(first, end))
        return end if end < self._slots else None

    def _end_walk_if_all_are_found(self) -> None:
        """Nothing is left to be found once every port's totals agree with records that are known to be there."""
        if self.is_synchronised and all(self._is_trusted(record) for port in self._managed() for record in port):
            self._next_slot = None
            self._done()

    def _is_trusted(self, record: Record) -> bool:
        return record.seen_in_walk >= self._trusted_since

    def _sweep(self, port: PortRecords, theirs: PortTotals) -> None:
        """Drop the records that nothing has shown and, if that explains a difference, those that this walk has not."""
        port.keep_only(self._is_trusted)
        if port.totals() != theirs and port.totals(self._was_found) == theirs:
            port.keep_only(self._was_found)

    def _was_found(self, record: Record) -> bool:
        return record.seen_in_walk == self.walk_number

    def _close(self, port: int, now_s: float) -> None:
        self._closing.discard(port)
        if self._closing:
            return
        if self._sound:
            self._done()
            return
        self._fresh = False
        self._walk_again_at_s = now_s + self._walk_pause_s
        self._say(f"records still differ from the switch's; reading them again in {self._walk_pause_s:.0f} s")
        self._walk_pause_s = min(2 * self._walk_pause_s, timing.WALK_RETRY_MAX_S)

    def _done(self) -> None:
        self._fresh = False
        self._walk_pause_s = 1.0
        found = sum(len(port.records) for port in self._ports.values())
        self._say(f"{found} record{'' if found == 1 else 's'} read from the switch")
