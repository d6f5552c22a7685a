"""xcp.p4 against protocol/model/xcp_model.py: random histories of a port, every register and request the same; and the law's results."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.model.xcp_model import XcpPort, next_factors
from protocol.wire import Negotiation
from tests.differential.rate_router import (
    CAPACITIES_KBPS,
    FREE_PORT,
    MAX_KBPS,
    PORT,
    REQUEST_BYTES,
    REQUESTS,
    RateRouter,
    program_of,
    question,
    steps_with,
    twins_of,
)

program = program_of("xcp")


class Twin(RateRouter[XcpPort]):
    """A switch with one port that takes part, and the model of it."""

    def request(self, max_kbps: int, rate_kbps: int, rtt_us: int, waited_us: int = 0) -> int:
        """Send a request; returns the rate (kbit/s) that it allows behind the switch."""
        got = self.ask(max_kbps, rate_kbps, rtt_us, waited_us)
        allowed = self.port.leave(self.now_us, self.port.arrive(REQUEST_BYTES), waited_us, (max_kbps, rate_kbps, rtt_us))
        assert allowed is not None
        assert got == question(*allowed, rtt_us)
        self.compare()
        return allowed[0]

    def registers(self) -> dict[str, int]:
        """By the names of the program."""
        return {
            "XcpEgress.port_is_used": self.port.is_used,
            "XcpEgress.port_rtt_q3": self.port.rtt_q3,
            "XcpEgress.port_rtt_sum_us": self.port.rtt_sum_us,
            "XcpEgress.port_longest_us": self.port.longest_us,
            "XcpEgress.port_longest_last_us": self.port.longest_last_us,
            "XcpEgress.port_least_wait_us": self.port.least_wait_us,
            "XcpEgress.port_up_q16": self.port.factors.up_q16,
            "XcpEgress.port_down_q32": self.port.factors.down_q32,
            "XcpEgress.interval_begin_us": self.port.begin_us,
            "XcpEgress.interval_begin_bytes": self.port.begin_bytes,
            "CountArrivals.port_bytes": self.port.arrived_bytes,
        }


twins = twins_of(Twin, XcpPort)


PARTS = st.one_of(st.just(0), st.just(1000), st.integers(0, 1000))
"""The present rate, in thousandths of the wish."""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps_with(st.tuples(REQUESTS, PARTS)), number=st.integers(0, len(CAPACITIES_KBPS) - 1))
def test_random_histories(twins: list[Twin], steps: list[tuple[int, int, int, tuple[tuple[int, int], int] | None]], number: int) -> None:
    twin = twins[number]

    def ask(request: tuple[tuple[int, int], int], waited_us: int) -> None:
        (max_kbps, rtt_us), part = request
        twin.request(max_kbps, max_kbps * part // 1000, rtt_us, waited_us)

    twin.play(steps, ask)


def test_a_port_that_takes_no_part_leaves_questions_alone(program: Path) -> None:
    twin = Twin(program, XcpPort(36_000))
    elsewhere = question(MAX_KBPS, 5_000, 60_000)
    assert twin.send(elsewhere, FREE_PORT) == elsewhere
    assert twin.switch.register("XcpEgress.port_is_used", FREE_PORT) == 0
    assert twin.request(MAX_KBPS, 5_000, 60_000) == 5_000, "nothing is known yet, so nothing changes"
    got = twin.send(question(4_000, 4_000, 60_000), PORT)
    assert isinstance(got, Negotiation)
    assert (got.max_kbps, got.min_kbps) == (4_000, 4_000), "somebody on the way allows less"
    twin.switch.close()


C, D_US = 36_000, 60_000
FULL_BYTES = C * D_US // 8000


@pytest.mark.parametrize(
    ("came_bytes", "waited_us", "change_kbps"),
    [
        (FULL_BYTES, 0, 0),  # as much as fits, and nothing waits
        (0, 0, 0.4 * C),
        (FULL_BYTES // 2, 0, 0.2 * C),
        (FULL_BYTES, D_US, -0.226 * C),  # an RTT's worth stays
        (2 * FULL_BYTES, 0, -0.4 * C),
    ],
)
def test_one_round_of_questions_comes_to_what_is_to_change(came_bytes: int, waited_us: int, change_kbps: float) -> None:
    """Of senders with other rates, which come to y."""
    came_kbps = came_bytes * 8000 // D_US
    rates = [came_kbps * part // 10 for part in (1, 2, 3, 4)]
    factors = next_factors(C, D_US, D_US, came_bytes, waited_us, len(rates) * D_US)
    changed = [factors.allowed_kbps(rate, D_US, C) for rate in rates]
    # The least rate is C / 1024; each division rounds down.
    assert sum(changed) - sum(rates) == pytest.approx(change_kbps, abs=30)
    if change_kbps == 0:
        assert changed[0] > rates[0]
        assert changed[-1] < rates[-1], "a tenth is dealt out anew"


@pytest.mark.parametrize("senders", [1, 2, 5, 30])
def test_it_comes_to_equal_shares(senders: int) -> None:
    """Fluid senders that begin one after the other, at rates an RTT old; the queue is what comes above C."""
    rates = [0.0] * senders
    waiting_bits = 0.0
    for turn in range(1500):
        present = min(senders, 1 + turn // 20)
        came_bits = sum(rates) * D_US / 1000
        waited_us = round(waiting_bits * 1000 / C)
        waiting_bits = max(0.0, waiting_bits + came_bits - C * D_US / 1000)
        factors = next_factors(C, D_US, D_US, round(came_bits / 8), min(waited_us, round(waiting_bits * 1000 / C)), present * D_US)
        rates = [factors.allowed_kbps(round(rate), D_US, C) if number < present else 0.0 for number, rate in enumerate(rates)]
    assert sum(rates) == pytest.approx(C, rel=0.02)
    assert min(rates) > 0.9 * max(rates)
    assert waiting_bits < 0.02 * C * D_US / 1000


@pytest.mark.parametrize("rtts_ms", [(20, 80), (10, 200), (20, 80, 80, 80)])
def test_senders_with_other_round_trips_come_to_equal_shares(rtts_ms: tuple[int, ...]) -> None:
    """Fluid senders that ask once their own RTT, through a whole port."""
    port, step_us = XcpPort(C), 250
    rates, asks_us = [1000] * len(rtts_ms), [700 * number for number in range(len(rtts_ms))]
    answers: list[list[tuple[int, int]]] = [[] for _ in rtts_ms]
    waiting_bits, longest_us = 0.0, 0
    for now_us in range(0, 30_000_000, step_us):
        came_bits = sum(rates) * step_us / 1000
        waiting_bits = max(0.0, waiting_bits + came_bits - C * step_us / 1000)
        waited_us = round(waiting_bits * 1000 / C)
        longest_us = max(longest_us, waited_us) if now_us > 5_000_000 else 0
        port.leave(now_us, port.arrive(round(came_bits / 8)), waited_us)
        for number, rtt_us in enumerate(1000 * rtt_ms + waited_us for rtt_ms in rtts_ms):
            if answers[number] and answers[number][0][0] <= now_us:
                rates[number] = answers[number].pop(0)[1]
            if asks_us[number] <= now_us:
                asks_us[number] = now_us + rtt_us
                answer = port.leave(now_us, port.arrive(REQUEST_BYTES), waited_us, (C, rates[number], rtt_us))
                assert answer is not None
                answers[number].append((now_us + rtt_us, answer[0]))
    assert sum(rates) == pytest.approx(C, rel=0.02)
    assert min(rates) > 0.97 * max(rates)
    assert longest_us < 5_000, "with intervals of the mean round trip, the queue came and went by a hundred milliseconds"


def test_an_interval_ends_though_a_question_says_a_round_trip_of_many_seconds() -> None:
    port = XcpPort(C)
    for now_us in range(0, 2_000_000, 1000):
        port.leave(now_us, port.arrive(1000), 0, (C, 1000, 10_000_000) if now_us == 0 else None)
    assert port.factors.up_q16 > 0
