"""``python -m topo.slow_channel DELAY_S LISTEN=TARGET …``: a way between a controller and its switches that takes time.

The testbed's own controller takes that time by itself (controller/slow_client.py); somebody's cannot, so the way does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping

from common import fine_timers

PIECE_BYTES = 1 << 16
END = b""


async def serve(ways: Mapping[str, str], delay_s: float) -> list[asyncio.Server]:
    """Listen at addresses, and pass all data on to others, each piece so much later, in both directions.

    Args:
        ways: ``HOST:PORT`` to listen at, and that to pass on to.
        delay_s: of every piece, in seconds.

    Returns:
        The servers, which listen already.

    Raises:
        OSError: one cannot listen there.
    """

    async def server(listen: str, target: str) -> asyncio.Server:
        host, _, port = listen.rpartition(":")

        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _connect(reader, writer, target, delay_s)

        return await asyncio.start_server(accepted, host, int(port))

    return [await server(listen, target) for listen, target in ways.items()]


async def _connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: str, delay_s: float) -> None:
    host, _, port = target.rpartition(":")
    try:
        other_reader, other_writer = await asyncio.open_connection(host, int(port))
    except OSError:
        writer.close()  # as if nobody listened
        return
    try:
        await asyncio.gather(_pass(reader, other_writer, delay_s), _pass(other_reader, writer, delay_s))
    finally:
        writer.close()
        other_writer.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    sending = asyncio.create_task(_send(waiting, writer))
    clock = asyncio.get_running_loop().time
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            waiting.put_nowait((clock() + delay_s, piece))
    waiting.put_nowait((clock() + delay_s, END))
    await sending


async def _send(waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    clock = asyncio.get_running_loop().time
    with contextlib.suppress(OSError):
        while True:
            due_s, piece = await waiting.get()
            await asyncio.sleep(max(0.0, due_s - clock()))
            if piece == END:
                writer.write_eof()
                return
            writer.write(piece)
            await writer.drain()


async def _run(ways: Mapping[str, str], delay_s: float) -> None:
    servers = await serve(ways, delay_s)
    print(json.dumps({"event": "ready"}), flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


def main(words: list[str]) -> None:
    """Pass on until it is ended."""
    delay, *ways = words
    with contextlib.suppress(KeyboardInterrupt):
        fine_timers.run(_run(dict(way.split("=") for way in ways), float(delay)))


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(sys.argv[1:]))
