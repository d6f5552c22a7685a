"""A transmission that asks on "another path" (docs/decisions/another-path.md) where it is refused, before it waits.

Each path has a TCP connection of its own, from another address of this host. Nothing has been sent over one that was refused.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hosts.connection import close_at_once
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.negotiator import SendingChange
from hosts.path_turns import PathTurns
from hosts.plan import TransmissionPlan
from hosts.sender_negotiation import AskElsewhere, SenderNegotiation
from hosts.sender_samples import Sampler
from hosts.transmission import Transmission
from protocol.wire import TransmissionId

FIRST = "the route's address"
CONNECT_S = 3.0
"""A path that lets no connection come about in this time counts as one that refuses."""


class OtherPathsTransmission(Transmission):
    """Carries out ``plan`` over the first of its paths that does not refuse it.

    Args:
        plan, origin, messages, sampler, local_address: as for a transmission over one path, which is the first one.
        others: message sockets on this host's other addresses.
    """

    def __init__(
        self,
        plan: TransmissionPlan,
        origin: str,
        messages: MessageSocket | None,
        others: MessageSockets,
        sampler: Sampler,
        local_address: str | None = None,
    ) -> None:
        super().__init__(plan, origin, messages, sampler, local_address)
        self._first_messages, self._others = messages, others
        self._turns = PathTurns([local_address, *map(str, plan.other_addresses)])
        self._whole: TransmissionId | None = None
        self._is_decided = asyncio.Event()
        """Whether it may send, or is to ask elsewhere."""
        self._is_refused = False

    def _identity(self) -> TransmissionId:
        """A subflow of its own for each attempt: switches take none for a late message of another one."""
        self._whole = self._whole or super()._identity()
        return replace(self._whole, subflow=self._turns.attempt)

    def _new_negotiation(self, identity: TransmissionId, rtt_us: int) -> SenderNegotiation:
        negotiation = super()._new_negotiation(identity, rtt_us)
        negotiation.has_other_path = True
        if self._negotiator is not None:
            negotiation.counters = self._negotiator.negotiation.counters
        return negotiation

    def _apply(self, change: SendingChange) -> None:
        self._is_refused = isinstance(change, AskElsewhere)
        if not self._is_refused:
            super()._apply(change)
        self._is_decided.set()

    async def _send(self) -> None:
        await self._is_decided.wait()
        while self._is_refused:
            await self._ask_elsewhere()
            await self._is_decided.wait()
        await super()._send()

    async def _ask_elsewhere(self) -> None:
        """Asks over the next path, after a while if all have refused. One where no connection comes about has refused as well."""
        former = self._connection
        assert former is not None
        assert self._negotiator is not None
        await self._negotiator.end()
        refused_from = self._turns.path
        wait_s = self._turns.refused()
        when = f"in {wait_s:g} s" if wait_s else "at once"
        self._say(f"refused from {refused_from or FIRST}; asking from {self._turns.path or FIRST} {when}")
        await asyncio.sleep(wait_s)
        self._is_decided.clear()
        self._local_address = self._turns.path
        self._messages = self._first_messages if self._local_address is None else await self._others.at(self._local_address)
        try:
            async with asyncio.timeout(CONNECT_S):
                await self._open_connection()
        except OSError:
            self._is_decided.set()
        else:
            self._negotiate()
        finally:
            if self._samples is not None and self._connection is not None:
                self._sampler.follow(self._samples, self._connection)
            if self._connection is not former:
                close_at_once(former)
