"""The sender's part of the fair-level variant (docs/protocol.md, D32): it asks again and again, and follows the level that its way has.

On top of hosts/deployable_negotiation.py: each of its messages is a request for all that it can use. What it is answered is the
smallest level of the switches on its way, and how much of that is free already. So nobody has to tell it that others came or went.
"""

from __future__ import annotations

from dataclasses import dataclass

from hosts.deployable_negotiation import DeployableNegotiation
from hosts.sender_negotiation import Action, Phase
from protocol.deployable_headers import EXTENDED_FRAME_BYTES
from protocol.units import BITS_PER_BYTE, BITS_PER_KILOBIT, US_PER_S
from protocol.wire import Flags, Message, MessageType
from protocol.wire_v2 import extension_of

MESSAGES_PART = 256
"""Of its rate, what its requests take at most; but they come no more often, and no more seldom, than the next two say."""
FOLLOW_MIN_S = 0.05
FOLLOW_MAX_S = 1.0


@dataclass
class FairLevelNegotiation(DeployableNegotiation):
    """One transmission's negotiation."""

    def on_message(self, message: Message, now_s: float) -> list[Action]:
        """As in DeployableNegotiation. A failure without the renegotiation flag says that a record is gone, and so it may send nothing."""
        extension = extension_of(message)
        is_latest = message.id == self.id and extension is not None and extension.sequence == self._sequence
        if message.type is MessageType.FAILURE and is_latest and Flags.RENEGOTIATION not in message.flags:
            self.rate_kbps = None
        return super().on_message(message, now_s)

    def _next_refresh_s(self, now_s: float) -> float | None:
        return now_s + self._follow_s()

    def _follow_s(self) -> float:
        """How long after an answer it asks again."""
        rate_bps = (self.rate_kbps or self.max_kbps) * BITS_PER_KILOBIT
        wanted_s = MESSAGES_PART * EXTENDED_FRAME_BYTES * BITS_PER_BYTE / rate_bps
        return max(min(max(wanted_s, FOLLOW_MIN_S), FOLLOW_MAX_S), self.rtt_us / US_PER_S)

    def _refresh(self, now_s: float) -> list[Action]:
        if self._outstanding is not None:
            self._refresh_deadline_s = self._outstanding.deadline_s
            return []
        self._refresh_deadline_s = self._next_refresh_s(now_s)
        if self.phase is not Phase.ALLOCATED:
            return []
        self.counters.refreshes += 1
        return self._request(self.max_kbps, Flags.RENEGOTIATION, now_s)

    def _ask_again_if_there_is_more(self, granted_kbps: int, before_kbps: int, now_s: float) -> None:
        super()._ask_again_if_there_is_more(granted_kbps, before_kbps, now_s)
        times = [self._next_refresh_s(now_s), self._ask_deadline_s]
        if granted_kbps < before_kbps:
            times.append(now_s)  # others wait for what this gives up
        self._refresh_deadline_s = min(time for time in times if time is not None)
        self._ask_deadline_s = None
