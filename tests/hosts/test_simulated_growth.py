"""Each scheme's own equations in a transfer in simulated time: one that a wrong formula fails. The figures are the papers'."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import pairwise

import pytest

from hosts.cca.simulation.frame import Frame, FrameConnection
from hosts.cca.simulation.network import Flow, Link, Sample, Simulation
from hosts.cca.simulation.rounds import Rounds

MSS_BYTES = 1000
PAYLOAD_SHARE = MSS_BYTES / (MSS_BYTES + 66)


def transfer(
    name: str, until_s: float, rate_bps: float | None = 4e6, delay_us: int = 20_000, window: int | None = None, queue_packets: int = 1000
) -> Flow:
    """A transfer over a link of 40 ms RTT, with a queue that does not overflow; from ``window`` on in congestion avoidance, if given."""
    simulation = Simulation()

    def begin(connection: FrameConnection) -> None:
        if window is not None:
            connection.set_window(window)

    link = Link(simulation, rate_bps, queue_packets)
    flow = Flow(simulation, link, Frame(name), delay_us, mss_bytes=MSS_BYTES, on_open=begin)
    simulation.run(until_s)
    return flow


def growth(samples: list[Sample]) -> float:
    """Packets by which the window has grown."""
    return samples[-1].window - samples[0].window


def expected_growth(samples: list[Sample], per_window: Callable[[Sample], float]) -> float:
    """The same by an equation for each window acknowledged."""
    return sum(per_window(later) * (later.acked_packets - sample.acked_packets) / sample.window for sample, later in pairwise(samples))


@pytest.mark.parametrize(("rtt_us", "rho"), [(20_000, 1.0), (62_500, 2.5), (100_000, 4.0), (160_000, 6.4)])
def test_hybla_starts_by_two_to_the_rho(rtt_us: int, rho: float) -> None:
    hybla = Rounds("hybla", 10, threshold=100_000, rtt_us=rtt_us)
    assert hybla.round() - 10 == pytest.approx(10 * (2**rho - 1), abs=1.01)


@pytest.mark.parametrize(("rtt", "rho_squared"), [("smallest", 1.6**2), ("present", 8.0**2)])
def test_hybla_takes_a_queue_for_distance_only_if_told_to(rtt: str, rho_squared: float) -> None:
    """40 ms, and a window that makes it 200 ms."""
    hybla = Rounds(f"hybla(rtt={rtt})", 94)
    hybla.rounds(2, rtt_us=200_000)
    before = hybla.window
    grown = hybla.rounds(3, rtt_us=200_000)[-1] - before
    assert grown / 3 == pytest.approx(rho_squared, rel=0.15)


def test_msstcp_divides_by_the_queue() -> None:
    """Factor = sqrt(MSS (RTT_max + RTT_base) / RTT_cur), all three from the acknowledgements of congestion avoidance."""
    flow = transfer("msstcp", 1.5, window=12)
    least = most = 0

    def factor(sample: Sample) -> float:
        nonlocal least, most
        least = min(least or sample.rtt_us, sample.rtt_us)
        most = max(most, sample.rtt_us)
        return math.sqrt(MSS_BYTES * (most + least) / sample.rtt_us)

    samples = flow.between(0, 1.5)
    assert samples[-1].rtt_us > 4 * samples[0].rtt_us, "a queue, or the test shows nothing"
    assert growth(samples) == pytest.approx(expected_growth(samples, factor), rel=0.02)
    without_queue = expected_growth(samples, lambda _sample: math.sqrt(2 * MSS_BYTES))
    assert growth(samples) < 0.9 * without_queue


def test_msstcp_looks_at_rtts_in_congestion_avoidance_alone() -> None:
    """Algorithm 1, lines 8 to 14: 10 and 500 ms in slow start do not count later."""
    msstcp = Rounds("msstcp", 10, threshold=1000)
    msstcp.round(rtt_us=10_000)
    msstcp.round(rtt_us=500_000)
    msstcp.connection.set_window(100)
    assert msstcp.round(rtt_us=100_000) - 100 == pytest.approx(math.sqrt(2 * MSS_BYTES), rel=0.2)


@pytest.mark.parametrize(("name", "window"), [("msstcp", 1), ("msstcp(timeout_window=10)", 10)])
def test_msstcp_after_a_timeout(name: str, window: int) -> None:
    msstcp = Rounds(name, 50)
    msstcp.time_out()
    assert msstcp.window == window
    assert msstcp.connection.threshold == 25


@pytest.mark.parametrize(("constants", "fewest", "most"), [("", 2, 4), ("(alpha=8,beta=10)", 8, 10), ("(alpha=1,beta=1)", 1, 1)])
def test_vegas_keeps_alpha_to_beta_packets_in_the_queue(constants: str, fewest: int, most: int) -> None:
    flow = transfer(f"vegas{constants}", 5)
    queued = statistics.median(sample.window * (sample.rtt_us - 42_132) / sample.rtt_us for sample in flow.between(4, 5))
    assert fewest - 0.5 <= queued <= most + 0.5


@pytest.mark.parametrize("gamma", [1, 30])
def test_vegas_ends_slow_start_at_gamma(gamma: int) -> None:
    """The window of the path alone is 18.75 + 1 packets; slow start goes on until more than gamma stand in the queue."""
    flow = transfer(f"vegas(gamma={gamma})", 3)
    fitting = 4e6 * 0.042132 / 8 / 1066
    largest = max(sample.window for sample in flow.samples)
    assert fitting + gamma < largest <= 2 * (fitting + gamma) + 2


def test_vegas_doubles_every_other_round() -> None:
    """160 if it doubled every round."""
    assert Rounds("vegas", 10, threshold=100_000).rounds(4)[-1] == pytest.approx(40, abs=4)


def test_bic_is_standard_tcp_below_14_packets() -> None:
    bic = Rounds("bic", 10)
    assert bic.rounds(4) == [11, 12, 13, 14]
    bic.connection.set_window(12)
    bic.lose_one()
    assert bic.connection.threshold == 6
    bic.connection.set_window(16)
    bic.lose_one()
    assert bic.connection.threshold == 14


def test_bic_grows_by_no_more_than_32_packets_a_window() -> None:
    bic = Rounds("bic", 100)
    windows = [100, *bic.rounds(5)]
    assert all(25 < later - window <= 32 for window, later in pairwise(windows))


def test_compound_grows_by_its_power_of_the_window() -> None:
    """By alpha w^(3/4) with nothing queued, after a first round without a measurement; below 38 packets as standard TCP."""
    compound = Rounds("compound(alpha=0.25)", 400)
    assert compound.round() == 401
    windows = compound.rounds(6)
    assert all(later - window == pytest.approx(0.25 * window**0.75, rel=0.06) for window, later in pairwise(windows))
    assert Rounds("compound", 20).rounds(5) == [21, 22, 23, 24, 25]


@pytest.mark.parametrize("gamma", [10, 60])
def test_compound_gives_way_to_a_queue_of_gamma_packets(gamma: int) -> None:
    """While the loss window alone, from 100 packets on by one a round, is smaller than the 197 packets of the path."""
    flow = transfer(f"compound(gamma={gamma},gamma_low=5)", 4, 40e6, window=100)
    queued = [sample.window * (sample.rtt_us - 40_213) / sample.rtt_us for sample in flow.between(1, 4)]
    assert gamma < max(queued) < gamma + 3 * 0.125 * 197**0.75, "a round to see it, and one more"
    assert min(queued) < gamma / 2


@pytest.mark.parametrize(("gamma_low", "grown"), [(5, 1), (30, 0.125 * 400**0.75)])
def test_compound_tunes_gamma_by_the_queue_of_standard_tcp(gamma_low: int, grown: float) -> None:
    """10 packets in the queue before each loss: gamma comes down to three quarters of them."""
    compound = Rounds(f"compound(gamma_low={gamma_low})", 400)
    compound.rounds(2)
    for _ in range(15):
        compound.connection.set_window(400)
        compound.rounds(3, rtt_us=41_000)
        compound.lose_one()
    compound.connection.set_window(400)
    compound.rounds(2, rtt_us=41_000)
    before = compound.window
    assert compound.round(rtt_us=41_000) - before == pytest.approx(grown, abs=1.5)


def test_compound_keeps_what_beta_says() -> None:
    compound = Rounds("compound(beta=0.25)", 400)
    compound.rounds(5)
    before = compound.window
    compound.lose_one()
    assert compound.connection.threshold == pytest.approx(0.75 * before, abs=2)


LIBRA_PENALTIES: dict[int, Callable[[float], float]] = {
    1: lambda queued: 2 * (1 - queued),
    2: lambda queued: 2 * (1 - queued) * (2 - queued),
    3: lambda queued: math.exp(-2 * queued),
}


@pytest.mark.parametrize("penalty", [1, 2, 3])
@pytest.mark.parametrize("rate_bps", [4e6, 12e6])
def test_libra_grows_by_its_capacity_and_penalty(rate_bps: float, penalty: int) -> None:
    """alpha T^2 / (T + T0) with alpha = k1 C P: C from packet pairs, P by the part of the queue that is full."""
    k1 = 40
    flow = transfer(f"libra(k1={k1},penalty={penalty})", 4, rate_bps, window=round(rate_bps * 0.06 / 8 / 1066))
    least, most = min(sample.rtt_us for sample in flow.samples), max(sample.rtt_us for sample in flow.between(0, 0.2))

    def by_the_paper(sample: Sample) -> float:
        nonlocal most
        most = max(most, sample.rtt_us)
        queued = (sample.rtt_us - least) / max(1, most - least)
        t = sample.rtt_us / 1e6
        return k1 * rate_bps * PAYLOAD_SHARE / 1e6 * LIBRA_PENALTIES[penalty](queued) * t * t / (t + 1)

    samples = flow.between(0.2, 4)
    expected = expected_growth(samples, by_the_paper)
    assert growth(samples) == pytest.approx(expected, rel=0.1, abs=1)


def test_libra_grows_by_the_capacity_that_it_is_given() -> None:
    """C = 20 on a link of 4 Mbit/s."""
    flow = transfer("libra(k1=40,capacity=20,penalty=3,k2=0.001)", 3, 4e6, window=28)
    samples = flow.between(0.2, 3)
    expected = expected_growth(samples, lambda sample: 40 * 20 * (sample.rtt_us / 1e6) ** 2 / (sample.rtt_us / 1e6 + 1))
    assert growth(samples) == pytest.approx(expected, rel=0.1, abs=1)


@pytest.mark.parametrize(("constants", "part"), [("", 1 / 3), ("(t1=0.5)", 1 / 6), ("(t0=0.5)", 1 / 2), ("(t0=2)", 1 / 5)])
def test_libra_loses_by_t1_over_the_rtt(constants: str, part: float) -> None:
    """T1 / (2 (T + T0)) of the window, at an RTT of 500 ms."""
    libra = Rounds(f"libra{constants}", 120, rtt_us=500_000)
    libra.round()
    libra.connection.set_window(120)
    libra.lose_one()
    assert libra.connection.threshold == pytest.approx(120 * (1 - part), abs=1)


def test_highspeed_grows_and_falls_by_its_table() -> None:
    """RFC 3649, appendix B: at 1284 packets a(w) = 9 and b(w) = 0.32."""
    highspeed = Rounds("highspeed", 1300)
    assert highspeed.round() - 1300 == pytest.approx(9, abs=1)
    highspeed.connection.set_window(1300)
    highspeed.lose_one()
    assert highspeed.connection.threshold == pytest.approx(1300 * (1 - 0.32), rel=0.01)
