"""int.p4 against protocol/model/telemetry_model.py: random histories of a port, each frame and the register the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.any_message import AnyMessage, decode_any
from protocol.model.telemetry_model import TelemetryPort
from protocol.telemetry import MOST_HOPS, Telemetry, TelemetryType
from protocol.wire import UDP_PORT, MessageType, Negotiation, TransmissionId
from tests.differential.rate_router import CAPACITIES_KBPS, FREE_PORT, PORT, frame_to, program_of, routing_switch
from tests.protocol.test_telemetry import HOP, TELEMETRY

ID = TransmissionId(77, 5)
QUESTION = Telemetry(TelemetryType.QUESTION, ID)

program = program_of("int")


class Twin:
    """A switch with one port that takes part, and the model of it."""

    def __init__(self, program: Path, capacity_kbps: int) -> None:
        self.port = TelemetryPort(capacity_kbps)
        self.now_us = 0
        self.switch = routing_switch(program, capacity_kbps)

    def send(self, payload: bytes, *, port: int = PORT, waited_us: int = 0, queue: int = 0, source: int = UDP_PORT) -> bytes:
        """A UDP payload through the switch; returns it as it comes out. All lengths and IPv4's checksum are right behind it."""
        sent = bytes(frame_to(port) / UDP(sport=source, dport=UDP_PORT) / payload)
        (out,) = self.switch.send(1, sent, self.now_us, deq_timedelta_us=waited_us, deq_qdepth=queue)[port]
        got = Ether(out)
        assert (got[IP].len, got[UDP].len) == (len(out) - 14, len(out) - 34)
        expected = got[IP].copy()
        del expected.chksum
        assert bytes(expected)[:20] == bytes(got[IP])[:20]
        if len(out) == len(sent):
            assert got[UDP].chksum == Ether(sent)[UDP].chksum
        else:
            assert got[UDP].chksum == 0, "none"
        return bytes(got[UDP].payload)

    def ask(self, telemetry: Telemetry, waited_us: int = 0, queue: int = 0) -> AnyMessage:
        """Telemetry through the switch and the model, which agree; returns it as it comes out."""
        data = telemetry.encode()
        got = decode_any(self.send(data, waited_us=waited_us, queue=queue))
        assert got == self.port.leave(len(data) + 42, self.now_us + waited_us, queue, telemetry)
        self.compare()
        return got

    def data(self, size_bytes: int) -> None:
        """A frame that is no telemetry."""
        payload = bytes(size_bytes - 42)
        assert self.send(payload, source=5000) == payload
        self.port.leave(size_bytes, self.now_us, 0)
        self.compare()

    def compare(self) -> None:
        """The register."""
        assert self.switch.register("WriteTelemetry.port_sent_bytes", PORT) == self.port.sent_bytes


@pytest.fixture
def twins(program: Path) -> Iterator[list[Twin]]:
    started = [Twin(program, capacity) for capacity in CAPACITIES_KBPS]
    yield started
    for twin in started:
        twin.switch.close()


@pytest.fixture
def twin(program: Path) -> Iterator[Twin]:
    started = Twin(program, 36_000)
    yield started
    started.switch.close()


STEPS = st.lists(
    st.tuples(
        st.integers(0, 2**33), st.integers(0, 2**24), st.integers(0, 2**19 - 1), st.one_of(st.integers(60, 1514), TELEMETRY)
    ),
    min_size=3, max_size=20,
)  # fmt: skip
"""Pause and wait in µs, the packets left behind, and the frame: its size, or the telemetry in it."""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, number=st.integers(0, len(CAPACITIES_KBPS) - 1))
def test_random_histories(twins: list[Twin], steps: list[tuple[int, int, int, int | Telemetry]], number: int) -> None:
    twin = twins[number]
    for pause_us, waited_us, queue, frame in steps:
        twin.now_us += pause_us
        if isinstance(frame, int):
            twin.data(frame)
        else:
            twin.ask(frame, waited_us, queue)


def test_each_switch_puts_its_record_in_front(twin: Twin) -> None:
    telemetry: AnyMessage = QUESTION
    for number in range(MOST_HOPS + 2):
        assert isinstance(telemetry, Telemetry)
        telemetry = twin.ask(telemetry, queue=number)
        assert isinstance(telemetry, Telemetry)
        assert [hop.queue_packets for hop in telemetry.hops] == list(reversed(range(min(number + 1, MOST_HOPS))))


def test_a_port_that_takes_no_part_leaves_questions_alone(twin: Twin) -> None:
    data = QUESTION.encode()
    assert twin.send(data, port=FREE_PORT) == data


@pytest.mark.parametrize(
    "payload",
    [
        QUESTION.encode() + b"more than it says",
        Telemetry(TelemetryType.QUESTION, ID, (HOP, HOP)).encode()[:-1],
        Telemetry(TelemetryType.QUESTION, ID, (HOP,)).encode()[:-20],
        b"\x00\x41\x01\xff" + bytes(16),
        b"\x00\x41",
        Negotiation(MessageType.REQUEST, ID, 5, 0, 1000).encode(),
        Telemetry(TelemetryType.ECHO, ID, (HOP,)).encode(),
    ],
)
def test_what_is_no_whole_question_passes_as_it_is(twin: Twin, payload: bytes) -> None:
    assert twin.send(payload) == payload
