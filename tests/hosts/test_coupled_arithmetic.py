"""How MPTCP subflows grow together, as compiled for user space, against RFC 6356 and COUPLED in floating point."""

from __future__ import annotations

import ctypes
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hosts.c_arithmetic import Load

ONE = 1 << 16
PATHS_MAX = 8


Flows = list[tuple[int, int]]
FLOWS = st.lists(st.tuples(st.integers(2, 50_000), st.integers(200, 2_000_000)), min_size=1, max_size=PATHS_MAX)


class Path(ctypes.Structure):
    _fields_ = (("window", ctypes.c_uint32), ("rtt_us", ctypes.c_uint32))


def paths(flows: Flows) -> ctypes.Array[Path]:
    return (Path * PATHS_MAX)(*(Path(window, rtt_us) for window, rtt_us in flows))


def lia(flows: Flows, own: int) -> float:
    """RFC 6356, section 3: growth of subflow ``own`` for each window of it acknowledged."""
    total = sum(window for window, _ in flows)
    alpha = total * max(window / rtt**2 for window, rtt in flows) / sum(window / rtt for window, rtt in flows) ** 2
    return flows[own][0] * min(alpha / total, 1 / flows[own][0])


@given(flows=FLOWS, data=st.data())
def test_lia_is_the_rfcs_increase(library: Load, flows: Flows, data: st.DataObject) -> None:
    own = data.draw(st.integers(0, len(flows) - 1))
    got = library("coupled_paths.h").lia_growth(paths(flows), Path(*flows[own])) / ONE
    assert got == pytest.approx(lia(flows, own), rel=0.02, abs=2 / ONE)
    assert got <= 1, "never more than standard TCP"


@given(flows=FLOWS, data=st.data())
def test_coupled_is_the_papers_increase_and_decrease(library: Load, flows: Flows, data: st.DataObject) -> None:
    own = data.draw(st.integers(0, len(flows) - 1))
    total, window = sum(window for window, _ in flows), flows[own][0]
    c = library("coupled_paths.h")
    assert c.coupled_total(paths(flows)) == total
    assert c.coupled_growth(paths(flows), Path(*flows[own])) / ONE == pytest.approx(window / total, abs=1 / ONE)
    assert abs(c.coupled_after_loss(paths(flows), window) - max(2, window - total / 2)) <= 1


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["lia", "coupled"]), count=st.integers(1, 4))
def test_random_sequences_follow_the_floating_point_windows(library: Load, seed: int, name: str, count: int) -> None:
    """Rounds in random order with losses; each window stays within 3 % and a packet a loss of its reference."""
    c, chance = library("coupled_paths.h"), random.Random(seed)
    rtts = [chance.randint(5_000, 300_000) for _ in range(count)]
    windows, exact, losses = [30] * count, [30.0] * count, 0
    left = [ctypes.c_uint64(0) for _ in range(count)]
    for _ in range(80):
        own = chance.randrange(count)
        now = paths(list(zip(windows, rtts, strict=True)))
        if chance.random() < 0.05:
            losses += 1
            half = sum(exact) / 2 if name == "coupled" else exact[own] / 2
            exact[own] = max(2.0, exact[own] - half)
            after = c.coupled_after_loss(now, windows[own]) if name == "coupled" else c.half_window(windows[own])
            windows[own] = after
        else:
            growth = getattr(c, f"{name}_growth")(now, Path(windows[own], rtts[own]))
            windows[own] += c.growth_packets(ctypes.byref(left[own]), ctypes.c_uint64(growth), windows[own], windows[own])
            if name == "coupled":
                exact[own] += exact[own] / sum(exact)
            else:
                total = sum(exact)
                alpha = total * max(w / r**2 for w, r in zip(exact, rtts, strict=True))
                alpha /= sum(w / r for w, r in zip(exact, rtts, strict=True)) ** 2
                exact[own] += min(alpha * exact[own] / total, 1)
        assert windows[own] == pytest.approx(exact[own], rel=0.03, abs=2 + 2 * losses)


def rates(flows: Flows) -> list[float]:
    return [window / rtt for window, rtt in flows]


@given(flows=FLOWS, data=st.data())
def test_balia_is_the_papers_increase_and_decrease(library: Load, flows: Flows, data: st.DataObject) -> None:
    own = data.draw(st.integers(0, len(flows) - 1))
    x = rates(flows)
    alpha = max(x) / x[own]
    c, now, path = library("balia_growth.h"), paths(flows), Path(*flows[own])
    expected = (x[own] / sum(x)) ** 2 * (1 + alpha) / 2 * (4 + alpha) / 5
    assert c.balia_growth(now, path) / ONE == pytest.approx(expected, rel=0.01, abs=4 / ONE)
    kept = flows[own][0] * (1 - min(alpha, 1.5) / 2)
    assert c.balia_after_loss(now, path) == pytest.approx(max(2, kept), abs=1 + flows[own][0] / 1000)


def olia(flows: Flows, between: list[int], own: int) -> float:
    """The draft's increase for each window of the own path acknowledged."""
    x = rates(flows)
    quality = [count * count / rtt for count, (_, rtt) in zip(between, flows, strict=True)]
    largest = max(window for window, _ in flows)
    widest = {index for index, (window, _) in enumerate(flows) if window == largest}
    better = {index for index, one in enumerate(quality) if one == max(quality)} - widest
    alpha = 0.0
    if better and own in better:
        alpha = 1 / len(flows) / len(better)
    elif better and own in widest:
        alpha = -1 / len(flows) / len(widest)
    return (x[own] / sum(x)) ** 2 + alpha


@given(flows=FLOWS, data=st.data())
def test_olia_is_the_drafts_increase(library: Load, flows: Flows, data: st.DataObject) -> None:
    own = data.draw(st.integers(0, len(flows) - 1))
    # Of a few values, so that some are alike.
    between = [data.draw(st.sampled_from([100, 1000, 5000])) for _ in flows]
    counts = (ctypes.c_uint32 * PATHS_MAX)(*between)
    growth = ctypes.c_int64(library("olia_growth.h").olia_growth(paths(flows), counts, Path(*flows[own]), between[own])).value / ONE
    assert growth == pytest.approx(olia(flows, between, own), rel=0.01, abs=4 / ONE)


def test_two_equal_subflows(library: Load) -> None:
    flows = [(50, 40_000), (50, 40_000)]
    c = library("coupled_paths.h")
    assert 2 * c.lia_growth(paths(flows), Path(*flows[0])) / ONE == pytest.approx(0.5, rel=1e-3), "alpha is 1/2"
    assert 2 * c.coupled_growth(paths(flows), Path(*flows[0])) / ONE == pytest.approx(1, rel=1e-3)
    assert c.coupled_after_loss(paths(flows), 50) == 2
    assert c.lia_growth(paths(flows[:1]), Path(*flows[0])) == ONE, "alone: standard TCP"
    assert library("balia_growth.h").balia_growth(paths(flows[:1]), Path(*flows[0])) == ONE
    assert library("olia_growth.h").olia_growth(paths(flows[:1]), (ctypes.c_uint32 * PATHS_MAX)(7), Path(*flows[0]), 7) == ONE


@given(data=st.data())
def test_no_input_breaks_it(library: Load, data: st.DataObject) -> None:
    anything = st.integers(0, 2**32 - 1)
    flows = [(data.draw(anything), data.draw(anything)) for _ in range(PATHS_MAX)]
    c = library("coupled_paths.h")
    own = Path(data.draw(anything), data.draw(anything))
    assert c.lia_growth(paths(flows), own) <= ONE
    assert c.coupled_growth(paths(flows), own) <= ONE
    assert c.coupled_after_loss(paths(flows), max(2, own.window)) >= 2
    assert library("balia_growth.h").balia_growth(paths(flows), own) <= ONE + ONE // 1000
    assert library("balia_growth.h").balia_after_loss(paths(flows), own) >= 2
    between = (ctypes.c_uint32 * PATHS_MAX)(*(data.draw(anything) for _ in range(PATHS_MAX)))
    growth = ctypes.c_int64(library("olia_growth.h").olia_growth(paths(flows), between, own, data.draw(anything))).value
    assert -ONE <= growth <= 2 * ONE
