"""codel.p4 against RFC 8289's loop: the same packets are dropped, marked and sent, whatever comes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

from protocol.model.codel_model import Codel, QueuedPacket, Verdict, inverse_square_root
from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import COMPILERS, REPOSITORY, Combination, EmbeddedSwitch, compile_program, require

US = 1000
MS = 1000 * US
TARGET_NS, INTERVAL_NS, MAX_PACKET_BYTES = 5 * MS, 100 * MS, 1514
CE, ECT = 3, 2
UNUSED_PORTS = iter(range(1, 500))
"""Each example has a port of its own, whose state is as at the start."""


@dataclass(frozen=True)
class Traffic:
    """Packets for a link: from a seed, so that a failure is short to tell.

    Args:
        seed: of all that is drawn.
        packets: how many.
        load: of the link's rate that comes on average, in each of some parts of the time.
        packet_us: a full packet takes so long to be sent.
        share_of_ect: of the packets, whose senders know of ECN.
    """

    seed: int
    packets: int
    load: tuple[float, ...]
    packet_us: int
    share_of_ect: float


@dataclass(frozen=True)
class Step:
    """A packet that leaves the queue, as the switch is told, and the model's verdict."""

    packet: QueuedPacket
    left_ns: int
    bytes_left: int
    verdict: Verdict


def steps_of_model(traffic: Traffic, marks: bool) -> list[Step]:
    """Let the model decide about all packets of the traffic, which one transmitter sends."""
    draw = random.Random(traffic.seed)
    model = Codel(TARGET_NS, INTERVAL_NS, MAX_PACKET_BYTES, marks)
    steps: list[Step] = []
    arrival_us = free_us = 0
    coming: list[QueuedPacket] = []
    for number in range(traffic.packets):
        size = draw.choice((1500, 1500, 1500, 66, 600))
        load = traffic.load[number * len(traffic.load) // traffic.packets]
        arrival_us += round(draw.expovariate(load) * traffic.packet_us * size / 1500)
        coming.append(QueuedPacket(arrival_us * US, size, draw.random() < traffic.share_of_ect))
    while coming or model.waiting:
        if not model.waiting:
            free_us = max(free_us, coming[0].enqueued_ns // US)
        while coming and coming[0].enqueued_ns <= free_us * US:
            model.enqueue(coming.pop(0))
        for departure in model.dequeue(free_us * US):
            steps.append(Step(departure.packet, free_us * US, departure.bytes_left, departure.verdict))
            if departure.verdict is not Verdict.DROPPED:
                free_us += traffic.packet_us * departure.packet.size_bytes // 1500
    return steps


TRAFFIC = st.builds(
    Traffic,
    seed=st.integers(0, 2**32),
    packets=st.integers(200, 1500),
    load=st.lists(st.sampled_from((0.5, 0.9, 1.1, 1.5, 3.0)), min_size=1, max_size=6).map(tuple),
    packet_us=st.sampled_from((120, 1200, 4000)),
    share_of_ect=st.sampled_from((0.0, 0.5, 1.0)),
)


@pytest.fixture(scope="module", params=COMPILERS)
def switch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSwitch]:
    """The embedded switch: only in it a test can say what a queue is like."""
    require(Combination(request.param, "embedded"))
    folder: Path = tmp_path_factory.mktemp("codel")
    started = EmbeddedSwitch(compile_program(REPOSITORY / "p4src" / "codel.p4", folder, request.param))
    yield started
    started.close()


def route(switch: EmbeddedSwitch) -> int:
    """Route a network to a port that nothing has used yet."""
    port = next(UNUSED_PORTS)
    macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(port % 200), neighbour_mac(port % 200))]
    switch.add_entry("ipv4_lpm", [{"lpm": [f"0b{port:04x}00", 24]}], "forward", [port, *macs])
    return port


def manage(switch: EmbeddedSwitch, marks: bool) -> int:
    """The same, with CoDel at the port."""
    port = route(switch)
    switch.add_entry("managed_ports", [{"exact": f"{port:04x}"}], "manage", [TARGET_NS, INTERVAL_NS, MAX_PACKET_BYTES, int(marks)])
    return port


def verdict_of_switch(switch: EmbeddedSwitch, port: int, step: Step) -> Verdict:
    """Let the packet leave the switch's queue as the model's did."""
    tos = ECT if step.packet.can_be_marked else 0
    sent = Ether(src=neighbour_mac(1), dst=switch_mac(1)) / IP(src="10.0.1.1", dst=f"11.{port >> 8}.{port & 255}.1", tos=tos) / b"x"
    waited_us = (step.left_ns - step.packet.enqueued_ns) // US
    enqueued_us = step.packet.enqueued_ns // US
    out = switch.send(1, bytes(sent), enqueued_us, deq_timedelta_us=waited_us, queue_bytes=step.bytes_left)
    if not out:
        return Verdict.DROPPED
    return Verdict.MARKED if Ether(out[port][0])[IP].tos & 3 == CE else Verdict.SENT


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(traffic=TRAFFIC, marks=st.booleans())
def test_the_same_packets(switch: EmbeddedSwitch, traffic: Traffic, marks: bool) -> None:
    port = manage(switch, marks)
    for number, step in enumerate(steps_of_model(traffic, marks)):
        assert verdict_of_switch(switch, port, step) is step.verdict, (number, step)


def test_a_long_overload_is_met_by_more_and_more_drops(switch: EmbeddedSwitch) -> None:
    """The counts reach where square roots are no longer exact; and the model does drop and mark."""
    traffic = Traffic(seed=1, packets=5000, load=(4.0,), packet_us=1200, share_of_ect=0.3)
    steps = steps_of_model(traffic, marks=True)
    verdicts = Counter(step.verdict for step in steps)
    assert min(verdicts[Verdict.DROPPED], verdicts[Verdict.MARKED]) > 100
    port = manage(switch, marks=True)
    assert all(verdict_of_switch(switch, port, step) is step.verdict for step in steps)
    assert switch.counter("CodelEgress.dropped", port) == verdicts[Verdict.DROPPED]
    assert switch.counter("CodelEgress.marked", port) == verdicts[Verdict.MARKED]


def test_a_port_without_an_entry_drops_nothing(switch: EmbeddedSwitch) -> None:
    port = route(switch)
    traffic = Traffic(seed=2, packets=500, load=(3.0,), packet_us=4000, share_of_ect=0)
    steps = steps_of_model(traffic, marks=False)
    assert any(step.verdict is Verdict.DROPPED for step in steps)
    assert all(verdict_of_switch(switch, port, step) is Verdict.SENT for step in steps)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 15, 16, 63, 64, 255])
def test_square_roots_are_exact_up_to_255(number: int) -> None:
    root = inverse_square_root(number)
    assert root**2 * number <= 2**32 < (root + 1) ** 2 * number


def test_square_roots_beyond_are_a_128th_too_large_at_most() -> None:
    for number in range(256, 2**16):
        assert 2**16 / number**0.5 - 1 <= inverse_square_root(number) <= 2**16 / number**0.5 * (1 + 1 / 128)
