"""The P4 program without each decision that can be left out, against the model without the same: as in test_against_model.py."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.constants import ARRIVAL_WINDOW_BITS, ONE_ARRIVAL_Q8
from protocol.variant import Decision, Variant
from protocol.wire import Adjustment, MessageType, Negotiation, TransmissionId
from tests.conftest import NewSwitch
from tests.differential.test_against_model import STEPS, Step
from tests.harness.nodectl_switch import Twin, host_ip

WAY = (host_ip(1, 1), host_ip(2, 1))
FIRST = TransmissionId(1, 0, 0)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=1, max_size=40))
def test_every_variant_agrees_with_its_model(new_variant_switch: NewSwitch, variant: Variant, steps: list[Step]) -> None:
    twin = Twin(new_variant_switch(), variant)
    for step in steps:
        step(twin)
    twin.check_state()


def test_every_variant_differs_where_it_should(new_variant_switch: NewSwitch, variant: Variant) -> None:
    """A success below the record, a reduce passing through, a request for less than the share: who lowers the record?"""
    twin = Twin(new_variant_switch(), variant)
    reaction = twin.message(Negotiation(MessageType.REQUEST, FIRST, 30_000, 0, 20_000), *WAY)
    assert reaction is not None
    assert reaction.event is not None
    takes_one = Decision.Q_T in variant or Decision.V_Q not in variant
    assert reaction.event.expected_arrivals_q8 == (ONE_ARRIVAL_Q8 if takes_one else 20_000 * ONE_ARRIVAL_Q8 >> ARRIVAL_WINDOW_BITS)
    (record,) = twin.model.records.values()
    assert Decision.NO_MORE_THAN_ASKED not in variant or record.rate_kbps == 30_000
    assert Decision.NO_MORE_THAN_ASKED in variant or (record.rate_kbps == 36_000) == takes_one
    twin.message(Negotiation(MessageType.SUCCESS, FIRST, 20_000, 0, 20_000), *WAY)
    (record,) = twin.model.records.values()
    assert (record.rate_kbps == 20_000) == (Decision.SUCCESS_LOWERS in variant)
    twin.message(Adjustment(MessageType.REDUCE, FIRST, 10_000), *WAY)
    (record,) = twin.model.records.values()
    assert (record.rate_kbps == 10_000) == (Decision.PASSING_REDUCE_LOWERS in variant)
    for number in range(2, 60):
        reaction = twin.message(Negotiation(MessageType.REQUEST, TransmissionId(number, 0, 0), 1, 0, 1_000_000), *WAY)
    assert reaction is not None
    assert reaction.event is not None
    assert (reaction.event.expected_arrivals_q8 > ONE_ARRIVAL_Q8) == (Decision.V_Q in variant)
    twin.check_state()
