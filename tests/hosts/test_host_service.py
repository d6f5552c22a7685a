"""The host service without a kernel's help: connections are told to it, rates are looked at, messages go over loopback addresses."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from common.errors import UserError
from hosts import variants
from hosts.cca.subflow_rates import Ends
from hosts.message_socket import MessageSocket
from hosts.pacing import payload_bytes_per_s
from hosts.receiver_negotiation import answer
from hosts.sender_negotiation import Timing
from hosts.service import asking, host_service
from hosts.service.connection_watch import ConnectionEvent, EventKind
from hosts.service.control_socket import ControlSocket
from hosts.service.host_service import HostService
from hosts.service.options import FirstRtt, ServiceOptions
from hosts.service.relay import RELAY, Relay, open_relayed
from protocol.any_message import AnyMessage
from protocol.deployable_headers import MessageExtension
from protocol.telemetry import Telemetry
from protocol.variant import VariantName
from protocol.wire import UDP_PORT, Adjustment, Message, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation
from tests.harness.waiting import LIMIT_S

HERE, THERE, NOBODY = "127.47.6.1", "127.47.6.2", "127.47.6.3"
GRANTED_KBPS = 8_000
RTT_US, MSS = 20_000, 1448


def event(number: int, kind: EventKind = EventKind.SENDS, peer: str = THERE) -> ConnectionEvent:
    return ConnectionEvent(kind, number, Ends(HERE, 40_000 + number, peer, 80), RTT_US, MSS, has_timestamps=True)


@dataclass
class Kernel:
    """The service's view of the kernel, and the values that the service writes into it."""

    sent: dict[int, int] = field(default_factory=dict)
    rates: dict[Ends, int] = field(default_factory=dict)
    rtt_now_us: int = RTT_US
    quiet: list[int] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)

    def bytes_sent(self, cookie: int) -> int | None:
        return self.sent.get(cookie)

    def rtt_us(self, cookie: int) -> int:
        return self.rtt_now_us if cookie in self.sent else 0

    def is_quiet_now(self, cookie: int) -> None:
        self.quiet.append(cookie)

    def is_alone(self, cookie: int) -> None:
        self.alone.append(cookie)

    def put(self, ends: Ends, bytes_per_s: int) -> None:
        self.rates[ends] = bytes_per_s

    def drop(self, ends: Ends) -> None:
        self.rates.pop(ends, None)


@dataclass
class Bench:
    """A service at HERE, a receiver at THERE, and the messages that the receiver got, repeats left out."""

    service: HostService
    kernel: Kernel
    asked: list[Message]
    log: list[tuple[str, dict[str, Any]]]
    there: MessageSocket

    def begin(self, number: int, peer: str = THERE) -> ConnectionEvent:
        self.kernel.sent[number] = 1
        seen = event(number, peer=peer)
        self.service.on_event(seen)
        return seen

    def of(self, kind: MessageType) -> list[Message]:
        return [message for message in self.asked if message.type is kind]


def is_repeat(message: Message, earlier: list[Message]) -> bool:
    """A request whose answer has come late, on a busy machine, is sent again."""
    return isinstance(message, Negotiation) and any(
        isinstance(one, Negotiation) and (one.type, one.id, one.flags) == (message.type, message.id, message.flags) for one in earlier
    )


def bench(test: Callable[[Bench], Awaitable[None]], options: ServiceOptions | None = None) -> None:
    """Runs ``test`` with a service that has opened its sockets."""

    async def run() -> None:
        asked: list[Message] = []

        def take(message: AnyMessage, peer: str, socket: MessageSocket) -> None:
            assert not isinstance(message, Telemetry)
            if not is_repeat(message, asked):
                asked.append(message)
            if (reply := answer(message, GRANTED_KBPS)) is not None:
                socket.send(reply, peer)

        there = await MessageSocket.open(THERE, take)
        kernel, log = Kernel(), list[tuple[str, dict[str, Any]]]()
        service = HostService(options or ServiceOptions(), kernel, lambda name, **fields: log.append((name, fields)))
        try:
            await service.open([HERE])
            service.follow(kernel)
            await test(Bench(service, kernel, asked, log, there))
        finally:
            await service.close()
            there.close()

    asyncio.run(run())


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.002)


def test_each_connection_to_the_same_host_has_a_rate_and_a_name_of_its_own() -> None:
    async def run(it: Bench) -> None:
        seen = [it.begin(number) for number in range(20)]
        await until(lambda: len(it.kernel.rates) == 20)
        assert set(it.kernel.rates.values()) == {payload_bytes_per_s(GRANTED_KBPS * 1000, seen[0])}
        requests = it.of(MessageType.REQUEST)
        assert len({request.id for request in requests}) == 20
        assert {request.rtt_us for request in requests if isinstance(request, Negotiation)} == {RTT_US}

    bench(run)


def test_a_connection_that_is_over_is_terminated_and_its_rate_forgotten() -> None:
    async def run(it: Bench) -> None:
        it.begin(1)
        other = it.begin(2)
        await until(lambda: len(it.kernel.rates) == 2)
        it.service.on_event(event(1, EventKind.IS_OVER))
        await until(lambda: len(it.of(MessageType.TERMINATE)) == 2)
        assert list(it.kernel.rates) == [other.ends]
        (gone,) = {message.id for message in it.of(MessageType.TERMINATE)}
        assert gone == it.of(MessageType.REQUEST)[0].id

    bench(run)


def test_one_that_is_over_before_it_is_asked_for_is_not_asked_for() -> None:
    async def run(it: Bench) -> None:
        it.service.on_event(event(1))
        it.begin(2)
        await until(lambda: it.kernel.rates)
        assert len(it.of(MessageType.REQUEST)) == 1

    bench(run)


def test_all_is_terminated_when_the_service_ends() -> None:
    async def run(it: Bench) -> None:
        for number in (1, 2, 3):
            it.begin(number)
        await until(lambda: len(it.kernel.rates) == 3)
        await it.service.close()
        await until(lambda: len(it.of(MessageType.TERMINATE)) == 6)
        assert it.kernel.rates == {}

    bench(run)


@pytest.mark.parametrize(("first", "packets"), [(FirstRtt.WAIT, 1), (FirstRtt.INITIAL_WINDOW, 10)])
def test_silence_gives_the_rate_back_and_sending_again_asks_again(first: FirstRtt, packets: int) -> None:
    async def run(it: Bench) -> None:
        seen = it.begin(1)
        await until(lambda: it.kernel.quiet)
        assert it.kernel.quiet == [1]
        assert it.kernel.rates[seen.ends] == packets * MSS * 1_000_000 // RTT_US
        await until(lambda: it.of(MessageType.TERMINATE))
        it.begin(1)
        await until(lambda: len(it.of(MessageType.REQUEST)) == 2)

    bench(run, ServiceOptions(first_rtt=first, idle_s=0.3))


def test_what_goes_on_sending_keeps_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_service, "LOOK_S", 0.01)

    async def run(it: Bench) -> None:
        it.begin(1)
        it.begin(2)
        async with asyncio.timeout(LIMIT_S):
            while 2 not in it.kernel.quiet:
                it.kernel.sent[1] += 1
                await asyncio.sleep(0.002)
        assert 1 not in it.kernel.quiet

    bench(run, ServiceOptions(idle_s=0.5))


def test_where_nobody_answers_connections_go_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty = Timing(first_timeout_rtts=0.1, first_timeout_min_s=0.01, timeout_max_s=0.01, tries=2)
    monkeypatch.setattr(variants, "Timing", lambda **_: hasty)

    async def run(it: Bench) -> None:
        it.begin(1, NOBODY)
        await until(lambda: it.kernel.alone)
        it.begin(2, NOBODY)
        monkeypatch.undo()  # so much haste is for nobody: on a busy machine an answer takes longer
        it.begin(3)
        await until(lambda: len(it.kernel.alone) == 2 and it.kernel.rates)
        assert it.kernel.alone == [1, 2]
        assert [fields["peer"] for name, fields in it.log if name == "unanswered"] == [NOBODY]
        assert [ends.remote_address for ends in it.kernel.rates] == [THERE]

    bench(run)


def test_it_answers_others_while_it_asks_itself() -> None:
    async def run(it: Bench) -> None:
        it.begin(1)
        replies: list[AnyMessage] = []
        identity = TransmissionId(99, 7)
        it.there.claim(identity, HERE, lambda message, _peer: replies.append(message))
        it.there.send(Negotiation(MessageType.REQUEST, identity, 50_000, 0, RTT_US), HERE)
        await until(lambda: replies and it.kernel.rates)
        (reply,) = replies
        assert isinstance(reply, Negotiation)
        assert (reply.type, reply.max_kbps) == (MessageType.SUCCESS, 3_000)

    bench(run, ServiceOptions(grants_bps=3_000_000))


def test_the_deployable_variant_says_which_data_is_meant() -> None:
    async def run(it: Bench) -> None:
        it.begin(1)
        it.begin(2)
        await until(lambda: len(it.of(MessageType.REQUEST)) >= 2)
        ports = set()
        for message in it.of(MessageType.REQUEST):
            assert isinstance(message, ExtendedNegotiation)
            ports.add((message.extension.source_port, message.extension.destination_port))
        assert ports == {(40_001, 80), (40_002, 80)}

    bench(run, ServiceOptions(variant=VariantName.DEPLOYABLE))


@pytest.mark.parametrize(("variant", "follows"), [(VariantName.DEPLOYABLE, True), (VariantName.PAPER, False)])
def test_what_is_asked_later_carries_the_present_rtt(variant: VariantName, follows: bool) -> None:
    async def run(it: Bench) -> None:
        it.begin(1)
        await until(lambda: it.kernel.rates)
        it.kernel.rtt_now_us = 3 * RTT_US
        (first,) = it.of(MessageType.REQUEST)
        assert isinstance(first, Negotiation)
        if isinstance(first, ExtendedNegotiation):
            extension = MessageExtension(sequence=first.extension.sequence)
            it.there.send(ExtendedAdjustment(MessageType.INCREASE, first.id, 2 * GRANTED_KBPS, extension=extension), HERE)
        else:
            it.there.send(Adjustment(MessageType.INCREASE, first.id, 2 * GRANTED_KBPS), HERE)
        await until(lambda: len(it.of(MessageType.REQUEST)) == 2)
        later = it.of(MessageType.REQUEST)[1]
        assert isinstance(later, Negotiation)
        assert (first.rtt_us, later.rtt_us) == (RTT_US, 3 * RTT_US if follows else RTT_US)
        assert [one.rtt_us for one in it.service.connections] == [later.rtt_us]

    bench(run, ServiceOptions(variant=variant))


def test_programs_that_negotiate_for_themselves_share_the_services_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "NAME", f"\0nodectl-relay-test-{os.getpid()}")

    async def run(it: Bench) -> None:
        control = ControlSocket({}, {RELAY: Relay(it.service.messages).serve})
        await control.open()
        programs = [await MessageSocket.open(HERE) for _ in range(2)]
        assert all(program.is_relayed for program in programs)
        heard: dict[int, list[Message]] = {1: [], 2: []}
        for number, program in enumerate(programs, start=1):
            identity = TransmissionId(number, 7)
            program.claim(identity, THERE, lambda message, _peer, number=number: heard[number].append(message))  # type: ignore[misc]
            program.send(Negotiation(MessageType.REQUEST, identity, 50_000, 0, RTT_US), THERE)
        it.begin(3)
        await until(lambda: heard[1] and heard[2] and it.kernel.rates)
        assert {message.id.content_id for message in heard[1]} == {1}
        assert {message.id.content_id for message in heard[2]} == {2}
        programs[0].close()
        it.there.send(Adjustment(MessageType.REDUCE, TransmissionId(1, 7), 1), HERE)
        it.there.send(Adjustment(MessageType.REDUCE, TransmissionId(2, 7), 1), HERE)
        await until(lambda: len(heard[2]) == 2)
        assert len(heard[1]) == 1
        with pytest.raises(UserError, match=r"passes on no messages at 192\.0\.2\.1"):
            await open_relayed("192.0.2.1")
        programs[1].close()
        control.close()

    bench(run)


def test_the_port_is_the_protocols() -> None:
    async def run(it: Bench) -> None:
        with pytest.raises(UserError, match=f"UDP port {UDP_PORT} on {HERE} is taken"):
            await MessageSocket.open(HERE)
        assert it.service.connections == []

    bench(run)
