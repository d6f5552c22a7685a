"""Nobody waits for what is free: a host of the deployable variant keeps its token, and no rate that it has no use for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from ipaddress import IPv4Address

from hosts.message_socket import MessageSocket
from hosts.negotiator import Negotiator
from hosts.plan import TransmissionPlan
from hosts.receiver_negotiation import answer
from hosts.sender_negotiation import SenderNegotiation
from hosts.sender_samples import Sampler
from hosts.transmission import Transmission
from hosts.variants.deployable import DeployableSender
from protocol.any_message import AnyMessage
from protocol.variant import VariantName
from protocol.wire import Message, MessageType, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation

THERE = "127.47.1.2"
TOKEN = 77
RATE_KBPS = 40_000


class Network(MessageSocket):
    """A host's message socket, and a first switch behind it that wants the token, and grants a rate."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[MessageType, int]] = []
        self.terminated = asyncio.Event()

    def send(self, message: AnyMessage, peer: str) -> None:
        if message.type is MessageType.TERMINATE:
            self.terminated.set()
        if not isinstance(message, ExtendedNegotiation):
            return
        self.sent.append((message.type, message.extension.token))
        reply: Message | None = replace(message, type=MessageType.CHALLENGE, extension=replace(message.extension, token=TOKEN))
        if message.extension.token == TOKEN:
            reply = answer(replace(message, extension=replace(message.extension, token=0)), RATE_KBPS)
        assert reply is not None
        asyncio.get_running_loop().call_soon(self.datagram_received, reply.encode(), (peer, 4747))


def test_a_token_is_shown_with_the_first_request_of_the_next_transmission() -> None:
    async def run() -> list[tuple[MessageType, int]]:
        network = Network()
        for number in (1, 2):
            negotiation = SenderNegotiation(DeployableSender(), TransmissionId(number, 1), RATE_KBPS, 0, 40_000)
            has_rate = asyncio.Event()
            negotiator = Negotiator(negotiation, network, THERE, lambda _change, has_rate=has_rate: has_rate.set())  # type: ignore[misc]
            negotiator.start()
            await asyncio.wait_for(has_rate.wait(), 10)
            await negotiator.end()
        return network.sent

    assert asyncio.run(run()) == [(MessageType.REQUEST, 0), (MessageType.REQUEST, TOKEN), (MessageType.REQUEST, TOKEN)]


def test_a_rate_is_given_up_when_all_is_sent_not_when_it_has_been_acknowledged() -> None:
    """The receiver does not end the connection before the terminate is there."""

    async def run() -> None:
        network = Network()
        received = bytearray()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.extend(await reader.read(-1))
            await asyncio.wait_for(network.terminated.wait(), 10)
            writer.close()

        server = await asyncio.start_server(take, THERE, 0)
        port = server.sockets[0].getsockname()[1]
        plan = TransmissionPlan(to=IPv4Address(THERE), port=port, cc="reno", negotiates=True, bytes=300_000, variant=VariantName.DEPLOYABLE)
        sending = Transmission(plan, "here", network, Sampler())
        summary = await asyncio.wait_for(sending.run(asyncio.Event()), 20)
        server.close()
        assert len(received) == plan.bytes
        assert (summary.outcome, summary.negotiation) == ("complete", "allocated")
        assert [rate for _, rate in summary.rates] == [RATE_KBPS * 1000, 0]

    asyncio.run(run())
