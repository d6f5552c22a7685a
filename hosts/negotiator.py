"""Joins a sender's negotiation (state machine) to the message socket, the timers and the code that applies the rates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from hosts import clock
from hosts.message_socket import MessageSocket
from hosts.rate_probes import Ask, RateProbes
from hosts.sender_negotiation import Action, AskElsewhere, CarryOnAlone, Pause, Send, SenderNegotiation, SetRate
from protocol.any_message import AnyMessage

SendingChange = SetRate | Pause | CarryOnAlone | AskElsewhere
Negotiation = SenderNegotiation | RateProbes
"""How a sender comes to its rate."""

TERMINATE_GAP_S = 0.02
"""Between the two terminate messages, so that one burst of losses does not take both."""


class Negotiator:
    """Runs ``negotiation`` with ``peer``; every :data:`SendingChange` goes to ``apply``."""

    def __init__(
        self,
        negotiation: Negotiation,
        messages: MessageSocket,
        peer: str,
        apply: Callable[[SendingChange], None],
        present_rtt_us: Callable[[], int] | None = None,
    ) -> None:
        """``present_rtt_us``: of the connection, where the host knows it; some variants keep to it (decision "the present RTT")."""
        self.negotiation = negotiation
        self._present_rtt_us = present_rtt_us
        self._messages = messages
        self._peer = peer
        self._apply = apply
        self._timer: asyncio.TimerHandle | None = None
        self._is_claimed = False

    def start(self) -> None:
        """Sends the first request; everything else follows from the event loop.

        Raises:
            UserError: another transmission of this host has the same name.
        """
        self._messages.claim(self.negotiation.id, self._peer, self._on_message)
        self._is_claimed = True
        self.negotiation.token = self._messages.token
        self._do(self.negotiation.start(clock.now_s()))

    async def end(self) -> None:
        """Terminates the transmission's records in the network."""
        if not self._is_claimed:
            return
        self._messages.release(self.negotiation.id, self._peer)
        if self._timer is not None:
            self._timer.cancel()
        for number, action in enumerate(self.negotiation.end()):
            if number > 0:
                await asyncio.sleep(TERMINATE_GAP_S)
            if isinstance(action, Send | Ask):
                self._messages.send(action.message, self._peer)

    def _on_message(self, message: AnyMessage, _peer: str) -> None:
        self._note_rtt()
        known = self.negotiation.token
        actions = self.negotiation.on_message(message, clock.now_s())
        if self.negotiation.token != known:
            self._messages.token = self.negotiation.token  # for later transmissions (docs/decisions/nobody-waits-for-what-is-free.md)
        self._do(actions)

    def _on_time(self) -> None:
        self._note_rtt()
        self._do(self.negotiation.on_time(clock.now_s()))

    def _note_rtt(self) -> None:
        if self._present_rtt_us is not None:
            self.negotiation.note_rtt(self._present_rtt_us)

    def _do(self, actions: Sequence[Action | Ask]) -> None:
        for action in actions:
            if isinstance(action, Send | Ask):
                self._messages.send(action.message, self._peer)
            else:
                self._apply(action)
        if self._timer is not None:
            self._timer.cancel()
        deadline_s = self.negotiation.deadline_s
        if deadline_s is None:
            self._timer = None
        else:
            delay_s = max(0.0, deadline_s - clock.now_s())
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._on_time)
