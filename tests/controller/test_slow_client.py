"""A P4Runtime server that is some way off: how long calls take, in which order, and how errors come back. Exact, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from finsy import GRPCStatusCode, P4Client, P4ClientError
from finsy.proto import p4r

from controller.slow_client import DelayLine, SlowClient
from tests.harness.simulated_time import SimulatedClock, run_simulated

CLOCK = SimulatedClock()
ONE_WAY_S = 0.25


class NearClient(P4Client):
    """Answers at once, and writes down when it was asked what."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1")
        self.calls: list[tuple[float, Any]] = []
        self.incoming: asyncio.Queue[p4r.StreamMessageResponse | Exception] = asyncio.Queue()
        self.refusal: Exception | None = None
        self.is_open = False

    def note(self, what: Any) -> None:
        self.calls.append((CLOCK.now_s(), what))
        if self.refusal is not None:
            raise self.refusal

    async def open(self, **options: Any) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def send(self, msg: p4r.StreamMessageRequest) -> None:
        self.note(msg.packet.payload)

    async def receive(self) -> p4r.StreamMessageResponse:
        message = await self.incoming.get()
        if isinstance(message, Exception):
            raise message
        return message

    async def request(self, msg: Any) -> Any:
        self.note(type(msg).__name__)
        return "done"

    async def request_iter(self, msg: Any) -> AsyncIterator[Any]:
        self.note(type(msg).__name__)
        yield 1
        yield 2


def packet(number: int) -> p4r.StreamMessageRequest:
    return p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes([number])))


def failure() -> P4ClientError:
    return P4ClientError(grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), "gone"), "request")


def between_them(test: Callable[[NearClient, SlowClient], Awaitable[None]]) -> Callable[[], None]:
    """Makes a test of a near client and a slow one around it; the connection is open while the test runs."""

    async def open_and_close() -> None:
        near = NearClient()
        slow = SlowClient(near, CLOCK, ONE_WAY_S)
        await slow.open(schema=None)
        assert near.is_open
        await test(near, slow)
        await slow.close()
        assert not near.is_open

    def run() -> None:
        run_simulated(open_and_close())

    run.__name__ = run.__qualname__ = test.__name__
    return run


def test_nothing_overtakes_and_everything_takes_the_same_time() -> None:
    async def main() -> list[tuple[float, int]]:
        line: DelayLine[int] = DelayLine(CLOCK, ONE_WAY_S)
        taken = []

        async def take() -> None:
            for _ in range(4):
                number = await line.get()
                taken.append((CLOCK.now_s(), number))

        taking = asyncio.create_task(take())
        line.put(1)
        line.put(2)
        await CLOCK.until(0.125)
        line.put(3)
        await CLOCK.until(2.0)
        line.put(4)
        await taking
        return taken

    assert run_simulated(main()) == [(0.25, 1), (0.25, 2), (0.375, 3), (2.25, 4)]


def test_what_waited_longer_than_the_way_takes_is_not_delayed_again() -> None:
    async def main() -> float:
        line: DelayLine[int] = DelayLine(CLOCK, ONE_WAY_S)
        line.put(1)
        await CLOCK.until(1.0)
        await line.get()
        return CLOCK.now_s()

    assert run_simulated(main()) == 1.0


@between_them
async def test_packets_take_their_time_in_both_directions(near: NearClient, slow: SlowClient) -> None:
    await slow.send(packet(1))
    await slow.send(packet(2))
    assert CLOCK.now_s() == 0  # nobody waits for packets on their way
    await CLOCK.until(1.0)
    assert near.calls == [(0.25, b"\1"), (0.25, b"\2")]
    near.incoming.put_nowait(p4r.StreamMessageResponse(packet=p4r.PacketIn(payload=b"\3")))
    assert (await slow.receive()).packet.payload == b"\3"
    assert CLOCK.now_s() == 1.25


@between_them
async def test_a_request_goes_there_and_its_reply_back_and_packets_before_it_stay_before_it(near: NearClient, slow: SlowClient) -> None:
    await slow.send(packet(1))
    assert await slow.request(p4r.WriteRequest()) == "done"
    assert CLOCK.now_s() == 0.5
    assert [reply async for reply in slow.request_iter(p4r.ReadRequest())] == [1, 2]
    assert CLOCK.now_s() == 1.0
    assert near.calls == [(0.25, b"\1"), (0.25, "WriteRequest"), (0.75, "ReadRequest")]


@between_them
async def test_a_refusal_comes_back_as_late_as_a_reply(near: NearClient, slow: SlowClient) -> None:
    near.refusal = failure()
    with pytest.raises(P4ClientError, match="gone"):
        await slow.request(p4r.WriteRequest())
    assert CLOCK.now_s() == 0.5
    with pytest.raises(P4ClientError, match="gone"):
        [reply async for reply in slow.request_iter(p4r.ReadRequest())]
    assert CLOCK.now_s() == 1.0


@between_them
async def test_a_stream_that_ends_is_told_where_messages_are_waited_for(near: NearClient, slow: SlowClient) -> None:
    await slow.send(packet(1))
    await CLOCK.until(1.0)
    near.incoming.put_nowait(RuntimeError("got EOF"))
    with pytest.raises(RuntimeError, match="got EOF"):
        await slow.receive()
    assert CLOCK.now_s() == 1.25


@between_them
async def test_so_is_one_that_takes_nothing(near: NearClient, slow: SlowClient) -> None:
    near.refusal = failure()
    await slow.send(packet(1))
    with pytest.raises(P4ClientError, match="gone"):
        await slow.receive()
    assert CLOCK.now_s() == 0.5


@between_them
async def test_a_request_whose_connection_is_closed_meanwhile_fails_as_if_the_switch_were_gone(near: NearClient, slow: SlowClient) -> None:
    asking = asyncio.create_task(slow.request(p4r.WriteRequest()))
    await CLOCK.until(0.1)
    await slow.close()
    for request in (asking, slow.request(p4r.WriteRequest())):
        with pytest.raises(P4ClientError, match="closed") as caught:
            await request
        assert caught.value.code == GRPCStatusCode.UNAVAILABLE
    assert near.calls == []


@between_them
async def test_a_request_that_nobody_waits_for_any_more_keeps_nothing_from_going_on(near: NearClient, slow: SlowClient) -> None:
    asking = asyncio.create_task(slow.request(p4r.WriteRequest()))
    await CLOCK.until(0.1)
    asking.cancel()
    await slow.send(packet(1))
    await CLOCK.until(1.0)
    assert near.calls == [(0.35, b"\1")]
