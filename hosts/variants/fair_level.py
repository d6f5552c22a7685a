"""The sender of the fair-level variant, "one level a port" (docs/protocol/fair-level.md): it asks again and again, and follows the level.

Its messages and grants are the deployable variant's (hosts/variants/deployable.py), but each of its messages is a request for all that it
can use. The answer is the smallest level of the switches on its way, and how much of that level is free already. So nobody has to tell it
that others came or went.
"""

from __future__ import annotations

from common.units import BITS_PER_BYTE, BITS_PER_KILOBIT, US_PER_S
from hosts.sender_negotiation import Action, Phase, SenderNegotiation
from hosts.variants.deployable import DeployableSender
from protocol.deployable_headers import EXTENDED_FRAME_BYTES
from protocol.wire import Flags, Message, MessageType
from protocol.wire_v2 import extension_of

MESSAGES_PART = 256
"""Its requests take at most one part in so many of its rate; but they come no more often and no more seldom than the next two say."""
FOLLOW_MIN_S = 0.05
FOLLOW_MAX_S = 1.0


class FairLevelSender:
    """The fair-level variant's sender, for the messages and deadlines of one transmission; its methods are those of SenderVariant."""

    def __init__(self, source_port: int = 0, destination_port: int = 0) -> None:
        self._granted = granted = DeployableSender(source_port, destination_port, self._follow)
        self.note_rtt = granted.note_rtt
        self.on_success = granted.on_success
        self.on_failure = granted.on_failure
        self.on_reduce = granted.on_reduce
        self.on_increase = granted.on_increase
        self.on_time = granted.on_time
        self.before_repeating = granted.before_repeating
        self.lower = granted.lower
        self.request = granted.request
        self.terminate = granted.terminate
        self.forget_deadlines = granted.forget_deadlines

    @property
    def token(self) -> int:
        """As in SenderVariant."""
        return self._granted.token

    @token.setter
    def token(self, token: int) -> None:
        self._granted.token = token

    @property
    def deadline_s(self) -> float | None:
        """As in SenderVariant."""
        return self._granted.deadline_s

    def before_message(self, of: SenderNegotiation, message: Message, now_s: float) -> list[Action] | None:
        """A failure without the renegotiation flag says that a record is gone, and so it may send nothing."""
        extension = extension_of(message)
        is_latest = message.id == of.id and extension is not None and extension.sequence == self._granted.sequence
        if message.type is MessageType.FAILURE and is_latest and Flags.RENEGOTIATION not in message.flags:
            of.rate_kbps = None
        return self._granted.before_message(of, message, now_s)

    def next_refresh_s(self, of: SenderNegotiation, now_s: float) -> float | None:
        """So long after an answer it asks again."""
        rate_bps = (of.rate_kbps or of.max_kbps) * BITS_PER_KILOBIT
        wanted_s = MESSAGES_PART * EXTENDED_FRAME_BYTES * BITS_PER_BYTE / rate_bps
        return now_s + max(min(max(wanted_s, FOLLOW_MIN_S), FOLLOW_MAX_S), of.rtt_us / US_PER_S)

    def refresh(self, of: SenderNegotiation, now_s: float) -> list[Action]:
        """It asks for all that it can use."""
        if of.outstanding is not None:
            of.refresh_deadline_s = of.outstanding.deadline_s
            return []
        of.refresh_deadline_s = self.next_refresh_s(of, now_s)
        if of.phase is not Phase.ALLOCATED:
            return []
        of.counters.refreshes += 1
        return of.send_request(of.max_kbps, Flags.RENEGOTIATION, now_s)

    def _follow(self, of: SenderNegotiation, granted_kbps: int, before_kbps: int, now_s: float) -> None:
        self._granted.ask_again_if_there_is_more(of, granted_kbps, before_kbps, now_s)
        times = [self.next_refresh_s(of, now_s), self._granted.deadline_s]
        if granted_kbps < before_kbps:
            times.append(now_s)  # others wait for the rate that this gives up
        of.refresh_deadline_s = min(time for time in times if time is not None)
        self._granted.deadline_s = None
