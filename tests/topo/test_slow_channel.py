"""A way that takes time: all data comes through it late by as much, and in order."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.harness.free_port import free_port
from topo.slow_channel import serve

DELAY_S = 0.05
PIECES = 50


async def through_it(pieces: list[bytes]) -> tuple[bytes, float]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1000):
            writer.write(piece)
        writer.close()

    target, listen = free_port(), free_port()
    server = await asyncio.start_server(echo, "127.0.0.1", target)
    relays = await serve({f"127.0.0.1:{listen}": f"127.0.0.1:{target}"}, DELAY_S)
    reader, writer = await asyncio.open_connection("127.0.0.1", listen)
    began_s = time.monotonic()
    for piece in pieces:
        writer.write(piece)
    writer.write_eof()
    came = await reader.readexactly(1)
    after_s = time.monotonic() - began_s
    came += await reader.read()
    for one in [server, *relays]:
        one.close()
    return came, after_s


@pytest.mark.real_time
def test_there_and_back_takes_twice_the_delay() -> None:
    pieces = [bytes([number]) * 100 for number in range(PIECES)]
    came, after_s = asyncio.run(through_it(pieces))
    assert came == b"".join(pieces)
    assert 2 * DELAY_S <= after_s < 2 * DELAY_S + 0.02


def test_nobody_at_the_other_end_is_an_end() -> None:
    async def connect() -> bytes:
        listen = free_port()
        (relay,) = await serve({f"127.0.0.1:{listen}": f"127.0.0.1:{free_port()}"}, 0.0)
        reader, _ = await asyncio.open_connection("127.0.0.1", listen)
        came = await reader.read()
        relay.close()
        return came

    assert asyncio.run(connect()) == b""
