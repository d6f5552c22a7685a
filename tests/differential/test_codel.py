"""codel.p4 and fq_codel.p4 against RFC 8289's loop: the same packets are dropped, marked and sent, whatever comes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.model.codel_model import QueuedPacket, inverse_square_root
from protocol.model.fq_codel_model import FqCodel, queue_of_flow
from protocol.model.verdict import Verdict
from scenario.disciplines.base import CLASSES
from scenario.disciplines.codel import Codel
from scenario.disciplines.codel import FqCodel as FqCodelLink
from tests.harness.managed_switch import FRAME_BYTES, ManagedSwitch, entries, frame_to, verdict_of
from tests.harness.simulated_queue import FULL_BYTES, TRAFFIC, Traffic, packets_of
from tests.harness.switches import COMPILERS

US = 1000
MS = 1000 * US
ECT = 2
PROTOCOL_UDP = 17


@dataclass(frozen=True)
class Step:
    """A packet that leaves a queue, as the switch is told, and the model's verdict."""

    packet: QueuedPacket
    left_us: int
    queue_bytes: int
    bytes_left: int
    verdict: Verdict


def steps_of_model(traffic: Traffic, marks: bool, queue_of: Callable[[int], int], flows: int) -> list[Step]:
    """Let the model decide about all packets of the traffic, which one transmitter sends; flows, and which queue is next, are drawn."""
    draw = random.Random(~traffic.seed)
    model = FqCodel(5 * MS, 100 * MS, FRAME_BYTES, marks)
    steps: list[Step] = []
    free_us = 0
    coming = [QueuedPacket(one.came_us * US, one.size_bytes, one.ecn == ECT, draw.randrange(flows)) for one in packets_of(traffic)]
    while coming or model.backlogged:
        if not model.backlogged:
            free_us = max(free_us, coming[0].enqueued_ns // US)
        while coming and coming[0].enqueued_ns <= free_us * US:
            packet = coming.pop(0)
            model.enqueue(queue_of(packet.flow), packet)
        for departure in model.dequeue(draw.choice(model.backlogged), free_us * US):
            steps.append(Step(departure.packet, free_us, departure.queue_bytes, departure.bytes_left, departure.verdict))
            if departure.verdict is not Verdict.DROPPED:
                free_us += traffic.packet_us * departure.packet.size_bytes // FULL_BYTES
    return steps


def in_one_queue(flow: int) -> int:
    """CoDel has no other."""
    return 0


def compare(switch: ManagedSwitch, port: int, steps: list[Step], queue_of: Callable[[int], int] = in_one_queue) -> None:
    """Let the packets leave the switch's queues as the model's did."""
    for number, step in enumerate(steps):
        ecn = ECT if step.packet.can_be_marked else 0
        (held,) = switch.arrive(1, frame_to(port, ecn, step.packet.flow), step.packet.enqueued_ns // US)
        assert held.queue == queue_of(step.packet.flow)
        frames = switch.leave(held.packet, step.left_us, queue_bytes=step.queue_bytes, port_bytes=step.bytes_left)
        assert verdict_of(frames, port, ecn) is step.verdict, (number, step)


def fixture_of(program: str) -> Callable[[pytest.FixtureRequest, pytest.TempPathFactory], Iterator[ManagedSwitch]]:
    """A switch with a program, for all tests of this file."""

    def switch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagedSwitch]:
        started = ManagedSwitch(program, tmp_path_factory.mktemp(Path(program).stem), request.param)
        yield started
        started.close()

    return switch


codel_switch = pytest.fixture(scope="module", params=COMPILERS)(fixture_of("codel.p4"))
fq_codel_switch = pytest.fixture(scope="module", params=COMPILERS)(fixture_of("fq_codel.p4"))
SWITCH_IS_SHARED = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SWITCH_IS_SHARED
@given(traffic=TRAFFIC, marks=st.booleans())
def test_the_same_packets(codel_switch: ManagedSwitch, traffic: Traffic, marks: bool) -> None:
    compare(codel_switch, codel_switch.manage(Codel(ecn=marks)), steps_of_model(traffic, marks, in_one_queue, 1))


@SWITCH_IS_SHARED
@given(traffic=TRAFFIC, marks=st.booleans(), flows=st.integers(1, 40), seed=st.integers(1, 2**32 - 1))
def test_the_same_packets_of_each_flow(fq_codel_switch: ManagedSwitch, traffic: Traffic, marks: bool, flows: int, seed: int) -> None:
    """With fewer queues than some have flows, so that flows meet; and ports' queues are apart."""
    discipline = FqCodelLink(queues=16, ecn=marks)
    port = fq_codel_switch.manage(discipline, seed)
    hashed = entries(discipline, seed=seed)[CLASSES]

    @cache
    def queue_of(flow: int) -> int:
        packet = Ether(frame_to(port, 0, flow))
        source, destination = (int(IPv4Address(text)) for text in (packet[IP].src, packet[IP].dst))
        return queue_of_flow(
            source, destination, packet[UDP].sport << 16 | packet[UDP].dport, PROTOCOL_UDP, hashed["seed"], hashed["queues"]
        )

    compare(fq_codel_switch, port, steps_of_model(traffic, marks, queue_of, flows), queue_of)


def test_a_long_overload_is_met_by_more_and_more_drops(codel_switch: ManagedSwitch) -> None:
    """The counts reach where square roots are no longer exact; and the model does drop and mark."""
    traffic = Traffic(seed=1, packets=5000, load=(4.0,), packet_us=1200, ecn=(0, 0, ECT))
    steps = steps_of_model(traffic, True, in_one_queue, 1)
    verdicts = Counter(step.verdict for step in steps)
    assert min(verdicts[Verdict.DROPPED], verdicts[Verdict.MARKED]) > 100
    port = codel_switch.manage(Codel(ecn=True))
    compare(codel_switch, port, steps)
    assert codel_switch.counter("dropped", port) == verdicts[Verdict.DROPPED]
    assert codel_switch.counter("marked", port) == verdicts[Verdict.MARKED]


def test_a_port_without_an_entry_drops_nothing(codel_switch: ManagedSwitch) -> None:
    port = codel_switch.route()
    steps = steps_of_model(Traffic(seed=2, packets=500, load=(3.0,), packet_us=4000), False, in_one_queue, 1)
    assert any(step.verdict is Verdict.DROPPED for step in steps)
    compare(codel_switch, port, [replace(step, verdict=Verdict.SENT) for step in steps])


def test_flows_of_another_seed_meet_elsewhere() -> None:
    """Two flows that share a queue do not with each seed."""
    queues = {
        seed: [queue_of_flow(0x0A000101, 0x0A000201, port << 16 | 5000, 6, seed, 64) for port in range(200)] for seed in (1, 77, 12345)
    }
    pairs = [{(a, b) for a in range(200) for b in range(a) if queues[seed][a] == queues[seed][b]} for seed in queues]
    assert not pairs[0] & pairs[1] & pairs[2]
    assert all(len(set(of_seed)) > 50 for of_seed in queues.values())


@pytest.mark.parametrize("number", [1, 2, 3, 4, 15, 16, 63, 64, 255])
def test_square_roots_are_exact_up_to_255(number: int) -> None:
    root = inverse_square_root(number)
    assert root**2 * number <= 2**32 < (root + 1) ** 2 * number


def test_square_roots_beyond_are_a_128th_too_large_at_most() -> None:
    for number in range(256, 2**16):
        assert 2**16 / number**0.5 - 1 <= inverse_square_root(number) <= 2**16 / number**0.5 * (1 + 1 / 128)
