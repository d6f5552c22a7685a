"""The interface of a variant's policy: the response to the events of one switch."""

from __future__ import annotations

from typing import Protocol

from controller.known_switch import KnownSwitch
from controller.records import Record
from protocol.headers import Event
from protocol.wire import Negotiation


class Policy(Protocol):
    """One switch's policy. It reads no clock and sends nothing: the time comes with every call, and entries go to the switch's outbox."""

    @property
    def switch(self) -> KnownSwitch:
        """The controller's knowledge of the switch."""

    @property
    def takes_back(self) -> bool:
        """Whether the controller takes back the rate that a sender keeps after a reduce (decision "enforcement")."""

    def connected(self, now_s: float, *, is_empty: bool) -> None:
        """The switch is connected and configured. ``is_empty``: it has no records (its pipeline was just loaded)."""

    def set_capacity(self, port_number: int, capacity_kbps: int, now_s: float) -> tuple[int, int]:
        """The link behind a port has another rate now, in kbit/s (decision "a link's new rate").

        Returns:
            How many records are reduced, and how many are offered more.
        """

    def handle(self, event: Event, message: Negotiation | None, now_s: float) -> None:
        """An event came; ``message`` is the negotiation message that caused it, if one did."""

    def tick(self, now_s: float) -> None:
        """Housekeeping, to be called every `timing.TICK_S`."""

    def keeping_too_much(self, now_s: float) -> list[Record]:
        """Records whose senders were told to give something up, and have not said in time that they have (decision "enforcement")."""
