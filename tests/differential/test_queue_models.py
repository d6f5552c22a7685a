"""RED, PIE and DualPI2 in P4 against their models: the same packets are dropped, marked and sent, whatever comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.model.dualpi2_model import CLASSIC, LOW_LATENCY, Dualpi2
from protocol.model.pie_model import Pie
from protocol.model.red_model import Red
from protocol.model.verdict import Verdict
from scenario.disciplines.base import DECISIONS, Discipline
from scenario.disciplines.parsing import parse_discipline
from tests.harness.managed_switch import CONGESTION_EXPERIENCED, ManagedSwitch, frame_to, model_arguments, verdict_of
from tests.harness.simulated_queue import TRAFFIC, Leaving, SimulatedPacket, Traffic, run_queues
from tests.harness.switches import COMPILERS

NOT_ECT = 0
SEEDS = st.integers(1, 2**32 - 1)
SWITCH_IS_SHARED = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

OneSwitch = Callable[[str], ManagedSwitch]


@pytest.fixture(scope="module", params=COMPILERS)
def switch_with(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneSwitch]:
    """One switch a program."""
    started: dict[str, ManagedSwitch] = {}

    def with_program(program: str) -> ManagedSwitch:
        if program not in started:
            started[program] = ManagedSwitch(program, tmp_path_factory.mktemp(Path(program).stem), request.param)
        return started[program]

    yield with_program
    for switch in started.values():
        switch.close()


def compare_at_the_entrance(
    switch: ManagedSwitch, discipline: Discipline, model: Red | Pie, traffic: Traffic, seed: int
) -> Counter[Verdict]:
    """Of a discipline that decides when packets come: let both decide about all; how often they decided what."""
    port = switch.manage(discipline, seed)
    held: dict[int, int] = {}
    verdicts: Counter[Verdict] = Counter()
    expected: dict[int, Verdict] = {}

    def arrive(packet: SimulatedPacket) -> int | None:
        verdict = expected[packet.number] = model.arrive(packet.came_us, packet.ecn != NOT_ECT)
        verdicts[verdict] += 1
        waiting = switch.arrive(1, frame_to(port, packet.ecn), packet.came_us)
        assert bool(waiting) == (verdict is not Verdict.DROPPED), (packet, verdict)
        if not waiting:
            return None
        held[packet.number] = waiting[0].packet
        return 0

    def leave(leaving: Leaving) -> bool:
        packet = leaving.packet
        if isinstance(model, Red):
            model.leave(leaving.now_us, leaving.queue_packets)
        else:
            model.leave(leaving.now_us - packet.came_us, leaving.queue_packets)
        frames = switch.leave(held.pop(packet.number), leaving.now_us, deq_qdepth=leaving.queue_packets)
        seen = verdict_of(frames, port, packet.ecn)
        if packet.ecn == CONGESTION_EXPERIENCED:
            assert seen is not Verdict.DROPPED
        else:
            assert seen is expected[packet.number], leaving
        return True

    run_queues(traffic, arrive, leave)
    assert switch.counter("dropped", port) == verdicts[Verdict.DROPPED]
    assert switch.counter("marked", port) == verdicts[Verdict.MARKED]
    return verdicts


RED = (
    "red",
    "red(ecn=true)",
    "red(min_packets=1, max_packets=3, weight_shift=1, ecn=true)",
    "red(weight_shift=4, max_probability=1)",
    "red(idle_decay=false)",
)
PIE = ("pie", "pie(ecn=true)", "pie(target_ms=2, tick_ms=3, max_burst_ms=1, ecn=true)", "pie(alpha=2, beta=10)")
DUALPI2 = (
    "dualpi2",
    "dualpi2(coupling=1, target_ms=1)",
    "dualpi2(min_threshold_us=1000, max_threshold_us=1000, scheduler='round_robin')",
    "dualpi2(marks='random')",
)


@SWITCH_IS_SHARED
@given(traffic=TRAFFIC, text=st.sampled_from(RED), seed=SEEDS)
def test_red(switch_with: OneSwitch, traffic: Traffic, text: str, seed: int) -> None:
    discipline = parse_discipline(text)
    compare_at_the_entrance(switch_with("red.p4"), discipline, Red(**model_arguments(discipline, DECISIONS, seed)), traffic, seed)


@SWITCH_IS_SHARED
@given(traffic=TRAFFIC, text=st.sampled_from(PIE), seed=SEEDS)
def test_pie(switch_with: OneSwitch, traffic: Traffic, text: str, seed: int) -> None:
    discipline = parse_discipline(text)
    compare_at_the_entrance(switch_with("pie.p4"), discipline, Pie(**model_arguments(discipline, DECISIONS, seed)), traffic, seed)


def compare_dualpi2(switch: ManagedSwitch, discipline: Discipline, traffic: Traffic, seed: int = 1) -> Counter[tuple[int, Verdict]]:
    """Let both decide about all packets; how often they decided what, in each queue."""
    model = Dualpi2(**model_arguments(discipline, DECISIONS, seed))
    shift_us = model_arguments(discipline, "classified_ports")["time_shift_us"]
    port = switch.manage(discipline, seed)
    held: dict[int, int] = {}
    verdicts: Counter[tuple[int, Verdict]] = Counter()

    def arrive(packet: SimulatedPacket) -> int:
        (waiting,) = switch.arrive(1, frame_to(port, packet.ecn), packet.came_us)
        queue = Dualpi2.queue_of(packet.ecn)
        assert (waiting.queue, waiting.rank) == (queue, packet.came_us + (shift_us if queue == CLASSIC else 0))
        held[packet.number] = waiting.packet
        return queue

    def leave(leaving: Leaving) -> bool:
        packet, waited_ns = leaving.packet, (leaving.now_us - leaving.packet.came_us) * 1000
        verdict = model.leave(leaving.now_us * 1000, packet.ecn, waited_ns, leaving.queue_bytes, leaving.port_bytes)
        verdicts[Dualpi2.queue_of(packet.ecn), verdict] += 1
        left = {"queue_bytes": leaving.queue_bytes, "port_bytes": leaving.port_bytes}
        seen = verdict_of(switch.leave(held.pop(packet.number), leaving.now_us, **left), port, packet.ecn)
        if packet.ecn == CONGESTION_EXPERIENCED and verdict is Verdict.MARKED:
            verdict = Verdict.SENT
        assert seen is verdict, leaving
        return seen is not Verdict.DROPPED

    run_queues(traffic, arrive, leave, queues=2)
    for verdict, name in ((Verdict.DROPPED, "dropped"), (Verdict.MARKED, "marked")):
        assert switch.counter(name, port) == verdicts[LOW_LATENCY, verdict] + verdicts[CLASSIC, verdict]
    return verdicts


@SWITCH_IS_SHARED
@given(traffic=TRAFFIC, text=st.sampled_from(DUALPI2), seed=SEEDS)
def test_dualpi2(switch_with: OneSwitch, traffic: Traffic, text: str, seed: int) -> None:
    compare_dualpi2(switch_with("dualpi2.p4"), parse_discipline(text), traffic, seed)


def test_red_decides_each_way(switch_with: OneSwitch) -> None:
    """So that the comparison is not one of two that never drop."""
    discipline = parse_discipline("red(ecn=true, weight_shift=4, max_packets=60)")
    traffic = Traffic(seed=3, packets=4000, load=(1.2, 0.8, 1.3), packet_us=1200, ecn=(0, 2), pause_us=50_000)
    model = Red(**model_arguments(discipline, DECISIONS))
    verdicts = compare_at_the_entrance(switch_with("red.p4"), discipline, model, traffic, 1)
    assert min(verdicts[verdict] for verdict in Verdict) > 50


def test_pie_decides_each_way(switch_with: OneSwitch) -> None:
    discipline = parse_discipline("pie(ecn=true)")
    traffic = Traffic(seed=3, packets=4000, load=(1.04, 0.9, 1.08), packet_us=1200, ecn=(0, 2))
    model = Pie(**model_arguments(discipline, DECISIONS))
    verdicts = compare_at_the_entrance(switch_with("pie.p4"), discipline, model, traffic, 1)
    assert min(verdicts[verdict] for verdict in Verdict) > 20


@pytest.mark.parametrize("text", ["dualpi2", "dualpi2(marks='random')"])
def test_dualpi2_decides_each_way(switch_with: OneSwitch, text: str) -> None:
    """Also drops in the low-latency queue, by its protection against overload."""
    traffic = Traffic(seed=3, packets=4000, load=(1.1, 0.9, 3.0), packet_us=1200, ecn=(0, 1, 2))
    verdicts = compare_dualpi2(switch_with("dualpi2.p4"), parse_discipline(text), traffic)
    assert min(verdicts[queue, verdict] for queue in (LOW_LATENCY, CLASSIC) for verdict in Verdict) > 20
