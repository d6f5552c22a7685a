"""One switch as the controller knows it: events in, packet-out entries and log lines out.

There is no I/O and no clock in here: the time comes with every call. Entries to send wait in `outbox`, log lines in a journal, and messages
to other programs in announcements. The same calls in the same order give the same entries in the same order. The knowledge of the switch
is in controller/known_switch.py; its variant's policy makes the decisions (controller/variants).
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable
from typing import Any

from controller import narrate, timing
from controller.known_switch import SwitchOptions
from controller.names import NameBook, rate_text
from controller.outbox import Batch, Outbox
from controller.reconcile import Reconciler
from controller.records import PortRecords, Record
from controller.variants import policy_of
from protocol.constants import SLOTS
from protocol.headers import Event, TransmissionId
from protocol.variant import COMPLETE, Variant
from protocol.wire import Negotiation
from scenario.network_description import PortDescription

KEY_BITS = 64


class SwitchState:
    """The ports and records of one switch, and the response to each event."""

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
        """``variant``: of the switch's program; its policy decides.

        ``slots``: how many records the switch has places for.

        ``new_key``: gives the secrets that a switch may need (decisions "tokens", "places by a keyed hash").
        """
        self._policy = policy_of(SwitchOptions(name, ports, names, variant, slots, new_key))
        self._switch = self._policy.switch
        self.name = name
        self.takes_back = self._policy.takes_back

    @property
    def ports(self) -> dict[int, PortRecords]:
        """By number; those too that are not described any more and have records still."""
        return self._switch.ports

    @property
    def outbox(self) -> Outbox:
        """The entries that wait to be sent."""
        return self._switch.outbox

    @property
    def reconciler(self) -> Reconciler:
        """How far the records are known to be the switch's."""
        return self._switch.reconciler

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """The switch is connected and configured. ``is_empty``: it has no records (its pipeline was just loaded).

        Records known from before get a full time-out again: their refreshes may have passed unseen.
        """
        self._policy.connected(now_s, is_empty=is_empty)

    def set_capacity(self, port_number: int, capacity_kbps: int, now_s: float) -> tuple[int, int]:
        """The link behind a port has another rate now, and the switch's table entry says so already (decision "a link's new rate").

        Lower: records above the level at which all fit are reduced to it. Higher: freed capacity is handed out at
        once (docs/decisions/freed-capacity-is-handed-out-at-once.md), as after a departure.

        Returns:
            How many records are reduced, and how many are offered more.
        """
        return self._policy.set_capacity(port_number, capacity_kbps, now_s)

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """An event came; ``message`` is the negotiation message that caused it, if one did."""
        self._policy.handle(event, message, now_s)

    def tick(self, now_s: float) -> None:
        """Housekeeping, to be called every `timing.TICK_S`."""
        self._policy.tick(now_s)

    @property
    def knows_all_records(self) -> bool:
        """Whether the records of the switch have been read since the controller came to it."""
        return self._switch.take_over is None

    def records_of(self, transmission: TransmissionId) -> list[Record]:
        """Its records, by port."""
        return self._switch.records_of(transmission)

    def keeping_too_much(self, now_s: float) -> list[Record]:
        """Records whose senders were told to give something up, and have not said in time that they have (decision "enforcement")."""
        return self._policy.keeping_too_much(now_s)

    def reduce_again(self, record: Record, now_s: float) -> None:
        """Tell the record's sender once more, if it was not told lately."""
        if now_s - record.reduced_at_s >= timing.REDUCE_ACK_S:
            record.reduced_at_s = now_s
            self.outbox.reduce(record, record.rate_kbps)

    def take_back(self, record: Record) -> None:
        """Lower the record's reserve to its reduced rate; senders that wait for the rest are told to ask for it."""
        kept = rate_text(record.reserved_kbps - record.rate_kbps)
        record.reserved_kbps = record.rate_kbps
        self.outbox.take_back(record)
        self._switch.say(
            logging.WARNING,
            f"port {record.data_port}: {narrate.name_of(record, self._switch.names)} does not obey: {kept} Mbit/s taken back",
        )
        self.ports[record.data_port].taken_back = True

    def take_batches(self, now_s: float) -> list[Batch]:
        """The batches to send now, in order. The caller must send them or call `connected` again."""
        batches, ports = self.outbox.take()
        self.reconciler.reads_sent(ports, now_s)
        return batches

    def take_announcements(self) -> list[dict[str, Any]]:
        """The messages to other programs about all that happened since the last call."""
        told, self._switch.announcements = self._switch.announcements, []
        return told

    def take_journal(self) -> list[tuple[int, str]]:
        """(log level, sentence) of all that happened since the last call."""
        lines, self._switch.journal = self._switch.journal, []
        return lines
