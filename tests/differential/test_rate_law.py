"""rcp.p4 against protocol/model/rcp_model.py: random histories of a port, every rate and request the same; and the law's results."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.model.rcp_model import RcpPort, next_rate_kbps
from protocol.wire import Adjustment, MessageType, Negotiation
from tests.differential.rate_router import (
    CAPACITIES_KBPS,
    FREE_PORT,
    ID,
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

program = program_of("rcp")


class Twin(RateRouter[RcpPort]):
    """A switch with one port that takes part, and the model of it."""

    def request(self, max_kbps: int, rtt_us: int, waited_us: int = 0) -> int:
        """Send a request; returns the rate (kbit/s) that it allows behind the switch."""
        got = self.ask(max_kbps, 0, rtt_us, waited_us)
        allowed = self.port.leave(self.now_us, self.port.arrive(REQUEST_BYTES), waited_us, (max_kbps, rtt_us))
        assert allowed is not None
        assert got == question(allowed, 0, rtt_us)
        self.compare()
        return allowed

    def registers(self) -> dict[str, int]:
        """By the names of the program."""
        return {
            "RcpEgress.port_rate_kbps": self.port.rate_kbps,
            "RcpEgress.port_rtt_q3": self.port.rtt_q3,
            "RcpEgress.interval_begin_us": self.port.begin_us,
            "RcpEgress.interval_begin_bytes": self.port.begin_bytes,
            "CountArrivals.port_bytes": self.port.arrived_bytes,
        }


twins = twins_of(Twin, RcpPort)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps_with(REQUESTS), number=st.integers(0, len(CAPACITIES_KBPS) - 1))
def test_random_histories(twins: list[Twin], steps: list[tuple[int, int, int, tuple[int, int] | None]], number: int) -> None:
    twin = twins[number]

    def ask(request: tuple[int, int], waited_us: int) -> None:
        max_kbps, rtt_us = request
        twin.request(max_kbps, rtt_us, waited_us)

    twin.play(steps, ask)


def test_what_is_left_alone(program: Path) -> None:
    twin = Twin(program, RcpPort(36_000))
    assert twin.request(MAX_KBPS, 60_000) == 36_000
    assert twin.request(1_000, 60_000) == 1_000, "somebody on the way allows less"
    for kind in (MessageType.SUCCESS, MessageType.FAILURE):
        answer = Negotiation(kind, ID, MAX_KBPS, 0, 60_000)
        assert twin.send(answer, PORT) == answer
    terminate = Adjustment(MessageType.TERMINATE, ID, 0)
    assert twin.send(terminate, PORT) == terminate
    elsewhere = Negotiation(MessageType.REQUEST, ID, MAX_KBPS, 0, 60_000)
    assert twin.send(elsewhere, FREE_PORT) == elsewhere, "no entry in port_capacity: the port takes no part"
    assert twin.switch.register("RcpEgress.port_rate_kbps", FREE_PORT) == 0
    twin.switch.close()


C, D_US, T_US = 36_000, 60_000, 10_000
FULL_BYTES = C * T_US // 8000


@pytest.mark.parametrize(
    ("came_bytes", "waited_us", "expected"),
    [
        (FULL_BYTES, 0, 12_000),  # as much as fits, and nothing waits: R stays
        (0, 0, 12_800),  # nothing comes: 1 + T/d x 0.4 = 1.0667
        (2 * FULL_BYTES, 0, 11_200),  # twice as much: 1 - T/d x 0.4
        (FULL_BYTES, D_US, 11_200),  # an RTT's worth waits: 1 - T/d x 0.4
    ],
)
def test_the_law(came_bytes: int, waited_us: int, expected: int) -> None:
    assert next_rate_kbps(12_000, C, D_US, T_US, came_bytes, waited_us) == pytest.approx(expected, abs=2)


@pytest.mark.parametrize("senders", [1, 2, 5, 30])
def test_it_comes_to_equal_shares(senders: int) -> None:
    """Fluid senders, whose rate is R an RTT ago; the queue is what comes above C. R comes to C / N, and the queue to nothing."""
    rates, waiting_bits = [C] * (D_US // T_US), 0.0
    for _ in range(600):
        came_bits = senders * rates[-D_US // T_US] * T_US / 1000
        waiting_bits = max(0.0, waiting_bits + came_bits - C * T_US / 1000)
        rates.append(next_rate_kbps(rates[-1], C, D_US, T_US, round(came_bits / 8), round(waiting_bits * 1000 / C)))
    assert rates[-1] * senders == pytest.approx(C, rel=0.01)
    assert waiting_bits < 0.02 * C * D_US / 1000
