"""The window of the congestion control `nodectl`: the C code against plain floating point."""

from __future__ import annotations

import ctypes
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hosts import c_arithmetic

RATES = st.integers(1, 12_500_000_000)
RTTS = st.integers(0, 2**24 - 1)
SIZES = st.integers(88, 65_000)


PACKETS = st.integers(4, 1_000_000)


@pytest.fixture(scope="module")
def arithmetic(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return c_arithmetic.load("nodectl_window.h", tmp_path_factory.mktemp("window"))


@pytest.fixture(scope="module")
def window(arithmetic: ctypes.CDLL) -> ctypes._NamedFuncPointer:
    function = arithmetic.nodectl_window
    function.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32]
    function.restype = ctypes.c_uint32
    return function


@given(rate=RATES, rtt_us=RTTS, mss=SIZES)
def test_window_is_rate_times_rtt_and_the_margin(window: ctypes._NamedFuncPointer, rate: int, rtt_us: int, mss: int) -> None:
    expected = min(rate * (rtt_us * 1.25 + 2000) / 1e6 / mss + 4, 1_000_000)
    assert math.isclose(window(rate, rtt_us, mss), expected, rel_tol=1e-3, abs_tol=1.01)


@given(rate=RATES, rtt_us=RTTS, mss=SIZES)
def test_window_never_holds_the_rate_back(window: ctypes._NamedFuncPointer, rate: int, rtt_us: int, mss: int) -> None:
    packets_per_rtt = rate * rtt_us / 1e6 / mss
    assert window(rate, rtt_us, mss) > min(packets_per_rtt, 999_999)


@given(rate=st.integers(0, 2**64 - 1), rtt_us=st.integers(0, 2**64 - 1), mss=st.integers(0, 2**32 - 1))
def test_any_input_gives_a_usable_window(window: ctypes._NamedFuncPointer, rate: int, rtt_us: int, mss: int) -> None:
    assert 4 <= window(rate, rtt_us, mss) <= 1_000_000


def test_more_rate_means_more_window(window: ctypes._NamedFuncPointer) -> None:
    windows = [window(rate, 60_000, 1000) for rate in range(100_000, 5_000_000, 100_000)]
    assert windows == sorted(windows)


@given(before=PACKETS, wanted=PACKETS, under_way=PACKETS)
def test_it_grows_at_once_and_is_never_more_than_a_window_above_what_is_under_way(
    arithmetic: ctypes.CDLL, before: int, wanted: int, under_way: int
) -> None:
    after = arithmetic["nodectl_next_window"](before, wanted, under_way)
    assert after == (wanted if before <= wanted else min(before - 1, wanted + under_way))


@given(pace=st.integers(1, 5_000), share=st.floats(0.02, 0.98))
def test_when_the_rate_falls_there_is_room_for_every_packet_that_is_due(arithmetic: ctypes.CDLL, pace: int, share: float) -> None:
    """``pace`` packets a round trip are under way, and from now on ``share`` of that is sent; every second packet is acknowledged."""
    window, wanted = (math.ceil(1.25 * packets) + 4 for packets in (pace, pace * share))
    under_way, due = pace, 0.0
    for _ in range(pace // 2):
        under_way -= 2
        window = arithmetic["nodectl_next_window"](window, wanted, under_way)
        due += 2 * share
        while due >= 1:
            assert under_way < window
            due -= 1
            under_way += 1
    assert under_way <= wanted
