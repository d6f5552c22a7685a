"""The coupled schemes on connections of two subflows, in simulated time."""

from __future__ import annotations

import itertools

import pytest

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import Flow, Link, Simulation
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.coupled_schemes import COUPLED

CONNECTION = 4096
"""Address of the MPTCP connection that the subflows share."""


def subflows(frame: Frame, windows: tuple[int, int], rtts_us: tuple[int, int] = (40_000, 40_000)) -> tuple[Rounds, Rounds]:
    """Two subflows of one connection, each of which has had an acknowledgement."""
    first, second = (Rounds(frame, window, rtt_us=rtt, mptcp_connection=CONNECTION) for window, rtt in zip(windows, rtts_us, strict=True))
    for subflow, window in zip((first, second), windows, strict=True):
        subflow.round(packets=1)
        subflow.connection.set_window(window)
        subflow.round(packets=1)
    assert (first.window, second.window) == windows
    return first, second


def lia_growth(windows: tuple[int, int], rtts_us: tuple[int, int]) -> float:
    """RFC 6356 for the first subflow: packets for each window of it acknowledged."""
    paths = list(zip(windows, rtts_us, strict=True))
    alpha_over_total = max(w / rtt**2 for w, rtt in paths) / sum(w / rtt for w, rtt in paths) ** 2
    return min(alpha_over_total * windows[0], 1.0)


@pytest.mark.parametrize("windows", [(100, 100), (200, 50), (50, 200)])
@pytest.mark.parametrize("rtts_us", [(40_000, 40_000), (20_000, 100_000), (100_000, 20_000)])
def test_lia_grows_as_the_rfc_says_with_unlike_rtts(windows: tuple[int, int], rtts_us: tuple[int, int]) -> None:
    first, _ = subflows(Frame("lia"), windows, rtts_us)
    grown = first.rounds(8)[-1] - windows[0]
    expected = float(windows[0])
    for _ in range(8):
        expected += lia_growth((round(expected), windows[1]), rtts_us)
    assert grown == pytest.approx(expected - windows[0], abs=1.1)


@pytest.mark.parametrize(("windows", "left"), [((60, 40), 10), ((40, 20), 10), ((20, 60), 2), ((30, 30), 2)])
def test_coupled_loses_half_of_both_windows_on_one(windows: tuple[int, int], left: int) -> None:
    first, second = subflows(Frame("coupled"), windows)
    first.lose_one()
    assert first.connection.threshold == left
    assert second.window == windows[1]


@pytest.mark.parametrize(("text", "packets"), [("coupled", 1), ("semicoupled", 1), ("semicoupled(a=2)", 2)])
def test_coupled_grows_by_so_many_packets_in_all(text: str, packets: int) -> None:
    first, second = subflows(Frame(text), (60, 40))
    for _ in range(30):
        first.round()
        second.round()
    assert first.window + second.window - 100 == pytest.approx(30 * packets, abs=2)


@pytest.mark.parametrize("name", ["semicoupled", "olia"])
def test_a_loss_takes_half_of_its_own_window(name: str) -> None:
    first, second = subflows(Frame(name), (60, 40))
    first.lose_one()
    assert first.connection.threshold == 30
    assert second.window == 40


@pytest.mark.parametrize(("windows", "kept"), [((60, 40), 30), ((40, 50), 40 - 20 * 1.25), ((20, 60), 5)])
def test_balia_loses_more_on_the_worse_path(windows: tuple[int, int], kept: float) -> None:
    """Half of the window on the best path; up to three quarters where another one's rate is half as high again, or higher."""
    first, _ = subflows(Frame("balia"), windows)
    first.lose_one()
    assert first.connection.threshold == pytest.approx(kept, abs=1)


def test_balia_grows_as_the_paper_says_with_unlike_rtts() -> None:
    first, _ = subflows(Frame("balia"), (100, 100), (40_000, 20_000))
    grown = first.rounds(8)[-1] - 100
    expected = 100.0
    for _ in range(8):
        x, other = expected / 40_000, 100 / 20_000
        alpha = max(x, other) / x
        expected += (x / (x + other)) ** 2 * (1 + alpha) / 2 * (4 + alpha) / 5
    assert grown == pytest.approx(expected - 100, abs=1.1)


def test_olia_moves_the_window_to_the_path_that_loses_less() -> None:
    """The first path has the larger window, the second has had more packets between losses: it grows, and the first shrinks."""
    first, second = subflows(Frame("olia"), (60, 40))
    first.lose_one()
    first.lose_one()
    first.connection.set_window(60)
    for _ in range(20):
        second.connection.set_window(40)
        second.round()
    first.round()
    shrunk = first.rounds(8)[-1]
    assert shrunk == pytest.approx(60 - 8 * (1 / 2 - 0.36), abs=2), "(60 / 100)^2 - 1 / 2 a round"
    assert second.rounds(8)[-1] - 40 == pytest.approx(8 * (0.16 + 1 / 2), abs=2), "(40 / 100)^2 + 1 / 2"


@pytest.mark.parametrize("scheme", COUPLED)
def test_a_dead_path_does_not_count(scheme: str) -> None:
    """Two equal paths, one dead: the other one is standard TCP from the first time-out on. It was a quarter of it as long as it counted."""
    alive, dead = subflows(Frame(scheme), (20, 20))
    dead.time_out()
    alive.now_us = dead.now_us
    windows = alive.rounds(10)
    assert windows[-1] == pytest.approx(30, abs=1)
    alive.connection.set_window(30)
    alive.lose_one()
    assert alive.connection.threshold == 15, "half of its own, as if it were alone"
    dead.connection.timed_out(dead.now_us + 2_000_000)
    before = alive.window
    assert alive.rounds(4)[-1] == pytest.approx(before + 4, abs=1)


@pytest.mark.parametrize("scheme", COUPLED)
def test_a_path_that_comes_back_counts_again(scheme: str) -> None:
    alive, other = subflows(Frame(scheme), (50, 50))
    other.time_out()
    other.acknowledge_all()
    other.round(packets=1)
    other.connection.set_window(50)
    other.round(packets=1)
    before = alive.window
    assert alive.rounds(8)[-1] - before <= 5, "it shares again; alone it would grow by 8"


@pytest.mark.parametrize("scheme", COUPLED)
def test_the_map_is_empty_when_both_have_closed(scheme: str) -> None:
    frame = Frame(scheme)
    first, second = subflows(frame, (20, 20))
    assert frame.map_elements == 1
    first.connection.close()
    assert frame.map_elements == 1
    second.connection.close()
    assert frame.map_elements == 0


@pytest.mark.parametrize("scheme", COUPLED)
def test_a_path_dies_in_a_transfer(scheme: str) -> None:
    """Two paths that lose every 300th packet, one of which dies after 3 s: the other carries as much as one standard TCP connection."""

    def rate_bps(name: str, paths: int) -> float:
        simulation = Simulation()
        frame = Frame(name)
        for number in range(paths):
            numbers = itertools.count(1)

            def loses(number: int = number, numbers: itertools.count[int] = numbers) -> bool:
                return next(numbers) % 300 == 0 or (number == 1 and simulation.now_us > 3_000_000)

            flow = Flow(simulation, Link(simulation, loses=loses), frame, 20_000, mptcp_connection=CONNECTION)
            if number == 0:
                first = flow
        simulation.run(25)
        return first.rate_bps(5, 25)

    assert rate_bps(scheme, 2) == pytest.approx(rate_bps("reno", 1), rel=0.1)
