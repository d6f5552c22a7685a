"""Algorithms 1 and 2 by themselves: cases, lists, and the invariant."""

from __future__ import annotations

import time
from fractions import Fraction

from hypothesis import assume, example, given
from hypothesis import strategies as st

from protocol.codes import AdmittedVerdict
from protocol.constants import MAX_RATE_KBPS, ONE_ARRIVAL_Q8
from protocol.model.allocation import (
    PortSums,
    after_admission,
    after_departure,
    level_kbps,
    scaled_kbps,
    share_of_freed_kbps,
    subflow_share_kbps,
)
from protocol.model.port_model import ArrivalEstimator, Port, Record
from protocol.model.variants import new_model
from protocol.variant import Decision, Variant
from protocol.wire import TransmissionId

Rates = list[tuple[int, bool]]
RATE_LISTS = st.lists(st.tuples(st.integers(1, 50_000), st.booleans()), max_size=30)


def port_with(capacity_kbps: int, tolerance_kbps: int, rates: Rates) -> Port:
    port = Port(capacity_kbps, tolerance_kbps)
    for number, (rate, is_bottleneck) in enumerate(rates):
        port.add(Record(TransmissionId(number, 0), 0, 0, 0, number, rate, is_bottleneck, 0))
    return port


@given(st.integers(0, 10**6), st.integers(0, 5000), RATE_LISTS, st.integers(ONE_ARRIVAL_Q8, 100 * ONE_ARRIVAL_Q8))
def test_share_is_the_papers_in_exact_fractions(capacity_kbps: int, tolerance_kbps: int, rates: Rates, expected_q8: int) -> None:
    port = port_with(capacity_kbps, tolerance_kbps, rates)
    arrivals = Fraction(expected_q8, ONE_ARRIVAL_Q8)
    free = max(0, capacity_kbps - sum(rate for rate, _ in rates))
    without_adjusting = free / arrivals
    average = capacity_kbps / (arrivals + len(rates))
    if abs(without_adjusting - average) <= tolerance_kbps:
        share, verdict = without_adjusting, AdmittedVerdict.SHARE
    elif average > without_adjusting:
        share, verdict = average, AdmittedVerdict.REDUCE_OTHERS
    else:
        bottlenecks = [rate for rate, flag in rates if flag]
        share, verdict = (free + sum(bottlenecks)) / (arrivals + len(bottlenecks)), AdmittedVerdict.INCREASE_OTHERS
    assert port.share(expected_q8) == (share.__floor__(), verdict)


@given(st.integers(1, 10**6), st.integers(0, 5000), RATE_LISTS, st.integers(ONE_ARRIVAL_Q8, 20 * ONE_ARRIVAL_Q8), st.integers(1, 10**6))
@example(100, 0, [(60, True), (5, True)], ONE_ARRIVAL_Q8, 1000)  # the paper's third case breaks it (decision "calling back")
def test_sum_is_within_capacity_once_reduces_are_out(
    capacity_kbps: int, tolerance_kbps: int, rates: Rates, expected_q8: int, max_kbps: int
) -> None:
    """The records before may have any rates, even above capacity."""
    port = port_with(capacity_kbps, tolerance_kbps, rates)
    share_kbps, verdict = port.share(expected_q8)
    rate_kbps = min(share_kbps, max_kbps)
    if max_kbps < share_kbps and max_kbps <= port.free_kbps:
        verdict = AdmittedVerdict.SHARE
    assume(share_kbps > 0)  # not refused
    lists = after_admission([(number, rate, flag) for number, (rate, flag) in enumerate(rates)], verdict, share_kbps)
    after = [share_kbps if number in lists.reduce else rate for number, (rate, _) in enumerate(rates)]
    assert sum(after) + rate_kbps <= capacity_kbps
    assert all(rates[number][0] < share_kbps and rates[number][1] for number in lists.increase)


def test_the_cases_of_the_paper() -> None:
    assert port_with(36_000, 0, []).share(ONE_ARRIVAL_Q8) == (36_000, AdmittedVerdict.SHARE)
    assert port_with(36_000, 0, [(36_000, True)]).share(ONE_ARRIVAL_Q8) == (18_000, AdmittedVerdict.REDUCE_OTHERS)
    assert port_with(36_000, 0, [(18_000, True)] * 2).share(ONE_ARRIVAL_Q8) == (12_000, AdmittedVerdict.REDUCE_OTHERS)
    assert port_with(100, 0, [(60, True), (5, True)]).share(ONE_ARRIVAL_Q8) == (33, AdmittedVerdict.INCREASE_OTHERS)
    assert port_with(100, 2, [(60, True), (5, True)]).share(ONE_ARRIVAL_Q8) == (35, AdmittedVerdict.SHARE)


def test_lists_of_the_third_case() -> None:
    lists = after_admission(
        [("high", 60, True), ("low", 5, True), ("elsewhere", 5, False), ("same", 33, True)], AdmittedVerdict.INCREASE_OTHERS, 33
    )
    assert (lists.rate_kbps, lists.increase, lists.reduce) == (33, ["low"], ["high"])


def test_departure_offers_what_is_free() -> None:
    sums = PortSums(36_000, 24_000, 24_000, 2)
    assert share_of_freed_kbps(sums) == 18_000
    records = [("a", 12_000, True), ("b", 12_000, True), ("c", 500, False)]
    assert after_departure(records, sums).increase == ["a", "b"]
    assert after_departure(records, sums, tolerance_kbps=6_000).increase == []
    assert after_departure(records, PortSums(24_000, 24_000, 24_000, 2)).increase == []
    assert share_of_freed_kbps(PortSums(36_000, 0, 0, 0)) == 0


def test_lists_of_a_thousand_records_take_a_millisecond() -> None:
    records = [(number, 36 + number % 7, True) for number in range(1000)]
    best_s = 1.0
    for _ in range(20):
        started_s = time.perf_counter()
        after_admission(records, AdmittedVerdict.INCREASE_OTHERS, 39)
        best_s = min(best_s, time.perf_counter() - started_s)
    assert best_s < 0.002


def test_the_letter_offers_more_than_the_link_carries_where_less_than_one_is_expected() -> None:
    """The first request on 36 Mbit/s, with an RTT of 60 ms: V_Q · Rtt is 0.057, rounded down to 14/256."""
    model = new_model({1: 36_000}, variant=Variant.lacking(Decision.Q_T))
    port = model.ports[1]
    expected_q8 = port.arrivals.expected_q8(0, 60_000, is_new=True)
    assert expected_q8 == 14
    assert port.share(expected_q8) == (36_000 * 256 // 14, AdmittedVerdict.SHARE)
    assert port.arrivals.expected_q8(2**22, 60_000, is_new=False) == 1
    assert Port(MAX_RATE_KBPS).share(1)[0] == MAX_RATE_KBPS


def test_arrivals_fade_within_two_windows() -> None:
    estimator = ArrivalEstimator()
    for _ in range(10):
        expected_q8 = estimator.expected_q8(0, 2**20, is_new=True)
    assert expected_q8 == 10 * ONE_ARRIVAL_Q8
    assert estimator.expected_q8(2**20 + 2**19, 2**20, is_new=False) == 5 * ONE_ARRIVAL_Q8
    assert estimator.expected_q8(3 * 2**20, 2**20, is_new=False) == ONE_ARRIVAL_Q8
    assert estimator.expected_q8(3 * 2**20, 1, is_new=True) == ONE_ARRIVAL_Q8


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=8))
def test_a_subflows_part_is_the_papers_with_the_siblings_mean_as_its_weight(siblings: list[int]) -> None:
    total, count = sum(siblings), len(siblings)
    papers = Fraction(total) * Fraction(total, count) / (total + Fraction(total, count))
    assert subflow_share_kbps(total, total, count) == papers.__floor__()


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=8), st.integers(1, 10**6), st.integers(1, 10**6))
def test_newcomer_and_siblings_keep_to_the_transmissions_share(siblings: list[int], newcomer_max_kbps: int, more_kbps: int) -> None:
    total = sum(siblings) + more_kbps
    rate = min(newcomer_max_kbps, subflow_share_kbps(total, sum(siblings), len(siblings)))
    after = scaled_kbps(siblings, total - rate)
    assert all(1 <= new <= old for new, old in zip(after, siblings, strict=True))
    assert sum(after) + rate <= total + len(siblings)
    assert sum(after) + rate >= min(total, sum(siblings) + rate) - len(siblings)


@given(st.lists(st.integers(0, 10**6), max_size=8), st.integers(0, 10**7))
def test_level(rates: list[int], total: int) -> None:
    level = level_kbps(rates, total)
    risen = [max(rate, level) for rate in rates]
    assert level == 0 or sum(risen) <= total
    if level:
        assert total - sum(risen) < len(rates)
