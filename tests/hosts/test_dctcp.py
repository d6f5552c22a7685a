"""DCTCP: its arithmetic against RFC 8257 in fractions, and the whole scheme acknowledgement by acknowledgement."""

from __future__ import annotations

import ctypes
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hosts.cca.simulation.frame import CWR, OPEN, RECOVERY, Frame, FrameConnection
from hosts.cca.simulation.rounds import Rounds
from tests.hosts.c_arithmetic import Load

HEADER = "dctcp_alpha.h"
ONE = 1 << 20
G = Fraction(1, 16)
G_UNITS = 64
MSS_BYTES = 1000


def share(alpha: Fraction, windows: list[tuple[int, int]], g: Fraction = G) -> Fraction:
    """RFC 8257, section 3.3, step 6, once for each window of (marked, delivered) packets."""
    for marked, delivered in windows:
        if delivered:
            alpha = alpha * (1 - g) + g * Fraction(marked, delivered)
    return alpha


WINDOWS = st.tuples(st.integers(0, 3000), st.integers(0, 3000)).map(lambda pair: (min(pair), max(pair)))


@given(windows=st.lists(WINDOWS, max_size=100), units=st.sampled_from([1, G_UNITS, 256, 1024]))
def test_alpha_is_the_rfcs(library: Load, windows: list[tuple[int, int]], units: int) -> None:
    c = library(HEADER)
    alpha = ONE
    for marked, delivered in windows:
        alpha = c.dctcp_alpha(alpha, marked, delivered, units)
    exact = share(Fraction(1), windows, Fraction(units, 1024))
    # Each step rounds down by less than 2 units, of which 1 - g stays.
    assert exact - Fraction(2 * 1024, units * ONE) <= Fraction(alpha, ONE) <= exact


def test_alpha_comes_to_nothing_without_marks(library: Load) -> None:
    c = library(HEADER)
    alpha = ONE
    for _ in range(250):
        alpha = c.dctcp_alpha(alpha, 0, 10, G_UNITS)
    assert alpha == 0, "with 10 bits it would stay at 15/1024"


@given(windows=st.lists(st.tuples(st.integers(2, 5000), st.integers(0, ONE)), max_size=50))
def test_cuts_lose_nothing_by_rounding(library: Load, windows: list[tuple[int, int]]) -> None:
    c = library(HEADER)
    owed = ctypes.c_uint32(0)
    cut = exact = Fraction(0)
    for window, alpha in windows:
        left = c.dctcp_reduced_window(ctypes.byref(owed), window, alpha)
        assert left >= 2
        if left > 2:
            cut += window - left
            exact += window * Fraction(alpha, 2 * ONE)
        else:  # no smaller than 2: the cut is not the equation's
            owed.value, cut, exact = 0, Fraction(0), Fraction(0)
    assert exact - 1 < cut <= exact or (cut == exact == 0)


def marked_round(rounds: Rounds, every: int) -> tuple[int, int]:
    """A window is sent and acknowledged packet by packet, each ``every``-th acknowledgement with a mark; marked and all."""
    connection = rounds.connection
    count = rounds.send_window()
    marks = 0
    for number in range(1, count + 1):
        is_marked = number % every == 0
        marks += is_marked
        connection.acked(rounds.now_us, 1, 1, (rounds.rtt_us, rounds.rtt_us), is_marked=is_marked)
    rounds.forget_what_is_under_way()
    return marks, count


@pytest.mark.parametrize(("every", "rounds_of"), [(1, 1), (2, 40), (10, 60)])
def test_the_window_shrinks_by_half_of_the_marked_share(every: int, rounds_of: int) -> None:
    """alpha begins at 1; with every packet marked it stays there, and the window is halved. Else it comes to the share that is marked."""
    dctcp = Rounds("dctcp", 200)
    windows = []
    for _ in range(rounds_of):
        dctcp.connection.set_window(200)
        windows.append(marked_round(dctcp, every))
    # The first acknowledgement of a window closes the one before.
    alpha = share(Fraction(1), windows[:-1])
    assert dctcp.connection.threshold == pytest.approx(float(200 * (1 - alpha / 2)), abs=1.01)


def test_a_window_is_cut_once() -> None:
    dctcp = Rounds("dctcp", 100)
    marked_round(dctcp, 1)
    assert dctcp.connection.state in (CWR, OPEN)
    assert dctcp.connection.threshold == 50


def test_without_marks_it_is_standard_tcp() -> None:
    assert Rounds("dctcp", 10).rounds(5) == [11, 12, 13, 14, 15]
    slow_start = Rounds("dctcp", 10, threshold=1000)
    assert slow_start.rounds(3) == [20, 40, 80]
    dctcp = Rounds("dctcp", 40)
    dctcp.lose_one()
    assert dctcp.connection.threshold == 20


def test_a_loss_halves_whatever_the_marks_say() -> None:
    dctcp = Rounds("dctcp", 200)
    for _ in range(80):
        dctcp.round()
    window = dctcp.window
    assert window > 200
    count = dctcp.send_window()
    dctcp.connection.acked(dctcp.now_us, 1, 1, (dctcp.rtt_us, dctcp.rtt_us), is_marked=True)
    assert dctcp.connection.state == CWR
    assert dctcp.connection.threshold == pytest.approx(window, abs=2), "alpha has come to next to nothing"
    dctcp.connection.acked(dctcp.now_us, 0, 3, (0, 0), sacked_out=3, lost_out=1)
    assert dctcp.connection.state == RECOVERY
    assert dctcp.connection.threshold <= window / 2 + 1
    assert count == window


def test_the_receiver_echoes_each_mark() -> None:
    """RFC 8257, section 3.2: a put-off acknowledgement goes with the former mark, the next one at once."""
    receiver = FrameConnection(Frame("dctcp"), MSS_BYTES, 40_000, 1_000_000)
    assert receiver.received(is_marked=False, is_put_off=False) == (False, False)
    assert receiver.received(is_marked=True, is_put_off=True) == (True, True)
    assert receiver.acknowledgements_sent == (1, MSS_BYTES * 0, False)
    assert receiver.received(is_marked=True, is_put_off=True) == (True, False), "two packets alike may have one acknowledgement"
    assert receiver.acknowledgements_sent[0] == 1
    assert receiver.received(is_marked=False, is_put_off=False) == (False, True), "nothing was put off, so nothing is sent for it"
    assert receiver.acknowledgements_sent[0] == 1
    assert receiver.received(is_marked=True, is_put_off=True) == (True, True)
    assert receiver.acknowledgements_sent == (2, MSS_BYTES * 3, False)
