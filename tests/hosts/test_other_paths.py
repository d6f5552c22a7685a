"""A sender with several addresses, over the loopback: on which path it asks, and by which it sends. The receiver refuses."""

from __future__ import annotations

import asyncio
import csv
import errno
import json
import os
import socket
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from hosts import transmission
from hosts.connection import sending_socket
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.plan import Plan, TransmissionPlan
from hosts.receiver_negotiation import answer
from hosts.sender import SendingHost, carry_out
from protocol.any_message import AnyMessage
from protocol.variant import VariantName
from protocol.wire import MessageType, Negotiation
from tests.harness.waiting import LIMIT_S

FIRST, SECOND, THERE = "127.47.7.1", "127.47.7.2", "127.47.7.9"
GRANTED_KBPS = 80_000
SIZE_BYTES = 200_000

pytestmark = pytest.mark.real_time  # a request that is answered late is sent again

Asked = list[tuple[str, int]]


def send(folder: Path, refusals: dict[str, int], variant: VariantName = VariantName.PAPER) -> tuple[dict[str, Any], Asked, dict[str, int]]:
    """Sends to a receiver that refuses so many requests from an address.

    Returns the summary, from which address and as which subflow was asked, and the bytes that came from each address.
    """
    asked: Asked = []
    came: dict[str, int] = {}

    def take(message: AnyMessage, peer: str, messages: MessageSocket) -> None:
        if isinstance(message, Negotiation) and message.type is MessageType.REQUEST:
            refuses = sum(address == peer for address, _ in asked) < refusals.get(peer, 0)
            asked.append((peer, message.id.subflow))
            reply = answer(message, 0 if refuses else GRANTED_KBPS)
            assert reply is not None
            messages.send(reply, peer)

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str(writer.get_extra_info("peername")[0])
        came.setdefault(address, 0)
        try:
            while part := await reader.read(1 << 16):
                came[address] += len(part)
        except ConnectionResetError:
            pass
        writer.close()

    async def run() -> None:
        there = await MessageSocket.open(THERE, take)
        sockets = MessageSockets()
        try:
            async with await asyncio.start_server(receive, THERE, 0) as server, asyncio.timeout(LIMIT_S):
                plan = TransmissionPlan(
                    to=IPv4Address(THERE),
                    port=server.sockets[0].getsockname()[1],
                    cc="reno",
                    negotiates=True,
                    variant=variant,
                    bytes=SIZE_BYTES,
                    other_addresses=(IPv4Address(SECOND),),
                    samples=folder / "samples.csv",
                    summary=folder / "summary.json",
                )
                await carry_out(Plan(transmissions=(plan,)), SendingHost(sockets, FIRST, FIRST, asyncio.Event()), lambda: None)
        finally:
            sockets.close()
            there.close()

    asyncio.run(run())
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    return summary, asked, came


@pytest.mark.parametrize("variant", VariantName)
def test_who_is_refused_goes_by_the_other_path(tmp_path: Path, variant: VariantName) -> None:
    summary, asked, came = send(tmp_path, {FIRST: 1}, variant)
    assert asked == [(FIRST, 0), (SECOND, 1)]
    assert came == {FIRST: 0, SECOND: SIZE_BYTES}
    assert (summary["outcome"], summary["negotiation"], summary["local_address"]) == ("complete", "allocated", SECOND)
    assert (summary["messages"]["requests"], summary["messages"]["failures"], summary["messages"]["successes"]) == (2, 1, 1)
    with (tmp_path / "samples.csv").open(newline="") as file:
        assert int([*csv.DictReader(file)][-1]["bytes_acked"]) > SIZE_BYTES / 2


def test_who_is_not_refused_stays_on_the_first(tmp_path: Path) -> None:
    summary, asked, came = send(tmp_path, {})
    assert asked == [(FIRST, 0)]
    assert came == {FIRST: SIZE_BYTES}
    assert summary["local_address"] == FIRST


def test_all_are_asked_again_after_a_while(tmp_path: Path) -> None:
    summary, asked, came = send(tmp_path, {FIRST: 1, SECOND: 1})
    assert asked == [(FIRST, 0), (SECOND, 1), (FIRST, 2)]
    assert came == {FIRST: SIZE_BYTES, SECOND: 0}
    assert summary["first_data_s"] - summary["connected_s"] > 0.5


def test_a_path_without_a_connection_is_one_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(scheme: str, local_address: str | None = None) -> socket.socket:
        if local_address == SECOND:
            raise OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))
        return sending_socket(scheme, local_address)

    monkeypatch.setattr(transmission, "sending_socket", opened)
    summary, asked, came = send(tmp_path, {FIRST: 1})
    assert asked == [(FIRST, 0), (FIRST, 2)]
    assert came == {FIRST: SIZE_BYTES}
    assert summary["outcome"] == "complete"
