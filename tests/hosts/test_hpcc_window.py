"""HPCC's window: Algorithm 1 line by line, and many senders at one link."""

from __future__ import annotations

import pytest

from hosts.hpcc_window import CLOCK_RANGE, ETA, EXPECTED_SENDERS, MOST_STAGES, HpccWindow
from protocol.telemetry import Hop

C_KBPS, T_US, FRAME_BYTES = 36_000, 60_000, 1066
LINE_BITS = C_KBPS * T_US / 1000
GROWTH_KBPS = C_KBPS * (1 - ETA) / EXPECTED_SENDERS


def hop(number: int, used: float = ETA, queue_packets: int = 0, link_kbps: int = C_KBPS) -> Hop:
    """The record of round trip `number` of a link that is used evenly."""
    left_us = number * T_US
    return Hop(
        link_kbps=link_kbps,
        queue_packets=queue_packets,
        sent_bytes=round(used * link_kbps * left_us / 8000),
        left_us=left_us % CLOCK_RANGE,
    )


def window() -> HpccWindow:
    """Of a sender that has begun."""
    started = HpccWindow(FRAME_BYTES, T_US)
    assert started.rate_kbps((hop(1),), T_US) == C_KBPS, "at the rate of its line"
    return started


def test_it_begins_at_the_rate_of_the_slowest_link() -> None:
    assert HpccWindow(FRAME_BYTES, T_US).rate_kbps((hop(1), hop(1, link_kbps=5_000), hop(1, link_kbps=90_000)), T_US) == 5_000


@pytest.mark.parametrize("used", [0.95, 1.0, 1.3, 2.0])
def test_too_much_in_flight_divides_the_window(used: float) -> None:
    assert window().rate_kbps((hop(2, used),), T_US) == pytest.approx(min(C_KBPS, C_KBPS / _u(used) * ETA + GROWTH_KBPS), rel=1e-3)


def _u(used: float) -> float:
    """U, of records of which the first was made with the rate η."""
    return 2 * used - ETA


def test_what_waits_counts_as_in_flight() -> None:
    one = window()
    assert one.rate_kbps((hop(2, queue_packets=100),), T_US) == pytest.approx(C_KBPS, rel=0.01), "nothing waited before: the smaller counts"
    waiting = 100 * FRAME_BYTES * 8 / LINE_BITS
    assert one.rate_kbps((hop(3, queue_packets=120),), T_US) == pytest.approx(C_KBPS * ETA / (ETA + waiting) + GROWTH_KBPS, rel=1e-3)


def test_the_link_that_is_used_most_counts() -> None:
    one = HpccWindow(FRAME_BYTES, T_US)
    one.rate_kbps((hop(1), hop(1), hop(1)), T_US)
    assert one.rate_kbps((hop(2, 0.6), hop(2, 1.1), hop(2)), T_US) == pytest.approx(C_KBPS / _u(1.1) * ETA + GROWTH_KBPS, rel=1e-3)


def test_an_unused_link_adds_up_before_it_multiplies() -> None:
    """maxStage additions, then one division, of the window with which the packets were sent."""
    one = window()
    one.window_bits = one.former_bits = LINE_BITS / 20
    used = [one.rate_kbps((hop(number, 0.2 + 0.75 / number),), T_US) for number in range(2, 2 + MOST_STAGES)]
    assert used[0] == pytest.approx(C_KBPS / 20 + GROWTH_KBPS, abs=1)
    assert used[-1] is not None
    assert used[-1] < C_KBPS / 20 + MOST_STAGES * GROWTH_KBPS + 1
    multiplied = one.rate_kbps((hop(2 + MOST_STAGES, 0.2 + 0.75 / (2 + MOST_STAGES)),), T_US)
    assert multiplied is not None
    assert multiplied > 3 * used[-1], "a fifth is used, so there is room for almost five times as much"
    assert one.stage == 0


def test_a_division_is_of_the_window_that_the_records_tell_of() -> None:
    """Two round trips at twice the rate: the second record was made before the first answer had any effect, so it divides no further."""
    one = window()
    first = one.rate_kbps((hop(2, 1.475),), T_US)
    late = Hop(link_kbps=C_KBPS, queue_packets=0, sent_bytes=hop(2, 1.475).sent_bytes + 2 * C_KBPS * T_US // 8000, left_us=3 * T_US)
    assert first == one.rate_kbps((late,), T_US) == pytest.approx(C_KBPS / 2 * ETA + GROWTH_KBPS, rel=1e-3)


def test_records_out_of_order_change_nothing() -> None:
    one = window()
    assert one.rate_kbps((hop(1),), T_US) is None
    assert one.rate_kbps((hop(0),), T_US) is None
    assert one.rate_kbps((), T_US) is None
    assert one.rate_kbps((hop(2),), T_US) is not None


def test_another_way_begins_anew() -> None:
    one = window()
    one.rate_kbps((hop(2, 2.0),), T_US)
    assert one.rate_kbps((hop(3), hop(3, link_kbps=20_000)), T_US) == 20_000


def test_the_clock_may_wrap() -> None:
    one = HpccWindow(FRAME_BYTES, T_US)
    before = CLOCK_RANGE // T_US
    one.rate_kbps((hop(before),), T_US)
    assert one.rate_kbps((hop(before + 1, 1.0),), T_US) is not None
    assert 0 < one.utilization < before, "neither a negative time nor a negative count"


@pytest.mark.parametrize("senders", [1, 2, 5, 20])
def test_they_come_to_equal_shares_at_eta(senders: int) -> None:
    """Fluid senders that begin one after the other; a rate is used in the next round trip, whose record is read in the one after that."""
    windows = [HpccWindow(FRAME_BYTES, T_US) for _ in range(senders)]
    rates = [0.0] * senders
    sent_bytes = waiting_bytes = 0.0
    record = Hop(link_kbps=C_KBPS, queue_packets=0, sent_bytes=0, left_us=0)
    for turn in range(1, 3_000):
        told = [
            float(one.rate_kbps((record,), T_US) or rate) if turn > 20 * number else 0.0
            for number, (one, rate) in enumerate(zip(windows, rates, strict=True))
        ]
        came_bytes = sum(rates) * T_US / 8000
        out_bytes = min(waiting_bytes + came_bytes, C_KBPS * T_US / 8000)
        waiting_bytes = min(waiting_bytes + came_bytes - out_bytes, 3 * C_KBPS * T_US / 8000)
        sent_bytes += out_bytes
        left_us = turn * T_US % CLOCK_RANGE
        record = Hop(link_kbps=C_KBPS, queue_packets=round(waiting_bytes / FRAME_BYTES), sent_bytes=round(sent_bytes), left_us=left_us)
        rates = told
    assert sum(rates) == pytest.approx(ETA * C_KBPS + senders * GROWTH_KBPS, rel=0.02)
    assert min(rates) > 0.95 * max(rates)
    assert waiting_bytes < 0.02 * C_KBPS * T_US / 8000 or senders > EXPECTED_SENDERS
