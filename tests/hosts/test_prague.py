"""Prague: its arithmetic against the draft's in fractions, and the whole scheme acknowledgement by acknowledgement."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import UserError
from engine.plan.schemes import check_schemes
from hosts.cca.scheme_names import parse_scheme
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.c_arithmetic import Load

HEADER = "prague_growth.h"
ONE_PACKET = 1 << 16
VIRTUAL_US = 25_000
G = Fraction(1, 16)


@given(rtt_us=st.integers(1, 1_000_000))
def test_growth_and_virtual_rtt_are_the_drafts(library: Load, rtt_us: int) -> None:
    c = library(HEADER)
    virtual = c.prague_virtual_rtt_us(rtt_us, VIRTUAL_US)
    assert virtual == max(rtt_us, VIRTUAL_US)
    assert c.prague_growth(rtt_us, virtual) == pytest.approx(
        float(Fraction(rtt_us, virtual) ** 2 * ONE_PACKET), abs=2 + ONE_PACKET / 30_000
    )


@given(window=st.integers(2, 100_000), rtt_us=st.integers(1, 10_000_000))
def test_the_pace_is_a_window_an_rtt(library: Load, window: int, rtt_us: int) -> None:
    assert library("window_rate.h").window_rate(window, 1448, rtt_us) == window * 1448 * 1_000_000 // rtt_us
    assert library("window_rate.h").window_rate(window, 1448, 0) == 0


def marked_round(rounds: Rounds, every: int) -> tuple[int, int]:
    """A window is sent and acknowledged packet by packet after an RTT, each ``every``-th with a mark; marked and all."""
    count = rounds.send_window()
    marks = 0
    for number in range(1, count + 1):
        marks += number % every == 0
        rounds.connection.acked(rounds.now_us, 1, 1, (rounds.rtt_us, rounds.rtt_us), is_marked=number % every == 0)
    rounds.forget_what_is_under_way()
    return marks, count


def test_without_marks_it_is_standard_tcp_beyond_the_virtual_rtt() -> None:
    assert Rounds("prague", 10).rounds(5) == [11, 12, 13, 14, 15]
    assert Rounds("prague", 10, threshold=1000).rounds(3) == [20, 40, 80]


def test_a_shorter_rtt_grows_as_slowly_as_the_virtual_one() -> None:
    """An RTT of 10 ms: 0.16 packets a round. In 25 ms that is 0.4 packets, and as much rate as one packet at an RTT of 25 ms."""
    assert Rounds("prague", 10, rtt_us=10_000).rounds(26)[-1] == 14
    assert Rounds("prague(virtual_rtt_ms=10)", 10, rtt_us=10_000).rounds(5)[-1] == 15


def test_the_first_mark_ends_slow_start_and_halves() -> None:
    prague = Rounds("prague", 100, threshold=1000)
    marked_round(prague, 100)
    assert prague.connection.threshold == prague.window
    assert prague.window == pytest.approx((100 + 99) / 2, abs=2)


def test_the_window_shrinks_by_half_of_alpha() -> None:
    """alpha is 1 with the first mark, and comes to the share of marked packets; unmarked ones make the window grow in the meantime."""
    prague, alpha = Rounds("prague", 200), Fraction(1)
    for number in range(60):
        prague.connection.set_window(200)
        before = prague.window
        marks, count = marked_round(prague, 10)
        cut = before - prague.window + (count - marks) / 200
        assert cut == pytest.approx(float(200 * alpha / 2), rel=0.05, abs=1.6), number
        alpha = alpha * (1 - G) + G * Fraction(marks, count)


def test_a_window_is_cut_once_a_virtual_rtt() -> None:
    prague = Rounds("prague", 100, rtt_us=10_000)
    windows = []
    for _ in range(6):
        marked_round(prague, 1)
        windows.append(prague.window)
    assert windows == [50, 50, 50, 25, 25, 25]


def test_a_loss_halves_the_window() -> None:
    prague = Rounds("prague", 40)
    prague.lose_one()
    assert (prague.window, prague.connection.threshold) == (20, 20)


def test_it_grows_only_if_the_window_limits_it() -> None:
    prague = Rounds("prague", 40)
    for _ in range(10):
        prague.round(packets=10)
    assert prague.window == 40


def test_it_is_for_virtual_time() -> None:
    with pytest.raises(UserError, match=r"prague sends its packets as ECT\(1\), which no BPF program can"):
        check_schemes([parse_scheme("prague")])
