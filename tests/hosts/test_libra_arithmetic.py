"""TCP Libra's arithmetic, as compiled for user space, against the paper's equations in floating point."""

from __future__ import annotations

import ctypes
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hosts.c_arithmetic import Load

ONE = 1 << 16
RTTS_US = st.integers(500, 2_000_000)
K2 = st.floats(0.01, 20)


def penalty(kind: int, k2: float, rtt: float, least: float, most: float) -> float:
    """Table II."""
    q = (rtt - least) / (most - least) if most > least else 0.0
    if kind == 1:
        return k2 * (1 - q)
    if kind == 2:
        return k2 * (1 - q) * (2 - q)
    return math.exp(-k2 * q)


@given(kind=st.sampled_from([1, 2, 3]), k2=K2, least=RTTS_US, queue=st.floats(0, 10), share=st.floats(0, 1))
def test_penalty_is_table_two(library: Load, kind: int, k2: float, least: int, queue: float, share: float) -> None:
    most = round(least * (1 + queue))
    rtt = round(least + (most - least) * share)
    k2_milli = round(k2 * 1000)
    got = library("libra_window.h").libra_penalty(kind, k2_milli, rtt, least, most) / ONE
    exact = penalty(kind, k2_milli / 1000, rtt, least, most)
    # q and y are whole 65536ths: that shifts a function with slope k2 by some k2 / 65536.
    assert got == pytest.approx(exact, rel=1e-3, abs=(4 * k2 + 2) / ONE)


@given(
    k1=st.floats(0.1, 100), kbps=st.integers(1000, 1_000_000), p=st.floats(0.01, 4), rtt=RTTS_US, t0=st.floats(0.01, 10),
)  # fmt: skip
def test_growth_is_alpha_t_squared(library: Load, k1: float, kbps: int, p: float, rtt: int, t0: float) -> None:
    c = library("libra_window.h")
    k1_milli, p_fixed, t0_us = round(k1 * 1000), round(p * ONE), round(t0 * 1e6)
    alpha = min(k1_milli / 1000 * kbps / 1000, 32768) * p_fixed / ONE
    got = c.libra_alpha(k1_milli, kbps, p_fixed)
    assert got / ONE == pytest.approx(min(alpha, 32768), rel=1e-4, abs=2 / ONE * (1 + p))
    seconds = rtt / 1e6
    exact = got / ONE * seconds**2 / (seconds + t0_us / 1e6)
    assert c.libra_growth(ctypes.c_uint64(got), rtt, t0_us) / ONE == pytest.approx(exact, rel=1e-3, abs=got / ONE / 4096e6 + 1 / ONE)


@given(window=st.integers(2, 200_000), rtt=RTTS_US, t0=st.integers(1000, 10_000_000), t1=st.integers(1000, 10_000_000))
def test_loss_takes_what_the_paper_says(library: Load, window: int, rtt: int, t0: int, t1: int) -> None:
    exact = max(2, window - t1 * window / (2 * (rtt + t0)))
    assert abs(library("libra_window.h").libra_after_loss(window, rtt, t0, t1) - exact) <= 1


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from([1, 2, 3]), base_us=st.integers(5_000, 400_000))
def test_a_random_sequence_follows_the_floating_point_window(library: Load, seed: int, kind: int, base_us: int) -> None:
    """Rounds with random RTTs and losses; both windows stay together within 1 % and a packet a loss."""
    c, chance = library("libra_window.h"), random.Random(seed)
    kbps, credit, window, exact = 20_000, ctypes.c_uint64(0), 20, 20.0
    most_us, losses = base_us, 0
    for _ in range(60):
        rtt_us = round(base_us * (1 + chance.random()))
        most_us = max(most_us, rtt_us)
        if chance.random() < 0.1:
            window, exact, losses = c.libra_after_loss(window, rtt_us, 1_000_000, 1_000_000), exact, losses + 1
            exact = max(2.0, exact - exact / (2 * (rtt_us / 1e6 + 1)))
            continue
        alpha = c.libra_alpha(2000, kbps, c.libra_penalty(kind, 2000, rtt_us, base_us, most_us))
        growth = c.libra_growth(ctypes.c_uint64(alpha), rtt_us, 1_000_000)
        window += c.growth_packets(ctypes.byref(credit), ctypes.c_uint64(growth), window, window)
        seconds = rtt_us / 1e6
        exact += 2 * kbps / 1000 * penalty(kind, 2, rtt_us, base_us, most_us) * seconds**2 / (seconds + 1)
        assert window == pytest.approx(exact, rel=0.01, abs=2 + losses)


class Pairs(ctypes.Structure):
    _fields_ = (("least_us", ctypes.c_uint32), ("spacing", ctypes.c_uint32))


@given(
    rate_kbps=st.integers(500, 200_000), base_us=st.integers(2_000, 300_000), seed=st.integers(0, 2**32), share=st.floats(0, 0.6),
)  # fmt: skip
def test_packet_pairs_find_the_narrowest_link(library: Load, rate_kbps: int, base_us: int, seed: int, share: float) -> None:
    """Pairs of one packet behind another; a share of them waits behind, or lets in, packets of others."""
    c, chance, pairs, mss = library("packet_pair.h"), random.Random(seed), Pairs(), 1000
    gap_us = max(8, round(mss * 8000 / rate_kbps))
    for index in range(200):
        queued = other = 0
        if index > 5 and chance.random() < share:
            queued, other = chance.randint(base_us // 4, base_us), chance.randint(0, 3)
        first = base_us + queued
        gap = round(gap_us * (1 + other))
        c.packet_pair_add(ctypes.byref(pairs), gap, 1, first, first + gap)
    estimate = c.packet_pair_capacity_kbps(ctypes.byref(pairs), mss)
    assert estimate == pytest.approx(mss * 8000 / gap_us, rel=0.01)


def test_packets_sent_apart_are_no_pair(library: Load) -> None:
    c, pairs = library("packet_pair.h"), Pairs()
    assert not c.packet_pair_add(ctypes.byref(pairs), 5000, 1, 40_000, 40_000), "they left 5 ms apart"
    assert not c.packet_pair_add(ctypes.byref(pairs), 0, 1, 40_000, 40_000)
    assert c.packet_pair_capacity_kbps(ctypes.byref(pairs), 1000) == 0, "not known yet"
    assert c.packet_pair_add(ctypes.byref(pairs), 2000, 2, 40_000, 42_000)
    assert c.packet_pair_capacity_kbps(ctypes.byref(pairs), 1000) == 8000


@given(data=st.data())
def test_no_input_breaks_it(library: Load, data: st.DataObject) -> None:
    anything = st.integers(0, 2**32 - 1)
    values = [data.draw(anything) for _ in range(5)]
    c = library("libra_window.h")
    least, most = sorted(values[1:3])
    assert c.libra_penalty(*values[:2], values[3], least, most) <= 200 * ONE
    assert c.libra_growth(ctypes.c_uint64(c.libra_alpha(*values[:3])), values[3], values[4]) < 2**32 * ONE
    assert 2 <= c.libra_after_loss(max(2, values[0]), *values[1:4]) <= max(2, values[0])
    pairs = Pairs(values[0], values[1])
    library("packet_pair.h").packet_pair_add(ctypes.byref(pairs), *values[1:5])
