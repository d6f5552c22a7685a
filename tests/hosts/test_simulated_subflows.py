"""The coupled schemes on connections of two subflows, in simulated time."""

from __future__ import annotations

import itertools

import pytest

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import Flow, Link, Simulation
from hosts.cca.simulation.rounds import Rounds

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


def test_coupled_grows_by_one_packet_in_all() -> None:
    first, second = subflows(Frame("coupled"), (60, 40))
    for _ in range(30):
        first.round()
        second.round()
    assert first.window + second.window - 100 == pytest.approx(30, abs=2)


@pytest.mark.parametrize("scheme", ["lia", "coupled"])
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


@pytest.mark.parametrize("scheme", ["lia", "coupled"])
def test_a_path_that_comes_back_counts_again(scheme: str) -> None:
    alive, other = subflows(Frame(scheme), (50, 50))
    other.time_out()
    other.acknowledge_all()
    other.round(packets=1)
    other.connection.set_window(50)
    other.round(packets=1)
    before = alive.window
    assert alive.rounds(8)[-1] - before <= 5, "it shares again; alone it would grow by 8"


@pytest.mark.parametrize("scheme", ["lia", "coupled"])
def test_the_map_is_empty_when_both_have_closed(scheme: str) -> None:
    frame = Frame(scheme)
    first, second = subflows(frame, (20, 20))
    assert frame.map_elements == 1
    first.connection.close()
    assert frame.map_elements == 1
    second.connection.close()
    assert frame.map_elements == 0


@pytest.mark.parametrize("scheme", ["lia", "coupled"])
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
