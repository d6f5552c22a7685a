"""One socket for both roles of a host: which role gets which message."""

from __future__ import annotations

import asyncio
import socket

import pytest

from common.errors import UserError
from hosts.message_socket import MessageSocket
from protocol.any_message import AnyMessage
from protocol.deployable_headers import MessageExtension
from protocol.telemetry import TelemetryType
from protocol.wire import UDP_PORT, Adjustment, Message, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation

HERE, THERE, ELSEWHERE = "127.47.1.1", "127.47.1.2", "127.47.1.3"
ID, OTHER_ID = TransmissionId(7, 1), TransmissionId(8, 1)
MESSAGES: dict[MessageType, Message] = {
    MessageType.REQUEST: Negotiation(MessageType.REQUEST, ID, 100, 0, 1000),
    MessageType.SUCCESS: Negotiation(MessageType.SUCCESS, ID, 100, 0, 1000),
    MessageType.FAILURE: Negotiation(MessageType.FAILURE, ID, 100, 0, 1000),
    MessageType.CHALLENGE: ExtendedNegotiation(MessageType.CHALLENGE, ID, 100, 0, 1000, extension=MessageExtension(sequence=1, token=7)),
    MessageType.REDUCE: Adjustment(MessageType.REDUCE, ID, 50),
    MessageType.INCREASE: Adjustment(MessageType.INCREASE, ID, 50),
    MessageType.TERMINATE: Adjustment(MessageType.TERMINATE, ID, 0),
}


class Host:
    """A socket at HERE, and the messages that its two roles have been given."""

    def __init__(self) -> None:
        self.as_receiver: list[tuple[MessageType | TelemetryType, str]] = []
        self.as_sender: list[tuple[MessageType | TelemetryType, str]] = []

    async def open(self) -> MessageSocket:
        self.messages = await MessageSocket.open(HERE, lambda message, peer, _socket: self.as_receiver.append((message.type, peer)))
        return self.messages

    def claim(self, transmission: TransmissionId, peer: str) -> None:
        self.messages.claim(transmission, peer, lambda message, peer: self.as_sender.append((message.type, peer)))

    def get(self, message: Message, peer: str, port: int = UDP_PORT) -> None:
        self.messages.datagram_received(message.encode(), (peer, port))


@pytest.mark.parametrize("kind", MessageType)
def test_the_type_says_whose_a_message_is_even_if_both_hosts_use_the_same_id(kind: MessageType) -> None:
    async def run() -> Host:
        host = Host()
        opened = await host.open()
        host.claim(ID, THERE)
        host.get(MESSAGES[kind], THERE)
        opened.close()
        return host

    host = asyncio.run(run())
    to_receiver = kind in (MessageType.REQUEST, MessageType.TERMINATE)
    assert host.as_receiver == ([(kind, THERE)] if to_receiver else [])
    assert host.as_sender == ([] if to_receiver else [(kind, THERE)])


def test_what_no_transmission_waits_for_is_counted() -> None:
    async def run() -> tuple[Host, int, int]:
        host = Host()
        opened = await host.open()
        host.claim(ID, THERE)
        reduce = MESSAGES[MessageType.REDUCE]
        host.get(reduce, ELSEWHERE)
        host.get(Adjustment(MessageType.REDUCE, OTHER_ID, 50), THERE)
        host.get(reduce, THERE, port=4748)
        opened.release(ID, THERE)
        host.get(reduce, THERE)
        opened.close()
        return host, opened.unclaimed, opened.malformed

    host, unclaimed, malformed = asyncio.run(run())
    assert (host.as_sender, host.as_receiver) == ([], [])
    assert (unclaimed, malformed) == (3, 1)


def test_a_name_that_is_in_use_is_refused() -> None:
    async def run() -> None:
        host = Host()
        opened = await host.open()
        try:
            host.claim(ID, THERE)
            host.claim(ID, ELSEWHERE)
            with pytest.raises(UserError, match="has the content_id 0000000000000007"):
                host.claim(ID, THERE)
        finally:
            opened.close()

    asyncio.run(run())


def test_datagrams_come_in_and_go_out_by_port_4747() -> None:
    async def run() -> tuple[bytes, tuple[str, int], list[tuple[MessageType | TelemetryType, str]]]:
        came = asyncio.Event()
        host = Host()

        def take(message: AnyMessage, peer: str, _: MessageSocket) -> None:
            host.as_receiver.append((message.type, peer))
            came.set()

        opened = await MessageSocket.open(HERE, take)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind((THERE, UDP_PORT))
            other.settimeout(5)
            other.sendto(MESSAGES[MessageType.REQUEST].encode(), (HERE, UDP_PORT))
            await asyncio.wait_for(came.wait(), 5)
            opened.send(MESSAGES[MessageType.SUCCESS], THERE)
            data, sender = await asyncio.to_thread(other.recvfrom, 100)
        opened.close()
        return data, sender, host.as_receiver

    data, sender, received = asyncio.run(run())
    assert received == [(MessageType.REQUEST, THERE)]
    assert (data, sender) == (MESSAGES[MessageType.SUCCESS].encode(), (HERE, UDP_PORT))
