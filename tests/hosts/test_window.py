"""The window of the congestion control `nodectl`: the C code against plain floating point."""

from __future__ import annotations

import ctypes
import math

import c_arithmetic
import pytest
from hypothesis import given
from hypothesis import strategies as st

RATES = st.integers(1, 12_500_000_000)
RTTS = st.integers(0, 2**24 - 1)
SIZES = st.integers(88, 65_000)


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> ctypes._NamedFuncPointer:
    function = c_arithmetic.load("nodectl_window.h", tmp_path_factory.mktemp("window")).nodectl_window
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
