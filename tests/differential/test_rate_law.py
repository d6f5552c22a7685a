"""rcp.p4 against protocol/model/rcp_model.py: random histories of a port, every rate and request the same; and the law's results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.model.rcp_model import IDLE_US, INTERVAL_US, RcpPort, next_rate_kbps
from protocol.wire import UDP_PORT, Adjustment, Flags, Message, MessageType, Negotiation, TransmissionId, decode
from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import COMPILERS, REPOSITORY, Combination, EmbeddedSwitch, compile_program, require

SOURCE = REPOSITORY / "p4src" / "rcp.p4"
ID = TransmissionId(77, 5)
PORT, FREE_PORT = 2, 3
"""The second one takes no part."""

MAX_KBPS = 2**32 - 1
CAPACITIES_KBPS = (1, 999, 36_000, 10_000_000, MAX_KBPS)


@pytest.fixture(scope="module", params=COMPILERS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    require(Combination(request.param, "embedded"))
    return compile_program(SOURCE, tmp_path_factory.mktemp("rcp"), request.param)


@dataclass
class Twin:
    """A switch with one port that takes part, and the model of it."""

    switch: EmbeddedSwitch
    port: RcpPort
    now_us: int = 0

    @classmethod
    def started(cls, program: Path, capacity_kbps: int) -> Twin:
        switch = EmbeddedSwitch(program)
        for port in (PORT, FREE_PORT):
            macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(port), neighbour_mac(port))]
            switch.add_entry("ipv4_lpm", [{"lpm": [f"0a00{port:02x}00", 24]}], "forward", [port, *macs])
        switch.add_entry("port_capacity", [{"exact": f"{PORT:x}"}], "set_capacity", [capacity_kbps, 0])
        return cls(switch, RcpPort(capacity_kbps))

    def data(self, size_bytes: int, waited_us: int) -> None:
        """A packet of a size."""
        frame = self._frame(PORT) / UDP(sport=5000, dport=5001) / bytes(size_bytes - 42)
        out = self.switch.send(1, bytes(frame), self.now_us, deq_timedelta_us=waited_us)
        assert [len(one) for one in out[PORT]] == [size_bytes]
        self.port.leave(self.now_us, self.port.arrive(size_bytes), waited_us)
        self.compare()

    def request(self, max_kbps: int, rtt_us: int, waited_us: int = 0) -> int:
        """Send a request; returns the rate (kbit/s) that it allows behind the switch."""
        sent = Negotiation(MessageType.REQUEST, ID, max_kbps, 0, rtt_us, flags=Flags.RENEGOTIATION)
        got = self.send(sent, PORT, waited_us)
        size_bytes = 74
        allowed = self.port.leave(self.now_us, self.port.arrive(size_bytes), waited_us, (max_kbps, rtt_us))
        assert isinstance(got, Negotiation)
        assert allowed is not None
        assert got == Negotiation(MessageType.REQUEST, ID, allowed, 0, rtt_us, flags=Flags.RENEGOTIATION)
        self.compare()
        return allowed

    def send(self, message: Message, port: int, waited_us: int = 0) -> Message:
        """A message through the switch; its checksums are right behind it."""
        frame = self._frame(port) / UDP(sport=UDP_PORT, dport=UDP_PORT) / message.encode()
        (out,) = self.switch.send(1, bytes(frame), self.now_us, deq_timedelta_us=waited_us)[port]
        got = Ether(out)
        expected = got.copy()
        del expected[IP].chksum, expected[UDP].chksum
        assert bytes(expected) == out
        return decode(bytes(got[UDP].payload))

    def compare(self) -> None:
        """All registers."""
        for name, value in (
            ("RcpEgress.port_rate_kbps", self.port.rate_kbps),
            ("RcpEgress.port_rtt_q3", self.port.rtt_q3),
            ("RcpEgress.interval_begin_us", self.port.begin_us),
            ("RcpEgress.interval_begin_bytes", self.port.begin_bytes),
            ("RcpIngress.port_bytes", self.port.arrived_bytes),
        ):
            assert self.switch.register(name, PORT) == value, name

    def _frame(self, port: int) -> Ether:
        return Ether(src=neighbour_mac(1), dst=switch_mac(1)) / IP(src="10.0.1.1", dst=f"10.0.{port}.1")


@pytest.fixture
def twins(program: Path) -> Iterator[list[Twin]]:
    started = [Twin.started(program, capacity) for capacity in CAPACITIES_KBPS]
    yield started
    for twin in started:
        twin.switch.close()


PAUSES_US = st.one_of(st.integers(0, 3 * INTERVAL_US), st.sampled_from([INTERVAL_US - 1, INTERVAL_US, IDLE_US, IDLE_US + 1, 2**31]))
WAITS_US = st.one_of(st.just(0), st.integers(0, 100_000), st.sampled_from([2**24 - 1, 2**24, 2**31]))
REQUESTS = st.tuples(st.integers(1, MAX_KBPS), st.integers(1, 2**24 - 1))
STEPS = st.tuples(PAUSES_US, WAITS_US, st.integers(60, 1514), st.one_of(st.none(), REQUESTS))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=5, max_size=30), number=st.integers(0, len(CAPACITIES_KBPS) - 1))
def test_random_histories(twins: list[Twin], steps: list[tuple[int, int, int, tuple[int, int] | None]], number: int) -> None:
    twin = twins[number]
    for pause_us, waited_us, size_bytes, request in steps:
        twin.now_us = (twin.now_us + pause_us) % 2**32
        if request is None:
            twin.data(size_bytes, waited_us)
        else:
            twin.request(*request, waited_us)


def test_what_is_left_alone(program: Path) -> None:
    twin = Twin.started(program, 36_000)
    assert twin.request(MAX_KBPS, 60_000) == 36_000
    assert twin.request(1_000, 60_000) == 1_000, "somebody on the way allows less"
    for kind in (MessageType.SUCCESS, MessageType.FAILURE):
        answer = Negotiation(kind, ID, MAX_KBPS, 0, 60_000)
        assert twin.send(answer, PORT) == answer
    terminate = Adjustment(MessageType.TERMINATE, ID, 0)
    assert twin.send(terminate, PORT) == terminate
    elsewhere = Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 0, 60_000)
    assert twin.send(elsewhere, FREE_PORT) == elsewhere, "no entry in port_capacity: the port takes no part"
    assert twin.switch.register("RcpEgress.port_rate_kbps", FREE_PORT) == 0
    twin.switch.close()


C, D_US, T_US = 36_000, 60_000, 10_000
FULL_BYTES = C * T_US // 8000


@pytest.mark.parametrize(
    ("came_bytes", "waited_us", "expected"),
    [
        (FULL_BYTES, 0, 12_000),  # as much as fits, and nothing waits: R stays
        (0, 0, 12_800),  # nothing comes: 1 + T/d x 0.4 = 1.0667
        (2 * FULL_BYTES, 0, 11_200),  # twice as much: 1 - T/d x 0.4
        (FULL_BYTES, D_US, 11_200),  # an RTT's worth waits: 1 - T/d x 0.4
    ],
)
def test_the_law(came_bytes: int, waited_us: int, expected: int) -> None:
    assert next_rate_kbps(12_000, C, D_US, T_US, came_bytes, waited_us) == pytest.approx(expected, abs=2)


@pytest.mark.parametrize("senders", [1, 2, 5, 30])
def test_it_comes_to_equal_shares(senders: int) -> None:
    """Fluid senders, whose rate is R an RTT ago; the queue is what comes above C. R comes to C / N, and the queue to nothing."""
    rates, waiting_bits = [C] * (D_US // T_US), 0.0
    for _ in range(600):
        came_bits = senders * rates[-D_US // T_US] * T_US / 1000
        waiting_bits = max(0.0, waiting_bits + came_bits - C * T_US / 1000)
        rates.append(next_rate_kbps(rates[-1], C, D_US, T_US, round(came_bits / 8), round(waiting_bits * 1000 / C)))
    assert rates[-1] * senders == pytest.approx(C, rel=0.01)
    assert waiting_bits < 0.02 * C * D_US / 1000
