"""division.p4 on its own: exact for every dividend and divisor."""

from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.conftest import NewSwitch
from tests.harness.switches import P4Switch

QUESTION = struct.Struct("!QIQI")


@pytest.fixture(scope="module")
def divider(new_division_switch: NewSwitch) -> P4Switch:
    return new_division_switch()


def divide(divider: P4Switch, dividend: int, divisor: int) -> tuple[int, int]:
    frames = divider.send(1, QUESTION.pack(dividend, divisor, 0, 0), 0)
    _, _, quotient, remainder = QUESTION.unpack(frames[1][0])
    return quotient, remainder


DIVIDENDS = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 2**20), st.integers(0, 64).map(lambda bits: (1 << bits) - 1))
DIVISORS = st.one_of(st.integers(1, 2**32 - 1), st.integers(1, 1000), st.integers(1, 32).map(lambda bits: (1 << bits) - 1))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dividend=DIVIDENDS, divisor=DIVISORS)
@example(dividend=2**64 - 1, divisor=1)
@example(dividend=2**64 - 1, divisor=2**32 - 1)
@example(dividend=2**63, divisor=2**32 - 1)
@example(dividend=2**32 - 2, divisor=2**32 - 1)
@example(dividend=0, divisor=1)
def test_exact(divider: P4Switch, dividend: int, divisor: int) -> None:
    assert divide(divider, dividend, divisor) == divmod(dividend, divisor)


def test_multiples_and_their_neighbours(divider: P4Switch) -> None:
    for divisor in (3, 7, 256, 0xFFFF_FFFB):
        for quotient in (1, 2, 0xFFFF_FFFF):
            product = divisor * quotient
            for dividend in (product - 1, product, product + 1):
                assert divide(divider, dividend, divisor) == divmod(dividend, divisor)


def test_by_zero_gives_all_ones(divider: P4Switch) -> None:
    assert divide(divider, 12345, 0)[0] == 2**64 - 1
