"""A P4Runtime client whose server is some way off: everything takes its time to get there, and to come back. Nothing overtakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any, Generic, TypeVar

import grpc
from finsy import P4Client, P4ClientError
from finsy.proto import p4r

from controller.clock import Clock

T = TypeVar("T")


class DelayLine(Generic[T]):
    """First in, first out, each the same time after it was put in."""

    def __init__(self, clock: Clock, delay_s: float) -> None:
        self._clock = clock
        self._delay_s = delay_s
        self._queue: asyncio.Queue[tuple[float, T]] = asyncio.Queue()

    def put(self, item: T) -> None:
        """Put something in, now."""
        self._queue.put_nowait((self._clock.now_s() + self._delay_s, item))

    async def get(self) -> T:
        """The next item, once it is time."""
        due_s, item = await self._queue.get()
        if (left_s := due_s - self._clock.now_s()) > 0:
            await self._clock.sleep(left_s)
        return item


class SlowClient:
    """The part of finsy's client that a connection uses.

    Args:
        client: does the work.
        clock: times the delays.
        delay_s: one way.
    """

    def __init__(self, client: P4Client, clock: Clock, delay_s: float) -> None:
        self._client = client
        self._clock = clock
        self._delay_s = delay_s
        self._outgoing: DelayLine[p4r.StreamMessageRequest | asyncio.Future[None]] = DelayLine(clock, delay_s)
        """Messages, and requests: a request's turn has come once its future is done."""
        self._incoming: DelayLine[p4r.StreamMessageResponse | Exception] = DelayLine(clock, delay_s)
        self._tasks: list[asyncio.Task[None]] = []
        self._requests: set[asyncio.Future[None]] = set()

    async def open(self, **options: Any) -> None:
        """As finsy's."""
        await self._client.open(**options)
        self._tasks.append(asyncio.create_task(self._send_on()))

    async def close(self) -> None:
        """As finsy's; messages that are still on their way are lost."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for arrived in self._requests:
            if not arrived.done():
                arrived.set_exception(_closed())
        self._requests.clear()
        await self._client.close()

    async def send(self, message: p4r.StreamMessageRequest) -> None:
        """Send on the stream. If that fails, :meth:`receive` tells: it is known only later."""
        self._outgoing.put(message)

    async def receive(self) -> p4r.StreamMessageResponse:
        """The next message of the stream, or the error that it ended with."""
        message = await self._incoming.get()
        if isinstance(message, Exception):
            raise message
        return message

    async def request(self, message: Any) -> Any:
        """A request and its reply, there and back; so is an error."""
        await self._arrive()
        return await self._after_its_way_back(self._client.request(message))

    async def request_iter(self, message: Any) -> AsyncIterator[Any]:
        """A request and its replies, which come together."""
        await self._arrive()
        for reply in await self._after_its_way_back(_all(self._client.request_iter(message))):
            yield reply

    async def _arrive(self) -> None:
        """Wait until all that was sent before has reached the switch, and a request sent now would have too."""
        if not self._tasks:
            raise _closed()
        arrived = asyncio.get_running_loop().create_future()
        self._requests.add(arrived)
        self._outgoing.put(arrived)
        await arrived

    async def _after_its_way_back(self, answer: Awaitable[T]) -> T:
        try:
            result = await answer
        except P4ClientError:
            await self._clock.sleep(self._delay_s)
            raise
        await self._clock.sleep(self._delay_s)
        return result

    async def _send_on(self) -> None:
        while True:
            item = await self._outgoing.get()
            if isinstance(item, asyncio.Future):
                self._requests.discard(item)
                if not item.done():  # the request may have been cancelled
                    item.set_result(None)
                continue
            try:
                await self._client.send(item)
            except Exception as error:
                self._incoming.put(error)
            else:
                if len(self._tasks) == 1:  # finsy opens the stream with the first message
                    self._tasks.append(asyncio.create_task(self._receive_on()))

    async def _receive_on(self) -> None:
        try:
            while True:
                self._incoming.put(await self._client.receive())
        except Exception as error:
            self._incoming.put(error)


async def _all(replies: AsyncIterator[Any]) -> list[Any]:
    return [reply async for reply in replies]


def _closed() -> P4ClientError:
    nothing = grpc.aio.Metadata()
    return P4ClientError(grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, nothing, nothing, "the connection was closed"), "request")
