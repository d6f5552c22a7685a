"""The coupled congestion controls on real MPTCP connections with two subflows over an emulated link. Root only."""

from __future__ import annotations

import functools
import statistics
import tempfile
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.mptcp_transfer import ONE_WAY_S, Samples, transfer
from bench.studies.emulated_transfers.transfer import LEAD_S, rate_bps, samples, send_together
from tests.harness.long_tests import only_long
from tests.hosts.emulated_path import LIMIT_S, repeated_if_unfaithful
from tests.hosts.shared_bottleneck import Growth, SharedBottleneck, by_half_of_all, coupled, halved, lia, standard

pytestmark = pytest.mark.timeout(LIMIT_S)
needs_mptcp = pytest.mark.skipif(not Path("/proc/sys/net/mptcp/enabled").exists(), reason="a kernel without MPTCP: coupling is NOT tested")
PAYLOAD_BYTES = 980  # MPTCP's own option takes 20 bytes
SHARED_BPS, SHARED_ONE_WAY_S, SHARED_S = 10e6, 0.01, 40.0
TWO_PATHS_S = 30.0


def growth_per_window(rows: Samples) -> float:
    """Packets by which the windows grow together while one window of each is acknowledged, after one loss on each of two subflows."""
    both = [(at, flows) for at, flows in rows if len(flows) == 2]
    totals = [sum(window for window, _, _ in flows) for _, flows in both]
    peak = max(range(len(both)), key=lambda index: totals[index] * (both[index][0] < 1.2))
    lowest = min(range(peak, len(both)), key=lambda index: totals[index])
    later = [flows for _, flows in both[lowest + 5 :]]
    windows = sum(
        (after[path][2] - before[path][2]) / PAYLOAD_BYTES / before[path][0] for before, after in pairwise(later) for path in range(2)
    )
    return (sum(flow[0] for flow in later[-1]) - sum(flow[0] for flow in later[0])) / (windows / 2)


@needs_mptcp
@repeated_if_unfaithful
@pytest.mark.parametrize(
    ("name", "packets"), [("lia", 0.5), pytest.param("coupled", 1.0, marks=only_long), pytest.param("reno", 2.0, marks=only_long)]
)
def test_two_subflows_grow_together(name: str, packets: float) -> None:
    """Two equal subflows: alpha of LIA is 1/2, COUPLED grows by one packet an RTT in all, standard TCP on each by two."""
    rows = transfer(name, 3.5, Direction(delay_s=ONE_WAY_S, lose_full_frame=80))
    assert all(len(flows) == 2 for at, flows in rows if at > 0.5)
    assert growth_per_window(rows) == pytest.approx(packets, rel=0.15)


@needs_mptcp
@repeated_if_unfaithful
@pytest.mark.parametrize("name", [pytest.param("lia", marks=only_long), "coupled"])
def test_a_dead_path_leaves_the_other_to_itself(name: str) -> None:
    """Two equal paths, one dead after 1.5 s: the other grows by 1 packet an RTT, as standard TCP, and not by 1/4 or 1/2 of one.

    Not at once: until what was on the dead path has been sent again on the other, the receiver's window keeps that waiting.
    """
    forward = Direction(delay_s=ONE_WAY_S, lose_full_frame=60, to_second=Direction(delay_s=ONE_WAY_S, lose_full_frame=60))

    def kill_the_second(path: EmulatedPath) -> None:
        def kill() -> None:
            assert path.forward.to_second is not None
            path.forward.to_second.loss = 1.0

        threading.Timer(LEAD_S + 1.5, kill).start()

    rows = transfer(name, 6.5, forward, kill_the_second)
    later = [flows for at, flows in rows if at > 4.5 and len(flows) == 2]
    alive = max((0, 1), key=lambda number: later[-1][number][2] - later[0][number][2])
    assert later[-1][1 - alive][2] == later[0][1 - alive][2], "nothing is acknowledged on the dead one"
    windows = sum((after[alive][2] - before[alive][2]) / PAYLOAD_BYTES / before[alive][0] for before, after in pairwise(later))
    assert (later[-1][alive][0] - later[0][alive][0]) / windows == pytest.approx(1, rel=0.15)


@functools.cache
def simulated(growth: Growth, after_loss: Growth) -> float:
    """Mean share of the RFC's own equations on the link of the test below."""
    runs = [
        SharedBottleneck(growth, after_loss, rate_pps=SHARED_BPS / 8 / 1066, base_s=2 * SHARED_ONE_WAY_S, queue_packets=25, seed=seed)
        for seed in range(6)
    ]
    return statistics.mean(run.share(SHARED_S, 4.0) for run in runs)


def test_simulated_lia_takes_more_than_half() -> None:
    """Why the transfer below is not held against exactly a half: the equations themselves come to 0.55 where windows are small.

    alpha follows the larger of two windows that are never equal, and a window of ten packets loses less than its part when queues overflow.
    """
    assert simulated(lia, halved) == pytest.approx(0.545, abs=0.02)
    assert simulated(coupled, by_half_of_all) == pytest.approx(0.515, abs=0.02)
    assert simulated(standard, halved) == pytest.approx(2 / 3, abs=0.02)


@only_long
@needs_mptcp
@repeated_if_unfaithful
@pytest.mark.parametrize(("name", "growth", "after_loss"), [("lia", lia, halved), ("coupled", coupled, by_half_of_all)])
def test_it_shares_a_bottleneck_as_its_equations_do(name: str, growth: Growth, after_loss: Growth, tmp_path: Path) -> None:
    """Two subflows beside one standard TCP connection, where uncoupled ones would take two thirds."""

    def plain_tcp(path: EmulatedPath) -> None:
        send_together(path, tmp_path, SHARED_S, {"tcp": (path.B, "reno")})

    link = Direction(rate_bps=SHARED_BPS, delay_s=SHARED_ONE_WAY_S, queue_packets=25, random_drop=True)
    rows = transfer(name, SHARED_S + 2, link, plain_tcp, back_s=SHARED_ONE_WAY_S)
    alone = rate_bps(samples(tmp_path / "tcp"), "bytes_acked", 3.0, SHARED_S - 0.1)
    together = total_bps(rows, 4.5, SHARED_S + 1)
    share = together / (together + alone)
    expected, uncoupled = simulated(growth, after_loss), simulated(standard, halved)
    print(f"{name}: {share:.3f} of the link; its equations in a simulation: {expected:.3f}, uncoupled {uncoupled:.3f}")
    assert together + alone > 0.8 * SHARED_BPS * 1000 / 1066
    assert 0.35 < share < (expected + uncoupled) / 2, f"{share:.3f} is nearer to uncoupled subflows, or starved"


def first_path() -> Direction:
    return Direction(delay_s=0.02, loss=0.01)


def second_path() -> Direction:
    return Direction(delay_s=0.03, loss=0.005)


@functools.cache
def best_single_path_bps() -> float:
    """The rate of one standard TCP connection on the better of the two paths; each is tried until the machine can emulate it."""
    rates = []
    for way in (first_path(), second_path()):
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder, EmulatedPath(way, Direction(delay_s=way.delay_s)) as path:
                send_together(path, Path(folder), TWO_PATHS_S, {"tcp": (path.B, "reno")})
                rate = rate_bps(samples(Path(folder) / "tcp"), "bytes_acked", 2.0, TWO_PATHS_S - 0.1)
            if path.was_faithful:
                rates.append(rate)
                break
    assert len(rates) == 2, "this machine is too busy to emulate a path"
    return max(rates)


@only_long
@needs_mptcp
@pytest.mark.parametrize("name", ["lia", "coupled", "reno"])
@repeated_if_unfaithful
def test_over_two_paths_it_gets_no_more_than_on_the_best_of_them(name: str) -> None:
    """1 % of losses at 40 ms, and 0.5 % at 60 ms: standard TCP gets much the same on each, and uncoupled subflows the sum of both."""

    forward = first_path()
    forward.to_second = second_path()
    best = best_single_path_bps()
    together = total_bps(transfer(name, TWO_PATHS_S, forward, back_s=0.02, back_from_second_s=0.03), 2.0, TWO_PATHS_S - 0.1)
    print(f"{name}: {together / 1e6:.2f} Mbit/s on two paths, standard TCP {best / 1e6:.2f} on the better one")
    if name == "reno":
        assert together > 1.5 * best, "the contrast"
    else:
        assert 0.6 * best < together < 1.25 * best


def total_bps(rows: Samples, from_s: float, until_s: float) -> float:
    """Mean rate of all subflows together."""
    inside = [(at, sum(acked for _, _, acked in flows)) for at, flows in rows if from_s < at < until_s]
    return (inside[-1][1] - inside[0][1]) * 8 / (inside[-1][0] - inside[0][0])
