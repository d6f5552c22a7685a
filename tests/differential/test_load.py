"""The measured load of a port, and the rate that is divided beside it: the compiled P4 program and its model."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.codes import EntryType, EventType, MessageType
from protocol.constants import ARRIVAL_WINDOW_US
from protocol.deployable_headers import MessageExtension
from protocol.headers import Entry, TransmissionId
from protocol.model.enforcement_model import DSCP_NEGOTIATED, DSCP_OPENING, DSCP_OTHERS
from protocol.model.load_model import LoadMeter, divided_kbps
from protocol.variant import DEPLOYABLE
from protocol.wire_v2 import ExtendedNegotiation
from tests.conftest import NewSwitch
from tests.differential.test_against_model import STEPS, Step
from tests.differential.test_deployable import EXTENDED_STEPS, never_more_than_there_is
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, Twin, host_ip
from tests.harness.switches import P4Switch

BOTTLENECK = 2
FRAME_BYTES = 1500
MARKS = (DSCP_OTHERS, DSCP_NEGOTIATED, DSCP_OPENING, 46)


@st.composite
def segments(draw: st.DrawFn) -> Step:
    """Some data, marked as negotiated or not; the switch is asked what it divides."""
    port = draw(st.sampled_from([2, 2, 3]))
    sizes = draw(st.lists(st.integers(60, 9000), min_size=1, max_size=8))
    dscp = draw(st.sampled_from(MARKS))
    apart_us = draw(
        st.sampled_from([0, 100, 20_000, ARRIVAL_WINDOW_US // 2, ARRIVAL_WINDOW_US - 1, ARRIVAL_WINDOW_US, 3 * ARRIVAL_WINDOW_US])
    )

    def step(twin: Twin) -> None:
        for size in sizes:
            twin.passing_data(port, size, dscp)
            twin.wait(apart_us, longest_real_us=1000)
        twin.entries([Entry(EntryType.READ_PORT, port)])

    return step


LOADED_STEPS = st.one_of(segments(), segments(), EXTENDED_STEPS, STEPS)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    steps=st.lists(LOADED_STEPS, min_size=1, max_size=40),
    least_kbps=st.fixed_dictionaries(
        {},
        optional={2: st.sampled_from([1, 18_000, 35_999, 36_000]), 3: st.sampled_from([1, 999_000, 999_990, 1_000_000])},
    ),
)
def test_switch_and_model_agree(new_deployable_switch: NewSwitch, steps: list[Step], least_kbps: Mapping[int, int]) -> None:
    twin = Twin(virtual(new_deployable_switch()), DEPLOYABLE, least_kbps=least_kbps)
    for step in steps:
        step(twin)
        never_more_than_there_is(twin)
    twin.check_state()


def virtual(switch: P4Switch) -> P4Switch:
    """Loads are measured by the times of single packets, which a real-time switch does not tell."""
    if switch.is_real_time:
        pytest.skip("loads are measured by the times of single packets, which BMv2 does not tell")
    return switch


def test_who_negotiates_gets_what_others_leave(new_deployable_switch: NewSwitch) -> None:
    """Half the bottleneck of 36 Mbit/s is taken by others: a newcomer gets the other half, and all when they are gone."""
    twin = Twin(virtual(new_deployable_switch()), DEPLOYABLE, least_kbps={BOTTLENECK: 9_000})

    def divided() -> int:
        (reaction,) = twin.entries([Entry(EntryType.READ_PORT, BOTTLENECK)])
        assert reaction.event is not None
        assert reaction.event.event == EventType.PORT_TOTALS
        return reaction.event.share_kbps

    def granted(number: int) -> int:
        request = ExtendedNegotiation(
            MessageType.REQUEST, TransmissionId(number, 0), 200_000, 0, 20_000, extension=MessageExtension(sequence=1, granted_kbps=200_000)
        )
        reaction = twin.message(request, host_ip(1, number), host_ip(BOTTLENECK, number))
        assert reaction is not None
        assert isinstance(reaction.message, ExtendedNegotiation)
        return reaction.message.extension.granted_kbps

    assert divided() == CAPACITIES_KBPS[BOTTLENECK]
    for _ in range(3000):  # 18 Mbit/s for 2 s
        twin.passing_data(BOTTLENECK, FRAME_BYTES, DSCP_OTHERS)
        twin.time_us += 667
    assert divided() == pytest.approx(18_000, rel=0.01)
    first_kbps = granted(1)
    assert first_kbps == divided()
    twin.time_us += 2 * ARRIVAL_WINDOW_US
    assert divided() == CAPACITIES_KBPS[BOTTLENECK]
    assert granted(2) == CAPACITIES_KBPS[BOTTLENECK] - first_kbps


def test_others_crowd_nobody_out(new_deployable_switch: NewSwitch) -> None:
    twin = Twin(virtual(new_deployable_switch()), DEPLOYABLE, least_kbps={BOTTLENECK: 27_000})
    for _ in range(3000):
        twin.passing_data(BOTTLENECK, FRAME_BYTES, DSCP_OTHERS)
        twin.time_us += 400  # 30 Mbit/s
    (reaction,) = twin.entries([Entry(EntryType.READ_PORT, BOTTLENECK)])
    assert reaction.event is not None
    assert reaction.event.share_kbps == 27_000


def test_a_time_that_is_over_changes_nothing() -> None:
    """A packet-out that goes round again has the time of its beginning: it must not see a port without load."""
    meter = LoadMeter()
    for number in range(1000):
        meter.count(1000, number * 1000)
    before_kbps = meter.load_kbps(ARRIVAL_WINDOW_US - 1)
    meter.count(1000, ARRIVAL_WINDOW_US + 1)
    assert meter.load_kbps(ARRIVAL_WINDOW_US - 1) == pytest.approx(before_kbps, rel=0.01)
    assert meter.load_kbps(3 * ARRIVAL_WINDOW_US) == 0


@given(st.integers(1, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**40))
def test_what_is_divided_is_between_the_bounds(capacity_kbps: int, least_kbps: int, load_kbps: int) -> None:
    assert min(least_kbps, capacity_kbps) <= divided_kbps(capacity_kbps, least_kbps, load_kbps) <= capacity_kbps
