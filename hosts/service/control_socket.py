"""How a host's service is found: a UNIX socket whose name holds in one network namespace, that is on one host.

A question and its answer are a line of JSON each. ``join`` puts the process that asks among those whose connections are served;
``status`` tells what connections have. ``relay ADDRESS`` is a conversation (relay.py).
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable

from common.errors import UserError
from hosts.service import asking
from hosts.service.asking import ANSWER_S, Answer

_CREDENTIALS = struct.Struct("=iII")

Conversation = Callable[[str, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ControlSocket:
    """The service's end.

    Args:
        answers: for each question, the function that answers it; given the process that asks.
        conversations: likewise for the first word of a question that a whole conversation follows; given the rest of it.
    """

    def __init__(self, answers: dict[str, Callable[[int], Answer]], conversations: dict[str, Conversation] | None = None) -> None:
        self._answers = answers
        self._conversations = conversations or {}
        self._going_on: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Opens it.

        Raises:
            UserError: this host has a service already.
        """
        try:
            self._server = await asyncio.start_unix_server(self._serve, path=asking.NAME)
        except OSError as error:
            raise UserError("this host has a service already", "`nodectl status` shows what it does") from error

    def close(self) -> None:
        """Closes it, and ends all conversations."""
        if self._server is not None:
            self._server.close()
        for task in self._going_on:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            question = (await asyncio.wait_for(reader.readline(), ANSWER_S)).strip().decode(errors="replace")
            word, _, rest = question.partition(" ")
            if word in self._conversations:
                await self._talk(self._conversations[word](rest, reader, writer))
                return
            answering = self._answers.get(question)
            connection: socket.socket = writer.get_extra_info("socket")
            process, _, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
            if answering is None:
                answer: Answer = {"error": f"nobody answers '{question}' here"}
            else:
                try:
                    answer = answering(process)
                except OSError as error:
                    answer = {"error": str(error.strerror)}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except (TimeoutError, ConnectionError):
            pass  # the asking process has gone
        finally:
            writer.close()

    async def _talk(self, conversation: Awaitable[None]) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._going_on.add(task)
        try:
            await conversation
        finally:
            self._going_on.discard(task)
