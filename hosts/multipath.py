"""A transmission over several paths: MPTCP sends, and each of its subflows negotiates a rate of its own.

The kernel opens and closes subflows by itself (`ip mptcp`). The negotiation of a new one begins when it is seen here, and
until that gives it a rate, it gets no data. When one goes, its records in the network are terminated. All subflows share content and
destination id: the switches know by these that they belong together (Algorithm 2).
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field, replace

from common.units import BITS_PER_KILOBIT, US_PER_S
from hosts import clock, mptcp, pacing
from hosts.cca.subflow_rates import UNLIMITED_BYTES_PER_S, Ends, SubflowRates
from hosts.connection import congestion_control, set_congestion_control
from hosts.message_socket import MessageSocket, MessageSockets
from hosts.negotiator import Negotiator, SendingChange
from hosts.plan import TransmissionPlan
from hosts.sender_negotiation import CarryOnAlone, Pause, SetRate
from hosts.sender_samples import Sampler
from hosts.subflow_samples import SubflowSamples
from hosts.tcp_info import TcpInfo
from hosts.transmission import Transmission, fallback, negotiation_state
from hosts.variants import new_negotiation
from protocol.wire import TransmissionId

WATCH_S = 0.01
"""How often the subflows are looked at, and sampled."""


@dataclass
class _Path:
    """One subflow and its negotiation (None: the scheme negotiates nothing)."""

    number: int
    ends: Ends
    info: TcpInfo
    negotiator: Negotiator | None = None
    rate_bps: int = 0
    rates: list[tuple[float, int]] = field(default_factory=list)
    is_over: bool = False


class MultipathTransmission(Transmission):
    """Carries out ``plan`` over all paths that MPTCP opens; as plain TCP where that cannot be, and says so.

    Args:
        plan, origin, messages, sampler, local_address: as for a transmission over one path.
        others: message sockets on this host's other addresses.
    """

    def __init__(
        self,
        plan: TransmissionPlan,
        origin: str,
        messages: MessageSocket | None,
        others: MessageSockets,
        sampler: Sampler,
        local_address: str | None = None,
    ) -> None:
        super().__init__(plan, origin, messages, sampler, local_address)
        self._others = others
        self._paths: dict[Ends, _Path] = {}
        self._gone: list[_Path] = []
        self._rates: SubflowRates | None = None
        self._watching: asyncio.Task[None] | None = None
        self._whole = TransmissionId(0, 0)
        self._subflow_samples: SubflowSamples | None = None
        self._is_alone = False

    # From Transmission

    async def _connect(self) -> None:
        reason = mptcp.explain_missing()
        if reason is None:
            reason = await self._connect_multipath()
        if reason is not None:
            self._say(f"{reason}; going on over one path with plain TCP")
            await super()._connect()

    def _negotiate(self) -> None:
        if self._watching is None:
            super()._negotiate()

    async def _send(self) -> None:
        if self._watching is None:
            await super()._send()
            return
        sending = asyncio.create_task(super()._send())
        try:
            await asyncio.wait({sending, self._watching}, return_when=asyncio.FIRST_COMPLETED)
            await (sending if sending.done() else self._watching)
        finally:
            sending.cancel()

    async def _finish(self) -> None:
        if self._watching is None:
            await super()._finish()
            return
        self._watching.cancel()
        (error,) = await asyncio.gather(self._watching, return_exceptions=True)
        if isinstance(error, Exception) and self.summary.error is None:
            self.summary.outcome, self.summary.error = "failed", str(error)
            self._say(str(error))
        self.summary.end_s = clock.now_s()
        if self._connection is not None and self._all_paths():
            self._note_totals(self._connection)
        self._close()
        await asyncio.gather(*(path.negotiator.end() for path in self._all_paths() if path.negotiator is not None and not path.is_over))
        if self._rates is not None:
            for ends in self._paths:
                self._rates.drop(ends)
            self._rates.close()
        self._summarise()
        if self._subflow_samples is not None:
            self._subflow_samples.write()

    # Connecting

    async def _connect_multipath(self) -> str | None:
        """Connects; or why that gives no MPTCP connection."""
        plan = self._plan
        self.summary.start_s = clock.now_s()
        connection = mptcp.sending_socket(plan.cc, self._local_address)
        try:
            if plan.negotiates:
                self._rates = SubflowRates()
            await mptcp.connect(connection, self._peer, plan.port)
        except BaseException:
            connection.close()
            raise
        if mptcp.has_fallen_back(connection):
            connection.close()
            return f"{self._peer} takes no MPTCP"
        self._connection = connection
        self.summary.connected_s = clock.now_s()
        self.summary.local_address, self.summary.local_port = connection.getsockname()
        self._whole = self._identity()
        if plan.negotiates:
            self.summary.content_id = f"{self._whole.content_id:016x}"
        if plan.samples is not None:
            self._subflow_samples = SubflowSamples(plan.samples)
        self._watching = asyncio.create_task(self._watch(connection))
        return None

    # Subflows

    async def _watch(self, connection: socket.socket) -> None:
        """Follows the subflows as they come and go."""
        while True:
            if (found := mptcp.subflows(connection)) is not None:
                for subflow in found:
                    path = self._paths.get(subflow.ends)
                    if path is None and subflow.info.srtt_us > 0:
                        path = await self._begin(subflow)
                    if path is not None:
                        path.info = subflow.info
                for ends in self._paths.keys() - {subflow.ends for subflow in found}:
                    await self._end(self._paths.pop(ends))
                self._take_samples()
            await asyncio.sleep(WATCH_S)

    async def _begin(self, subflow: mptcp.Subflow) -> _Path:
        path = _Path(len(self._paths) + len(self._gone), subflow.ends, subflow.info)
        self._paths[subflow.ends] = path
        if self.summary.handshake_rtt_s is None:
            self.summary.handshake_rtt_s = subflow.info.srtt_us / US_PER_S
        if self._plan.negotiates and not self._is_alone:
            identity = replace(self._whole, subflow=path.number)
            ports = (subflow.ends.local_port, subflow.ends.remote_port)
            negotiation = new_negotiation(self._plan, identity, subflow.info.srtt_us, ports)
            messages = await self._others.at(subflow.ends.local_address)
            path.negotiator = Negotiator(
                negotiation,
                messages,
                subflow.ends.remote_address,
                lambda change: self._apply_to(path, change),
                lambda: path.info.srtt_us,
            )
            path.negotiator.start()
        return path

    async def _end(self, path: _Path) -> None:
        path.is_over = True
        path.rate_bps = 0
        self._gone.append(path)
        self._say(f"subflow {path.number} ({path.ends.local_address} to {path.ends.remote_address}) is gone")
        if path.negotiator is not None:
            await path.negotiator.end()
        if self._rates is not None:
            self._rates.drop(path.ends)
        self._note_rate()

    def _apply_to(self, path: _Path, change: SendingChange) -> None:
        """The negotiation of a subflow has changed what may be sent over it."""
        assert self._connection is not None
        assert self._rates is not None
        if path.is_over:
            return
        path.rate_bps = change.rate_kbps * BITS_PER_KILOBIT if isinstance(change, SetRate) else 0
        path.rates.append((clock.now_s(), path.rate_bps))
        if isinstance(change, SetRate):
            is_first = len(path.rates) == 1 or path.rates[-2][1] == 0
            self._rates.put(path.ends, pacing.payload_bytes_per_s(path.rate_bps, path.info))
            if is_first:
                mptcp.look_at_rates(self._connection, self._plan.cc)
            self.summary.allocated_s = self.summary.allocated_s or clock.now_s()
            self._may_send.set()
        elif isinstance(change, Pause):
            self._rates.put(path.ends, pacing.PAUSED_BYTES_PER_S)
            self._say(f"the rate of subflow {path.number} was taken away; it waits")
        elif isinstance(change, CarryOnAlone):
            why = "answers come another way than requests go" if change.another_way else "no switch on the path answers"
            self._say(f"{why}: subflow {path.number} to {path.ends.remote_address}")
            self._carry_on_alone()
        self._note_rate()

    def _carry_on_alone(self) -> None:
        """Without any answer the whole connection goes on with the system's congestion control; else only its other subflows do."""
        negotiations = [path.negotiator.negotiation for path in self._all_paths() if path.negotiator is not None]
        if any(negotiation_state(one) == "allocated" or one.deadline_s is not None for one in negotiations):
            return
        assert self._connection is not None
        assert self._rates is not None
        self._is_alone = True
        for path in self._paths.values():
            self._rates.put(path.ends, UNLIMITED_BYTES_PER_S)
        mptcp.look_at_rates(self._connection, self._plan.cc)
        instead = fallback(self._plan.cc)
        set_congestion_control(self._connection, instead)
        self._say(f"going on with {instead} instead of {self._plan.cc}")
        self._may_send.set()

    def _note_rate(self) -> None:
        total_bps = sum(path.rate_bps for path in self._paths.values())
        self.summary.rates.append((clock.now_s(), total_bps))
        if self._plan.negotiates and total_bps == 0 and not self._is_alone:
            self._may_send.clear()

    # Measuring

    def _all_paths(self) -> list[_Path]:
        return sorted([*self._paths.values(), *self._gone], key=lambda path: path.number)

    def _take_samples(self) -> None:
        if self._subflow_samples is not None:
            now_ns = clock.now_ns()
            self._subflow_samples.take(now_ns, {path.number: (path.info, path.rate_bps) for path in self._all_paths()})

    def _note_totals(self, connection: socket.socket) -> None:
        summary = self.summary
        for subflow in mptcp.subflows(connection) or []:
            if subflow.ends in self._paths:
                self._paths[subflow.ends].info = subflow.info
        self._take_samples()
        infos = [path.info for path in self._all_paths()]
        summary.congestion_control_at_end = congestion_control(connection)
        summary.min_rtt_s = min(info.min_rtt_us for info in infos) / US_PER_S
        summary.mss_bytes, summary.frame_bytes = infos[0].snd_mss_bytes, pacing.frame_bytes(infos[0])
        summary.bytes_sent, summary.bytes_acked = sum(i.bytes_sent for i in infos), sum(i.bytes_acked for i in infos)
        summary.bytes_retrans, summary.retransmits = sum(i.bytes_retrans for i in infos), sum(i.total_retrans for i in infos)
        summary.goodput_bps = self._goodput_bps(summary.bytes_acked)

    def _summarise(self) -> None:
        paths = self._all_paths()
        self.summary.local_ports = [path.ends.local_port for path in paths]
        for path in paths:
            negotiation = path.negotiator.negotiation if path.negotiator is not None else None
            self.summary.subflows.append(
                {
                    "number": path.number,
                    "local": f"{path.ends.local_address}:{path.ends.local_port}",
                    "remote": f"{path.ends.remote_address}:{path.ends.remote_port}",
                    "bytes_acked": path.info.bytes_acked,
                    "retransmits": path.info.total_retrans,
                    "rates": path.rates,
                    "messages": dict(vars(negotiation.counters)) if negotiation is not None else {},
                }
            )
            if negotiation is not None:
                for name, count in vars(negotiation.counters).items():
                    self.summary.messages[name] = self.summary.messages.get(name, 0) + count
        if self._plan.negotiates:
            self.summary.negotiation = "allocated" if any(rate for path in paths for _, rate in path.rates) else "unanswered"
