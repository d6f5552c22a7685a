"""The arithmetic of the congestion controls, as compiled for user space, against plain floating point written from the papers."""

from __future__ import annotations

import ctypes
import functools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hosts.c_arithmetic import Load

ONE_PACKET = 1 << 16
RTTS_US = st.integers(1, 2**24)
WINDOWS = st.integers(2, 100_000)
ACKS = st.integers(1, 64)


@given(per_window=st.floats(0, 1000), window=WINDOWS, acks=st.lists(ACKS, max_size=60))
def test_growth_loses_nothing_by_rounding(library: Load, per_window: float, window: int, acks: list[int]) -> None:
    grow = library("growth.h").growth_packets
    credit = ctypes.c_uint64(0)
    rate = round(per_window * ONE_PACKET)
    total = sum(grow(ctypes.byref(credit), ctypes.c_uint64(rate), ctypes.c_uint32(window), ctypes.c_uint32(acked)) for acked in acks)
    exact = rate * sum(acks) / window / ONE_PACKET
    assert exact - 1 - 1e-6 < total <= exact + 1e-6


def highspeed_b(window: float) -> float:
    return (0.1 - 0.5) * (math.log(window) - math.log(38)) / (math.log(83000) - math.log(38)) + 0.5


def highspeed_a(window: float) -> float:
    return 0.078 * math.pow(window, 0.8) * 2 * highspeed_b(window) / (2 - highspeed_b(window))


@functools.cache
def rfc_3649_table() -> list[tuple[int, int, float]]:
    """Rows ``(w, a, b)`` as RFC 3649 makes those of its appendix B: a new one where a(w) has grown by more than 1 since the last."""
    table, last = [(38, 1, 0.5)], 1.0
    for window in range(38, 100_000):
        b = highspeed_b(window)
        a = window**2 * 2 * b / ((2 - b) * window**1.2 * 12.8)
        if a > last + 1:
            table.append((window, int(a), b))
            last = a
    return table


def test_highspeed_has_the_rfcs_table(library: Load) -> None:
    c = library("highspeed_response.h")
    table = rfc_3649_table()
    assert [row[0] for row in table[:8]] == [38, 118, 221, 347, 495, 663, 851, 1058], "as the RFC prints them"
    assert [row[:2] for row in table[-2:]] == [(89053, 72), (94717, 73)]
    for (window, a, b), end in zip(table, [*(row[0] for row in table[1:]), 2**20], strict=True):
        for inside in (window, (window + end) // 2, end - 1):
            assert c.highspeed_increase(inside) == a
            assert c.highspeed_after_loss(inside) == pytest.approx(inside * (1 - b), abs=inside / 512 + 1)


@given(window=st.integers(39, 90_000))
def test_highspeed_is_the_rfcs_response(library: Load, window: int) -> None:
    """The table against the equations: a within 1 and 1 %, b as in the row's smallest window (0.06 more at most, between 38 and 118)."""
    c = library("highspeed_response.h")
    assert c.highspeed_increase(window) == pytest.approx(max(1, highspeed_a(window)), abs=1 + 0.01 * highspeed_a(window))
    exact = window * (1 - highspeed_b(window))
    assert exact - 0.062 * window - 1 <= c.highspeed_after_loss(window) <= exact + window / 512 + 1e-9


@pytest.mark.parametrize("window", [2, 10, 37, 38])
def test_highspeed_is_standard_tcp_below_its_low_window(library: Load, window: int) -> None:
    c = library("highspeed_response.h")
    assert c.highspeed_increase(window) == 1
    assert c.highspeed_after_loss(window) == max(2, window // 2)


class BicState(ctypes.Structure):
    _fields_ = (("maximum", ctypes.c_uint32), ("probe_step", ctypes.c_uint32), ("probe_target", ctypes.c_uint32))


class BicReference:
    """The pseudo-code of the paper, in floating point: growth a window at each acknowledgement, window after a loss."""

    def __init__(self) -> None:
        self.maximum = 2.0**30
        self.is_probing, self.step, self.step_target = False, 1.0, 0.0

    def growth(self, window: float) -> float:
        if window < 14:
            return 1
        if self.is_probing and window >= self.step_target:
            self.step *= 2
            self.step_target = window + self.step
            self.is_probing = self.step < 32
        elif not self.is_probing and window >= self.maximum:
            self.is_probing, self.step, self.step_target, self.maximum = True, 1.0, window + 1, 2.0**30
        return self.step if self.is_probing else min(max((self.maximum - window) / 2, 0.01), 32)

    def loss(self, window: float) -> float:
        self.is_probing = False
        former, self.maximum = self.maximum, window
        if window < 14:
            return max(2, window / 2)
        if former > window:
            self.maximum = (window + window * 7 / 8) / 2
        return window * 7 / 8


@settings(max_examples=40)
@given(start=st.integers(2, 100), epochs=st.lists(st.integers(0, 10), min_size=1, max_size=5))
def test_bic_follows_the_papers_search(library: Load, start: int, epochs: list[int]) -> None:
    c = library("bic_search.h")
    state, credit, reference = BicState(), ctypes.c_uint64(0), BicReference()
    window = start
    for rounds in epochs:
        for _ in range(rounds):
            for _ in range(window):
                growth = c.bic_growth(ctypes.byref(state), window)
                assert growth / ONE_PACKET == pytest.approx(reference.growth(window), rel=1e-3, abs=0.51)
                window += c.growth_packets(ctypes.byref(credit), ctypes.c_uint64(growth), ctypes.c_uint32(window), ctypes.c_uint32(1))
        after = c.bic_after_loss(ctypes.byref(state), window)
        assert after == pytest.approx(reference.loss(window), abs=1)
        assert state.maximum == pytest.approx(reference.maximum, abs=1)
        reference.maximum = float(state.maximum)
        window = after


@given(window=st.integers(14, 10_000))
def test_bic_steps_stay_between_the_smallest_and_the_largest(library: Load, window: int) -> None:
    c = library("bic_search.h")
    for maximum in (window + 1, window + 5, window + 63, window + 65, window * 10):
        state = BicState(maximum=maximum)
        growth = c.bic_growth(ctypes.byref(state), window) / ONE_PACKET
        assert growth == pytest.approx(min(max((maximum - window) / 2, 0.01), 32))


@given(window=WINDOWS, base_us=RTTS_US, queue=st.floats(0, 5))
def test_vegas_keeps_two_to_four_packets(library: Load, window: int, base_us: int, queue: float) -> None:
    rtt_us = min(round(base_us * (1 + queue)), 2**31)
    queued = window * (rtt_us - base_us) / rtt_us
    c = library("vegas_round.h")
    expected = window + 1 if queued < 2 else max(2, window - 1) if queued > 4 else window
    assert c.vegas_next_window(window, rtt_us, base_us, 2, 4) == expected
    fitting = window * base_us / rtt_us + 1
    assert abs(c.vegas_slow_start_end(window, rtt_us, base_us) - max(2, min(window, fitting))) <= 1


@given(rtt_us=st.integers(0, 2**24))
def test_hybla_grows_by_rho(library: Load, rtt_us: int) -> None:
    rho = min(max(rtt_us / 25_000, 1), 16)
    c = library("hybla_growth.h")
    ratio = ctypes.c_uint64(c.hybla_ratio(rtt_us))
    assert ratio.value / ONE_PACKET == pytest.approx(rho, rel=2e-5)
    assert c.hybla_avoidance_growth(ratio) / ONE_PACKET == pytest.approx(rho**2, rel=1e-4)
    assert c.hybla_slow_start_growth(ratio) / ONE_PACKET == pytest.approx(2**rho - 1, rel=1e-3)


@given(x=st.integers(0, 2**60))
def test_whole_square_root(library: Load, x: int) -> None:
    assert library("square_root.h").whole_square_root(ctypes.c_uint64(x)) == math.isqrt(x)


@given(mss=st.integers(88, 9000), base_us=RTTS_US, queue=st.floats(0, 20), share=st.floats(0, 1))
def test_msstcp_factor(library: Load, mss: int, base_us: int, queue: float, share: float) -> None:
    rtt_max_us = round(base_us * (1 + queue))
    rtt_us = round(base_us + (rtt_max_us - base_us) * share)
    expected = math.sqrt(mss * (rtt_max_us + base_us) / rtt_us)
    assert library("msstcp_factor.h").msstcp_factor(mss, rtt_max_us, base_us, rtt_us) / ONE_PACKET == pytest.approx(expected, rel=1e-4)


class QtColPath(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("window", "in_flight", "rtt_us", "rtt_min_us", "target_share"))


def qtcol_reference(window: int, in_flight: int, rtt_us: int, rtt_min_us: int, alpha: float) -> int:
    """Algorithm 1."""
    predicted = max(in_flight + window - math.ceil(window * rtt_us / (alpha * rtt_min_us)), 4)
    if predicted == in_flight:
        predicted = in_flight + 1
    new = max(window + math.ceil(rtt_min_us * (predicted - in_flight) / rtt_us), 4)
    return window + 1 if new == window else new


@given(
    window=st.integers(4, 20_000), share=st.floats(0, 1), base_us=st.integers(100, 2**20), queue=st.floats(0, 10),
    target_share=st.sampled_from([1100, 1200, 1500, 2000]),
)  # fmt: skip
def test_qtcol_step(library: Load, window: int, share: float, base_us: int, queue: float, target_share: int) -> None:
    in_flight, rtt_us = round(window * share), round(base_us * (1 + queue))
    path = QtColPath(window, in_flight, rtt_us, base_us, target_share)
    c = library("qtcol_step.h")
    result = c.qtcol_next_window(path, c.qtcol_predict(path))
    assert abs(result - qtcol_reference(window, in_flight, rtt_us, base_us, target_share / 1000)) <= 1


@pytest.mark.parametrize("alpha", [1.2, 1.5])
def test_qtcol_settles_at_its_target(library: Load, alpha: float) -> None:
    """A path of 100 packets per smallest RTT: the RTT goes to alpha times the smallest and stays there."""
    c = library("qtcol_step.h")
    window, base_us = 10, 40_000
    rtts = []
    for _ in range(200):
        rtt_us = max(base_us, round(base_us * window / 100))
        path = QtColPath(window, window, rtt_us, base_us, round(alpha * 1000))
        window = c.qtcol_next_window(path, c.qtcol_predict(path))
        rtts.append(rtt_us / base_us)
    assert all(rtt == pytest.approx(alpha, abs=0.05) for rtt in rtts[100:])


@given(data=st.data())
def test_no_input_breaks_a_step(library: Load, data: st.DataObject) -> None:
    anything = st.integers(0, 2**32 - 1)
    path = QtColPath(*(data.draw(anything) for _ in range(5)))
    c = library("qtcol_step.h")
    assert 4 <= c.qtcol_next_window(path, c.qtcol_predict(path)) <= 2**22
    values = [data.draw(anything) for _ in range(4)]
    assert library("msstcp_factor.h").msstcp_factor(*values) <= 2**29
    assert 2 <= library("vegas_round.h").vegas_next_window(max(2, values[0] % 2**31), *values[1:3], 2, 4) <= 2**31


@given(window=st.integers(0, 2**32 - 1), alpha=st.integers(1, 10_240))
def test_compound_increase(library: Load, window: int, alpha: int) -> None:
    expected = max(0.0, alpha / 1024 * min(window, 2**20 - 1) ** 0.75 - 1)
    assert library("compound_window.h").compound_increase(window, alpha) / ONE_PACKET == pytest.approx(expected, rel=1e-3, abs=1e-3)


@given(window=WINDOWS, beta=st.integers(1, 1023), data=st.data())
def test_compound_after_a_loss(library: Load, window: int, beta: int, data: st.DataObject) -> None:
    delay_window = data.draw(st.integers(0, window))
    own = window - delay_window
    expected = max(0.0, window * (1 - beta / 1024) - own / 2)
    assert library("compound_window.h").compound_after_loss(window, delay_window, beta) == pytest.approx(expected, abs=1)


@given(queued=st.integers(0, 2**32 - 1), gamma=st.integers(5 * 256, 30 * 256))
def test_compound_gamma_stays_between_its_limits(library: Load, queued: int, gamma: int) -> None:
    expected = min(30.0, max(5.0, 0.75 * gamma / 256 + 0.25 * 0.75 * queued))
    assert library("compound_window.h").compound_gamma(gamma, queued, 5, 30) / 256 == pytest.approx(expected, abs=1 / 128)
