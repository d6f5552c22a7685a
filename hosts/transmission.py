"""One transmission of a sender: connect, negotiate, send, terminate."""

from __future__ import annotations

import asyncio
import socket
import sys

from common.errors import UserError
from common.units import BITS_PER_BYTE, BITS_PER_KILOBIT, US_PER_S
from hosts import clock, pacing, tcp_info
from hosts.connection import (
    close_at_once,
    congestion_control,
    sending_socket,
    set_congestion_control,
    system_congestion_control,
)
from hosts.hpcc_window import HpccWindow
from hosts.message_socket import MessageSocket
from hosts.negotiator import Negotiation, Negotiator, SendingChange
from hosts.plan import NODECTL, TransmissionPlan
from hosts.rate_probes import Law, MeasuredLinks, RateProbes, ToldRate
from hosts.sender_negotiation import CarryOnAlone, Pause, Phase, SenderNegotiation, SetRate
from hosts.sender_samples import ConnectionSamples, Sampler
from hosts.summary import Summary
from hosts.variants import new_negotiation
from protocol.variant import DESIGNS
from protocol.wire import TransmissionId

CHUNK = memoryview(bytes(64 << 10))
FALLBACK_IF_DEFAULT_NEGOTIATES = "reno"
LEAST_UNTIL_SENT_S = 0.001
MOST_UNTIL_SENT_S = 0.05
"""How long to wait, at its rate or while it has none, before looking again whether everything has been sent."""


class Transmission:
    """Carries out ``plan``; :meth:`run` returns when it is over.

    Args:
        plan: the data to send, its receiver and its times.
        origin: where the plan's congestion control comes from, for the summary.
        messages: the host's message socket; needed if the plan negotiates.
        sampler: takes the samples, if the plan wants any.
        local_address: source address, or None for the route's.
    """

    def __init__(
        self, plan: TransmissionPlan, origin: str, messages: MessageSocket | None, sampler: Sampler, local_address: str | None = None
    ) -> None:
        self._plan = plan
        self._messages = messages
        self._sampler = sampler
        self._local_address = local_address
        self._peer = str(plan.to)
        self._connection: socket.socket | None = None
        self._samples: ConnectionSamples | None = None
        self._negotiator: Negotiator | None = None
        self._may_send = asyncio.Event()
        self._waiting_until_sent: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self.summary = Summary(plan.name, self._peer, plan.cc, origin)

    async def run(self, interrupted: asyncio.Event) -> Summary:
        """Runs the transmission to its end, its stop time or ``interrupted``, whichever comes first. Does not raise."""
        work = asyncio.create_task(self._transmit())
        interrupt = asyncio.create_task(interrupted.wait())
        time_left_s = None if self._plan.stop_at is None else max(0.0, self._plan.stop_at - clock.now_s())
        await asyncio.wait({work, interrupt}, timeout=time_left_s, return_when=asyncio.FIRST_COMPLETED)
        is_finished = work.done()
        work.cancel()
        interrupt.cancel()
        (error,) = await asyncio.gather(work, return_exceptions=True)
        if not is_finished:
            self.summary.outcome = "interrupted" if interrupted.is_set() else "stopped"
        elif isinstance(error, (UserError, OSError)):
            self.summary.error = self._explain(error)
        elif isinstance(error, BaseException):
            raise error
        else:
            self.summary.outcome = "complete"
        try:
            await self._finish()
        except UserError as samples_error:
            self.summary.outcome, self.summary.error = "failed", self._explain(samples_error)
        return self.summary

    async def _transmit(self) -> None:
        await clock.sleep_until(self._plan.start_at)
        await self._connect()
        if self._plan.negotiates:
            self._negotiate()
        else:
            self._may_send.set()
        await self._send()

    async def _connect(self) -> None:
        self.summary.start_s = clock.now_s()
        await self._open_connection()
        if self._plan.samples is not None:
            assert self._connection is not None
            self._samples = self._sampler.add(self._connection, self._plan.samples)

    async def _open_connection(self) -> None:
        self._connection = sending_socket(self._plan.cc, self._local_address)
        await asyncio.get_running_loop().sock_connect(self._connection, (self._peer, self._plan.port))
        self.summary.connected_s = self.summary.connected_s or clock.now_s()
        self.summary.local_address, self.summary.local_port = self._connection.getsockname()
        self.summary.local_ports = [self.summary.local_port]
        info = tcp_info.read(self._connection)
        self.summary.handshake_rtt_s = info.srtt_us / US_PER_S

    def _negotiate(self) -> None:
        assert self._messages is not None
        assert self.summary.handshake_rtt_s is not None
        identity = self._identity()
        self.summary.content_id = f"{identity.content_id:016x}"
        rtt_us = round(self.summary.handshake_rtt_s * US_PER_S)
        negotiation: Negotiation
        if self._plan.asks_every_rtt:
            negotiation = RateProbes(identity, self._plan.max_rate_kbps, rtt_us, self._law(rtt_us))
        else:
            negotiation = self._new_negotiation(identity, rtt_us)
        self._negotiator = Negotiator(negotiation, self._messages, self._peer, self._apply, self._present_rtt_us)
        self._negotiator.start()

    def _law(self, rtt_us: int) -> Law:
        if self._plan.reads_telemetry:
            assert self._connection is not None
            return MeasuredLinks(HpccWindow(pacing.frame_bytes(tcp_info.read(self._connection)), rtt_us))
        return ToldRate(self._plan.says_its_rate)

    def _new_negotiation(self, identity: TransmissionId, rtt_us: int) -> SenderNegotiation:
        return new_negotiation(self._plan, identity, rtt_us, (self.summary.local_port, self._plan.port))

    def _present_rtt_us(self) -> int:
        assert self._connection is not None
        return tcp_info.read(self._connection).srtt_us

    def _identity(self) -> TransmissionId:
        content_id = clock.random_content_id(self._plan.name) if self._plan.content_id is None else self._plan.content_id
        return TransmissionId(content_id, int(self._plan.to))

    def _apply(self, change: SendingChange) -> None:
        """The negotiation has changed what may be sent."""
        assert self._connection is not None
        now_s = clock.now_s()
        rate_bps = change.rate_kbps * BITS_PER_KILOBIT if isinstance(change, SetRate) else 0
        if isinstance(change, SetRate):
            info = tcp_info.read(self._connection)
            pacing.set_max_pacing_rate(self._connection, pacing.payload_bytes_per_s(rate_bps, info))
            self.summary.allocated_s = self.summary.allocated_s or now_s
            self._may_send.set()
        elif isinstance(change, Pause):
            self._may_send.clear()
            pacing.set_max_pacing_rate(self._connection, pacing.PAUSED_BYTES_PER_S)
            self._say("its rate was taken away; waiting")
        elif isinstance(change, CarryOnAlone):
            pacing.set_max_pacing_rate(self._connection, None)
            instead = fallback(self._plan.cc)
            set_congestion_control(self._connection, instead)
            why = "answers come another way than requests go" if change.another_way else "no switch on the path answers"
            why += f" to {self._peer}"
            self._say(f"{why}; going on with {instead} instead of {self._plan.cc}")
            self._may_send.set()
        self.summary.rates.append((now_s, rate_bps))
        if self._samples is not None:
            self._sampler.note_rate(self._samples, rate_bps)

    async def _send(self) -> None:
        """Keeps the socket's buffer filled; with a number of bytes, waits until the receiver has them all."""
        assert self._connection is not None
        loop = asyncio.get_running_loop()
        await self._may_send.wait()
        self.summary.first_data_s = clock.now_s()
        left = self._plan.bytes
        while left is None or left > 0:
            await self._may_send.wait()
            chunk = CHUNK if left is None else CHUNK[:left]
            await loop.sock_sendall(self._connection, chunk)
            if left is not None:
                left -= len(chunk)
        self._connection.shutdown(socket.SHUT_WR)
        if self._plan.negotiates and DESIGNS[self._plan.variant].gives_up_when_sent:
            self._waiting_until_sent = asyncio.create_task(self._end_when_sent(self._connection))
        while await loop.sock_recv(self._connection, 64):
            pass  # a greeting at most; then the end of the stream: the receiver has it all

    async def _end_when_sent(self, connection: socket.socket) -> None:
        """Gives up the rate when everything has been sent once, before it has arrived (docs/decisions/nobody-waits-for-what-is-free.md)."""
        while (unsent_bytes := tcp_info.read(connection).notsent_bytes) > 0:
            rate_bps = self.summary.rates[-1][1] if self.summary.rates else 0
            takes_s = unsent_bytes * BITS_PER_BYTE / rate_bps if rate_bps else MOST_UNTIL_SENT_S
            await asyncio.sleep(min(max(takes_s, LEAST_UNTIL_SENT_S), MOST_UNTIL_SENT_S))
        assert self._negotiator is not None
        self.summary.negotiation = negotiation_state(self._negotiator.negotiation)
        self.summary.rates.append((clock.now_s(), 0))
        self._ending = asyncio.create_task(self._negotiator.end())

    async def _finish(self) -> None:
        """Closes, terminates, fills in the summary."""
        summary = self.summary
        summary.end_s = clock.now_s()
        if self._connection is not None:
            if self._samples is not None:
                self._sampler.remove(self._samples)
            self._read_totals(self._connection)
            self._close()
        if self._waiting_until_sent is not None:
            self._waiting_until_sent.cancel()
        if self._ending is not None:
            await self._ending
        if self._negotiator is not None:
            negotiation = self._negotiator.negotiation
            if self._ending is None:
                summary.negotiation = negotiation_state(negotiation)
                await self._negotiator.end()
            summary.messages = dict(vars(negotiation.counters))

    def _close(self) -> None:
        if self._connection is None:
            return
        if self.summary.outcome == "complete":
            self._connection.close()
        else:
            close_at_once(self._connection)

    def _goodput_bps(self, bytes_acked: int) -> float:
        summary = self.summary
        if summary.first_data_s is None or summary.end_s is None or summary.end_s <= summary.first_data_s:
            return 0.0
        return bytes_acked * BITS_PER_BYTE / (summary.end_s - summary.first_data_s)

    def _read_totals(self, connection: socket.socket) -> None:
        summary = self.summary
        info = tcp_info.read(connection)
        summary.congestion_control_at_end = congestion_control(connection)
        summary.min_rtt_s = info.min_rtt_us / US_PER_S
        summary.mss_bytes, summary.frame_bytes = info.snd_mss_bytes, pacing.frame_bytes(info)
        summary.bytes_sent, summary.bytes_acked = info.bytes_sent, info.bytes_acked
        summary.bytes_retrans, summary.retransmits = info.bytes_retrans, info.total_retrans
        summary.goodput_bps = self._goodput_bps(info.bytes_acked)

    def _explain(self, error: UserError | OSError) -> str:
        if isinstance(error, UserError):
            text = str(error)
        elif self.summary.connected_s is None:
            text = f"cannot connect to {self._peer} port {self._plan.port}: {error.strerror or error}; is a receiver running there?"
        else:
            text = f"the connection to {self._peer} broke: {error.strerror or error}"
        self._say(text)
        return text

    def _say(self, text: str) -> None:
        print(f"{self._plan.name}: {text}", file=sys.stderr, flush=True)


def fallback(scheme: str) -> str:
    """The congestion control in place of ``scheme`` where nobody negotiates: the system's, unless that needs a rate as well."""
    default = system_congestion_control()
    return FALLBACK_IF_DEFAULT_NEGOTIATES if default in (scheme, NODECTL) else default


def negotiation_state(negotiation: Negotiation) -> str:
    """How the negotiation ended, in the summary's word."""
    if negotiation.phase in (Phase.UNANSWERED, Phase.ANOTHER_WAY):
        return negotiation.phase.name.lower()
    return "allocated" if negotiation.phase is Phase.ALLOCATED else "refused" if negotiation.counters.failures else "unanswered"
