"""Both frames of each scheme, BPF program and module, through the same random events: windows and rates must be the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from hosts.cca.scheme_names import parse_scheme, socket_name
from hosts.cca.simulation.frame import LOSS, OPEN, Frame, FrameConnection, Kind
from hosts.cca.sources import available

VARIANTS = (
    "qtcol(alpha=1.5)", "qtcol(rtt=last)", "qtcolfair(alpha=1.2)", "qtcolfair(alpha=1.5,rtt=last,probe_interval=2)", "hybla(rtt=present)",
    "libra(t0=0.5,t1=2,k1=40,k2=0.5,penalty=1)", "libra(penalty=2)", "libra(capacity=20)",
    "vegas(alpha=3,beta=9,gamma=2)", "msstcp(timeout_window=10)", "dctcp(g=0.25)", "compound(alpha=0.5,beta=0.25,gamma=12)",
)  # fmt: skip
SEEDS = range(4)
EVENTS = 500
MPTCP_CONNECTION = 4096
MSS_BYTES = 1000
BEGIN_US = 1_000_000


@dataclass
class Pair:
    """One connection in each frame, and the packets under way on it."""

    connections: tuple[FrameConnection, FrameConnection]
    numbers: random.Random
    under_way: int = 0
    sacked: int = 0
    lost: int = 0
    resent: int = 0
    now_us: int = BEGIN_US
    base_rtt_us: int = 40_000
    seen: list[tuple[int, int, int, int]] = field(default_factory=list)

    def both(self, act: Callable[[FrameConnection], None]) -> None:
        """Does the same to both, and compares."""
        for connection in self.connections:
            act(connection)
        first, second = ((c.window, c.threshold, c.pacing_bytes_per_s, c.state) for c in self.connections)
        self.seen.append(first)
        assert first == second, f"after {len(self.seen)} events: window, threshold, pacing rate, state"

    @property
    def window(self) -> int:
        return self.connections[0].window

    def send(self) -> None:
        """Send as many packets as the window lets out, or fewer."""
        self.both(lambda c: c.before_sending(self.now_us))
        if self.lost > self.resent and self.connections[0].state != OPEN:
            self.resent += 1
            self.both(lambda c: c.sent(self.now_us, is_new=False))
        room = max(0, min(self.window, 100) - (self.under_way - self.sacked - self.lost + self.resent))
        count = room if self.numbers.random() < 0.8 else self.numbers.randint(0, room)
        self.under_way += count
        for connection in self.connections:
            for _ in range(count):
                connection.sent(self.now_us, is_new=True)
        self.both(lambda c: c.sending_over(self.now_us, is_limited=count == room))

    def acknowledge(self) -> None:
        """Some packets in sequence; or, with something lost, some behind it."""
        numbers = self.numbers
        self.now_us += numbers.choice((0, 1, 50, 400, 3000))
        rtt = self.base_rtt_us + numbers.randint(0, self.base_rtt_us)
        rtts = numbers.choice(((rtt, rtt), (rtt, rtt + numbers.randint(0, 9000)), (0, 0), (rtt, 0)))
        if self.lost and numbers.random() < 0.6 and self.sacked + self.lost < self.under_way:
            more = numbers.randint(1, self.under_way - self.sacked - self.lost)
            self.sacked += more
            self.both(lambda c: c.acked(self.now_us, 0, more, rtts, self.sacked, self.lost, self.resent))
            return
        count = numbers.randint(1, min(self.under_way, numbers.choice((2, 2, 40, 400)))) if self.under_way else 0
        self.under_way -= count
        if self.lost:
            self.lost = max(0, self.lost - count)
            self.resent = min(self.resent, self.lost)
        self.sacked = min(self.sacked, self.under_way - self.lost) if self.under_way > self.lost else 0
        self.lost = min(self.lost, self.under_way)
        self.both(lambda c: c.acked(self.now_us, count, count, rtts, self.sacked, self.lost, self.resent))

    def acknowledge_marked(self) -> None:
        """A packet in sequence, whose acknowledgement echoes a mark."""
        if self.under_way > self.sacked + self.lost:
            self.under_way -= 1
            self.both(lambda c: c.acked(self.now_us, 1, 1, (0, 0), self.sacked, self.lost, self.resent, is_marked=True))

    def receive(self) -> None:
        """As receivers: packets come, some of them marked."""
        marked, put_off = (self.numbers.random() < 0.5 for _ in range(2))
        first, second = ((c.received(is_marked=marked, is_put_off=put_off), c.acknowledgements_sent) for c in self.connections)
        assert first == second, "what is acknowledged, and how"

    def lose(self) -> None:
        """Lose some of the packets under way."""
        room = self.under_way - self.sacked - self.lost
        if room > 1:
            self.lost += self.numbers.randint(1, min(room - 1, 5))
            self.sacked += 1
            self.both(lambda c: c.acked(self.now_us, 0, 1, (0, 0), self.sacked, self.lost, self.resent))

    def time_out(self) -> None:
        """The retransmission timer runs out."""
        if self.under_way:
            self.now_us += 1_000_000
            self.lost, self.resent = self.under_way - self.sacked, 0
            self.both(lambda c: c.timed_out(self.now_us))

    def undo(self) -> None:
        """The loss was none."""
        if self.connections[0].state != OPEN:
            self.lost = self.resent = 0
            self.both(lambda c: c.undo())

    def be_silent(self) -> None:
        """Everything is acknowledged, then nothing is sent for a while."""
        count, self.under_way, self.sacked, self.lost, self.resent = self.under_way, 0, 0, 0, 0
        self.now_us += 100_000
        self.both(lambda c: c.acked(self.now_us, count, count, (0, 0)))
        self.now_us += self.numbers.randint(300_000, 9_000_000)

    def change_rate(self) -> None:
        """SO_MAX_PACING_RATE, and the rate of a subflow."""
        rate = self.numbers.choice((1, 1_000, 1_250_000, 2**40))
        self.both(lambda c: c.set_max_pacing_rate(rate))
        subflow_rate = self.numbers.choice((0, rate))
        self.both(lambda c: c.set_subflow_rate(subflow_rate))

    def change_path(self) -> None:
        """Another smallest RTT."""
        self.base_rtt_us = self.numbers.choice((200, 10_000, 40_000, 160_000, 600_000))


EVENTS_BY_WEIGHT: tuple[tuple[Callable[[Pair], None], int], ...] = (
    (Pair.send, 100), (Pair.acknowledge, 150), (Pair.lose, 6), (Pair.time_out, 2), (Pair.undo, 2), (Pair.be_silent, 1),
    (Pair.change_rate, 4), (Pair.change_path, 2), (Pair.acknowledge_marked, 8), (Pair.receive, 10),
)  # fmt: skip


def drive(frames: tuple[Frame, Frame], seed: int, subflows: int) -> list[Pair]:
    """Connections in both frames through ``EVENTS`` random events; several are subflows of one MPTCP connection."""
    numbers = random.Random(seed)
    of = MPTCP_CONNECTION if subflows > 1 else 0

    def opened() -> Pair:
        first, second = (FrameConnection(frame, MSS_BYTES, 40_000, BEGIN_US, mptcp_connection=of) for frame in frames)
        return Pair((first, second), numbers)

    pairs = [opened() for _ in range(subflows)]
    acts, weights = zip(*EVENTS_BY_WEIGHT, strict=True)
    for _ in range(EVENTS * subflows):
        (act,) = numbers.choices(acts, weights)
        act(numbers.choice(pairs))
    for pair in pairs:
        for connection in pair.connections:
            connection.close()
    return pairs


@pytest.mark.parametrize("text", [*available(), "reno", *VARIANTS])
def test_both_frames_give_the_same_windows(text: str) -> None:
    frames = Frame(text, Kind.BPF), Frame(text, Kind.MODULE)
    seen = [entry for seed in SEEDS for subflows in (1, 3) for pair in drive(frames, seed, subflows) for entry in pair.seen]
    assert len({window for window, *_ in seen}) > 10, "the events changed nothing worth comparing"
    assert {state for *_, state in seen} >= {OPEN, LOSS}
    assert frames[0].map_elements == frames[1].map_elements


def test_another_constant_is_noticed() -> None:
    frames = Frame("qtcol(alpha=1.2)", Kind.BPF), Frame("qtcol(alpha=1.5)", Kind.MODULE)

    def drive_all() -> None:
        for seed in SEEDS:
            drive(frames, seed, 1)

    with pytest.raises(AssertionError, match="window, threshold, pacing rate, state"):
        drive_all()


@pytest.mark.parametrize("text", ["vegas", "qtcolfair(alpha=1.5)", "nodectl"])
def test_a_module_registers_the_name_that_the_loader_uses(text: str) -> None:
    frame = Frame(text, Kind.MODULE)
    name = socket_name(parse_scheme(text))
    assert frame.registered_name == name
    assert frame.written_file == (f"subflow_rates:{name}" if text == "nodectl" else "")
    frame.unload()
    assert frame.registered_name == frame.written_file == ""


def test_what_a_program_writes_reaches_the_module() -> None:
    connection = FrameConnection(Frame("nodectl", Kind.MODULE), MSS_BYTES, 40_000, BEGIN_US, mptcp_connection=MPTCP_CONNECTION)
    rates = []
    for rate in (0, 1_250_000, 0):
        connection.set_subflow_rate(rate)
        connection.acked(BEGIN_US, 0, 0, (0, 0))
        rates.append(connection.pacing_bytes_per_s)
    assert rates == [0, 1_250_000, 0]
