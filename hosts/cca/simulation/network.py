"""Links, senders and receivers in simulated time, for schemes in the kernel's frame (frame.py). Exact: nothing depends on the machine."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hosts.cca.simulation.frame import LOSS, Frame, FrameConnection

FRAME_OVERHEAD_BYTES = 66
"""Ethernet, IP and TCP with its time stamps, around the payload."""

RTO_MARGIN_US = 200_000
RTO_MAX_US = 120_000_000
LATER_DELIVERED = 3
"""A packet is lost when so many that were sent after it have arrived; links do not reorder."""

UNLIMITED = 1 << 60


class Simulation:
    """The clock and the events to come, in us."""

    def __init__(self) -> None:
        self.now_us = 0
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def at(self, time_us: int, action: Callable[[], None]) -> None:
        """Has ``action`` happen at ``time_us``; actions of the same time happen in the order of these calls."""
        heapq.heappush(self._events, (time_us, next(self._numbers), action))

    def run(self, until_s: float) -> None:
        """Lets everything happen up to ``until_s``."""
        until_us = round(until_s * 1e6)
        while self._events and self._events[0][0] <= until_us:
            self.now_us, _, action = heapq.heappop(self._events)
            action()
        self.now_us = until_us


@dataclass
class Link:
    """A bottleneck of ``rate_bps`` (None: none) with a queue; delays are each flow's own. ``loses`` says whether to lose a packet.

    The packet being sent counts as queued. A full queue loses the packet that comes; with ``random_drop`` it loses one of those that
    wait, by chance. This spares measurements of shares the phase effects of drop-tail (S. Floyd, V. Jacobson, 1992).
    """

    simulation: Simulation
    rate_bps: float | None = None
    queue_packets: int = 1000
    loses: Callable[[], bool] = lambda: False
    random_drop: random.Random | None = None
    dropped: int = 0
    _queue: deque[tuple[int, int, Callable[[], None]]] = field(default_factory=deque, repr=False)
    _free_us: float = 0.0

    def send(self, payload_bytes: int, delay_us: int, arrive: Callable[[], None]) -> None:
        """Takes a packet, which arrives later, or never."""
        if self.loses():
            return
        if self.rate_bps is None:
            self.simulation.at(self.simulation.now_us + delay_us, arrive)
            return
        if len(self._queue) >= self.queue_packets:
            self.dropped += 1
            if self.random_drop is None or len(self._queue) < 2:
                return
            del self._queue[self.random_drop.randrange(1, len(self._queue))]
        self._queue.append((payload_bytes, delay_us, arrive))
        if len(self._queue) == 1:
            self._free_us = float(self.simulation.now_us)
            self._begin_sending()

    def _begin_sending(self) -> None:
        assert self.rate_bps is not None
        self._free_us += (self._queue[0][0] + FRAME_OVERHEAD_BYTES) * 8e6 / self.rate_bps
        self.simulation.at(round(self._free_us), self._leave)

    def _leave(self) -> None:
        _, delay_us, arrive = self._queue.popleft()
        self.simulation.at(self.simulation.now_us + delay_us, arrive)
        if self._queue:
            self._begin_sending()


@dataclass
class Packet:
    """One packet of a flow, by its number."""

    sent_us: int
    transmission: int
    is_retransmitted: bool = False
    is_sacked: bool = False
    is_lost: bool = False


@dataclass
class Sample:
    """A flow after an acknowledgement."""

    time_s: float
    window: int
    acked_packets: int
    rtt_us: int
    smoothed_rtt_us: int


@dataclass
class Flow:
    """A sender with a scheme, a receiver that acknowledges every packet, or every second one, and the way between them.

    ``offered`` is how many packets the application has written so far (``offer`` adds some); UNLIMITED by default. ``delay_us`` is the
    delay one way, the same on the way back; it may be changed.
    """

    simulation: Simulation
    link: Link
    frame: Frame
    delay_us: int
    mss_bytes: int = 1000
    start_us: int = 0
    offered: int = UNLIMITED
    ack_every: int = 1
    mptcp_connection: int = 0
    max_pacing_rate: int | None = None
    on_open: Callable[[FrameConnection], None] = lambda _connection: None
    samples: list[Sample] = field(default_factory=list, repr=False)
    timeouts: int = 0

    def __post_init__(self) -> None:
        self._packets: dict[int, Packet] = {}
        self._unacked = 0  # first number not acknowledged in sequence
        self._next = 0
        self._transmissions = itertools.count()
        self._delivered_transmissions: list[int] = []  # largest last, LATER_DELIVERED of them
        self._lost: list[int] = []  # numbers to be sent again
        self._received: set[int] = set()
        self._expected = 0
        self._unacknowledged = 0
        self._paced_until_us = 0
        self._is_waiting_to_send = False
        self._timer = 0  # number of the timer that counts
        self._backoff = 1
        self._has_holes = False  # a packet is sacked, lost or sent again
        self.simulation.at(self.start_us, self._open)

    @property
    def acked_packets(self) -> int:
        """Packets acknowledged in sequence."""
        return self._unacked

    @property
    def window(self) -> int:
        """Packets."""
        return self.connection.window

    def offer(self, packets: int) -> None:
        """The application writes some more."""
        self.offered += packets
        self._send()

    def _open(self) -> None:
        now_us = self.simulation.now_us
        self.connection = FrameConnection(self.frame, self.mss_bytes, 2 * self.delay_us, now_us, mptcp_connection=self.mptcp_connection)
        if self.max_pacing_rate is not None:
            self.connection.set_max_pacing_rate(self.max_pacing_rate)
        self.on_open(self.connection)
        self._send()

    # The sender

    def _in_flight(self) -> int:
        if not self._has_holes:
            return len(self._packets)
        return sum(1 for packet in self._packets.values() if not packet.is_sacked and not packet.is_lost)

    def _send(self) -> None:
        """Sends the packets that window, pacing and application let out."""
        now_us = self.simulation.now_us
        in_flight = self._in_flight()
        is_asked = False
        while True:
            is_new = not self._lost
            if is_new and self._next >= self.offered:
                self.connection.sending_over(now_us, is_limited=False)
                return
            if is_new and not is_asked:
                self.connection.before_sending(now_us)
                is_asked = True
            if in_flight >= self.connection.window:
                self.connection.sending_over(now_us, is_limited=True)
                return
            if self._must_wait():
                return
            self._transmit(self._next if is_new else self._lost.pop(0), is_new=is_new)
            in_flight += 1

    def _must_wait(self) -> bool:
        """Whether pacing holds the next packet back; it is sent later then."""
        rate = self.connection.pacing_bytes_per_s
        now_us = self.simulation.now_us
        if rate == 0:
            return False
        if self._paced_until_us > now_us:
            if not self._is_waiting_to_send:
                self._is_waiting_to_send = True
                self.simulation.at(self._paced_until_us, self._send_paced)
            return True
        self._paced_until_us = now_us + round(self.mss_bytes * 1e6 / rate)
        return False

    def _send_paced(self) -> None:
        self._is_waiting_to_send = False
        self._send()

    def _transmit(self, number: int, *, is_new: bool) -> None:
        now_us = self.simulation.now_us
        if is_new:
            self._next += 1
            if not self._packets:
                self._restart_timer()
        self._packets[number] = Packet(now_us, next(self._transmissions), is_retransmitted=not is_new)
        self.connection.sent(now_us, is_new=is_new)
        self.link.send(self.mss_bytes, self.delay_us, lambda: self._arrive(number))

    def _restart_timer(self) -> None:
        self._timer += 1
        timer = self._timer
        wait_us = min((self.connection.smoothed_rtt_us + RTO_MARGIN_US) * self._backoff, RTO_MAX_US)
        self.simulation.at(self.simulation.now_us + wait_us, lambda: self._time_out(timer))

    def _time_out(self, timer: int) -> None:
        if timer != self._timer or not self._packets:
            return
        self.timeouts += 1
        self._backoff *= 2
        self.connection.timed_out(self.simulation.now_us)
        self._lost = sorted(number for number, packet in self._packets.items() if not packet.is_sacked)
        self._has_holes = True
        for number in self._lost:
            self._packets[number].is_lost = True
        self._restart_timer()
        self._send()

    # The receiver

    def _arrive(self, number: int) -> None:
        self._received.add(number)
        is_in_order = number == self._expected
        while self._expected in self._received:
            self._received.discard(self._expected)
            self._expected += 1
        self._unacknowledged += 1
        if is_in_order and not self._received and self._unacknowledged < self.ack_every and self.offered == UNLIMITED:
            return
        self._unacknowledged = 0
        expected, beyond = self._expected, frozenset(self._received)
        self.simulation.at(self.simulation.now_us + self.delay_us, lambda: self._acknowledged(expected, beyond))

    def _acknowledged(self, expected: int, beyond: frozenset[int]) -> None:
        now_us = self.simulation.now_us
        in_sequence = [number for number in range(self._unacked, expected) if number in self._packets]
        sacked = [number for number in beyond if number in self._packets and not self._packets[number].is_sacked]
        delivered = [self._packets[number] for number in in_sequence if not self._packets[number].is_sacked]
        delivered += [self._packets[number] for number in sorted(sacked)]
        self._has_holes |= bool(sacked)
        for number in sacked:
            self._packets[number].is_sacked = True
            self._packets[number].is_lost = False
        for number in in_sequence:
            del self._packets[number]
        self._lost = [number for number in self._lost if number in self._packets and not self._packets[number].is_sacked]
        self._unacked = max(self._unacked, expected)
        newly_lost = self._note_losses(delivered)
        fresh = [packet for packet in delivered if not packet.is_retransmitted]
        rtts_us = (now_us - fresh[0].sent_us, now_us - fresh[-1].sent_us) if fresh else (0, 0)
        newest = max((packet.transmission for packet in delivered), default=None)
        counts = self._counts()
        self.connection.acked(now_us, len(in_sequence), len(delivered), rtts_us, *counts, newest=newest, newly_lost=newly_lost)
        if delivered:
            self._backoff = 1
            self._restart_timer()
        rtt_us = rtts_us[1] or (self.samples[-1].rtt_us if self.samples else 0)
        self.samples.append(Sample(now_us / 1e6, self.connection.window, self._unacked, rtt_us, self.connection.smoothed_rtt_us))
        self._send()

    def _counts(self) -> tuple[int, int, int]:
        """Packets that are sacked; lost, whether sent again or not; and sent again, as the kernel counts them."""
        if not self._has_holes:
            return 0, 0, 0
        open_packets = [packet for packet in self._packets.values() if not packet.is_sacked]
        sacked = len(self._packets) - len(open_packets)
        lost = sum(packet.is_lost or packet.is_retransmitted for packet in open_packets)
        again = sum(packet.is_retransmitted and not packet.is_lost for packet in open_packets)
        self._has_holes = bool(sacked or lost)
        return sacked, lost, again

    def _note_losses(self, delivered: list[Packet]) -> int:
        """Finds the packets that count as lost from now on; returns how many these are."""
        latest = self._delivered_transmissions = sorted([*self._delivered_transmissions, *(p.transmission for p in delivered)])[
            -LATER_DELIVERED:
        ]
        if not self._has_holes or len(latest) < LATER_DELIVERED or self.connection.state == LOSS:
            return 0
        known = len(self._lost)
        for number, packet in self._packets.items():
            if not packet.is_sacked and not packet.is_lost and packet.transmission < latest[0]:
                packet.is_lost = True
                self._lost.append(number)
        self._lost.sort()
        return len(self._lost) - known

    # Results for tests

    def between(self, from_s: float, until_s: float) -> list[Sample]:
        """Samples of a time."""
        return [sample for sample in self.samples if from_s <= sample.time_s <= until_s]

    def rate_bps(self, from_s: float, until_s: float) -> float:
        """Payload acknowledged in sequence between two times."""
        inside = self.between(from_s, until_s)
        packets = inside[-1].acked_packets - inside[0].acked_packets
        return packets * self.mss_bytes * 8 / (inside[-1].time_s - inside[0].time_s)


def jain(rates: list[float]) -> float:
    """Jain's fairness index."""
    return sum(rates) ** 2 / len(rates) / sum(rate * rate for rate in rates)
