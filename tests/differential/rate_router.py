"""A switch that answers questions for a rate, driven packet by packet beside the model of one of its ports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.model.rate_units import IDLE_US, CountingPort
from protocol.model.rcp_model import INTERVAL_US
from protocol.wire import UDP_PORT, Flags, Message, MessageType, Negotiation, TransmissionId, decode
from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import COMPILERS, REPOSITORY, Combination, EmbeddedSwitch, compile_program, require

ID = TransmissionId(77, 5)
PORT, FREE_PORT = 2, 3
"""The second one takes no part."""

REQUEST_BYTES = 74
MAX_KBPS = 2**32 - 1
CAPACITIES_KBPS = (1, 999, 36_000, 10_000_000, MAX_KBPS)

PAUSES_US = st.one_of(st.integers(0, 3 * INTERVAL_US), st.sampled_from([INTERVAL_US - 1, INTERVAL_US, IDLE_US, IDLE_US + 1, 2**31]))
WAITS_US = st.one_of(st.just(0), st.integers(0, 100_000), st.sampled_from([2**24 - 1, 2**24, 2**31]))
REQUESTS = st.tuples(st.integers(1, MAX_KBPS), st.integers(1, 2**24 - 1))
"""Rates in kbit/s and RTTs in µs."""


def steps_with(requests: st.SearchStrategy[Any]) -> st.SearchStrategy[list[tuple[int, int, int, Any]]]:
    """Histories of a port: pause and wait in µs, size in bytes, and the request if the packet is one."""
    return st.lists(st.tuples(PAUSES_US, WAITS_US, st.integers(60, 1514), st.one_of(st.none(), requests)), min_size=5, max_size=30)


def question(max_kbps: int, min_kbps: int, rtt_us: int) -> Negotiation:
    """A request."""
    return Negotiation(MessageType.REQUEST, ID, max_kbps, min_kbps, rtt_us, flags=Flags.RENEGOTIATION)


def routing_switch(program: Path, capacity_kbps: int) -> EmbeddedSwitch:
    """A switch with routes to PORT, which takes part with this capacity, and to FREE_PORT.

    Args:
        program: compiled.
        capacity_kbps: of PORT's link.
    """
    switch = EmbeddedSwitch(program)
    for number in (PORT, FREE_PORT):
        macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(number), neighbour_mac(number))]
        switch.add_entry("ipv4_lpm", [{"lpm": [f"0a00{number:02x}00", 24]}], "forward", [number, *macs])
    switch.add_entry("port_capacity", [{"exact": f"{PORT:x}"}], "set_capacity", [capacity_kbps, 0])
    return switch


def frame_to(port: int) -> Ether:
    """Ethernet and IPv4 of a frame that leaves by a port."""
    return Ether(src=neighbour_mac(1), dst=switch_mac(1)) / IP(src="10.0.1.1", dst=f"10.0.{port}.1")


Port = TypeVar("Port", bound=CountingPort)


class RateRouter(ABC, Generic[Port]):
    """A switch with one port that takes part, and the model of it.

    Args:
        program: compiled.
        port: the model of its port PORT.
    """

    def __init__(self, program: Path, port: Port) -> None:
        self.port = port
        self.now_us = 0
        self.switch = routing_switch(program, port.capacity_kbps)

    def data(self, size_bytes: int, waited_us: int) -> None:
        """A packet of a size."""
        frame = frame_to(PORT) / UDP(sport=5000, dport=5001) / bytes(size_bytes - 42)
        out = self.switch.send(1, bytes(frame), self.now_us, deq_timedelta_us=waited_us)
        assert [len(one) for one in out[PORT]] == [size_bytes]
        self.port.leave(self.now_us, self.port.arrive(size_bytes), waited_us)
        self.compare()

    def ask(self, max_kbps: int, min_kbps: int, rtt_us: int, waited_us: int) -> Message:
        """Send a request; returns it as it comes out."""
        return self.send(question(max_kbps, min_kbps, rtt_us), PORT, waited_us)

    def send(self, message: Message, port: int, waited_us: int = 0) -> Message:
        """A message through the switch; its checksums are right behind it."""
        frame = frame_to(port) / UDP(sport=UDP_PORT, dport=UDP_PORT) / message.encode()
        (out,) = self.switch.send(1, bytes(frame), self.now_us, deq_timedelta_us=waited_us)[port]
        got = Ether(out)
        expected = got.copy()
        del expected[IP].chksum, expected[UDP].chksum
        assert bytes(expected) == out
        return decode(bytes(got[UDP].payload))

    def play(self, steps: list[tuple[int, int, int, Any]], request: Callable[[Any, int], object]) -> None:
        """A history as :func:`steps_with` draws it; ``request`` sends a request that waits for so many µs."""
        for pause_us, waited_us, size_bytes, asked in steps:
            self.now_us = (self.now_us + pause_us) % 2**32
            if asked is None:
                self.data(size_bytes, waited_us)
            else:
                request(asked, waited_us)

    @abstractmethod
    def registers(self) -> dict[str, int]:
        """The registers as the model has them, by the names of the program."""

    def compare(self) -> None:
        """All registers."""
        for name, value in self.registers().items():
            assert self.switch.register(name, PORT) == value, name


def program_of(name: str) -> Any:
    """A fixture: the router ``p4src/NAME.p4``, compiled by each compiler."""

    @pytest.fixture(scope="module", params=COMPILERS)
    def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
        require(Combination(request.param, "embedded"))
        return compile_program(REPOSITORY / "p4src" / f"{name}.p4", tmp_path_factory.mktemp(name), request.param)

    return program


def twins_of(router: Callable[[Path, Port], RateRouter[Port]], port: Callable[[int], Port]) -> Any:
    """A fixture: a router for each of CAPACITIES_KBPS."""

    @pytest.fixture
    def twins(program: Path) -> Iterator[list[RateRouter[Port]]]:
        started = [router(program, port(capacity)) for capacity in CAPACITIES_KBPS]
        yield started
        for twin in started:
            twin.switch.close()

    return twins
