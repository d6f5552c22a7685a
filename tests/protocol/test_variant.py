"""Which part of Nodectl learns that a decision is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.errors import UserError
from controller.names import NameBook
from controller.switch_state import SwitchState
from controller.variants import POLICIES
from hosts.sender_negotiation import Send, SenderNegotiation, Timing
from hosts.variants import SENDERS
from hosts.variants.paper import PaperSender
from protocol.codes import EntryType
from protocol.headers import Entry
from protocol.model.variants import RULES, new_model
from protocol.packet_out import decode_entries
from protocol.variant import COMPLETE, CONTROLLER, DATA_PLANE, DESIGNS, FAIR_LEVEL, Decision, Variant, VariantName
from protocol.wire import Adjustment, MessageType, Negotiation, TransmissionId
from scenario.network_description import PortDescription
from tests.harness.switches import REPOSITORY


def test_every_decision_is_taken_in_one_place() -> None:
    assert DATA_PLANE | CONTROLLER | {Decision.REFRESHED} == set(Decision)
    assert not DATA_PLANE & CONTROLLER


def test_every_variant_has_a_program_a_model_a_sender_and_a_controller() -> None:
    for registered in (DESIGNS, RULES, SENDERS, POLICIES):
        assert set(registered) == set(VariantName)
    for design in DESIGNS.values():
        assert (REPOSITORY / "p4src" / design.program).is_file()


def test_names_and_defines_have_a_fixed_order() -> None:
    variant = Variant.lacking("D10", "D3", "D1")
    assert variant.defines == ("NODECTL_WITHOUT_D1", "NODECTL_WITHOUT_D10")
    assert variant.name == "without-D1-D3-D10"
    assert Decision.HANDED_OUT_AT_ONCE not in variant
    assert Decision.PASSING_REDUCE_LOWERS in variant
    assert COMPLETE.defines == ()
    assert COMPLETE.name == "complete"


def test_nothing_can_be_left_out_of_one_level_a_port() -> None:
    variant = Variant.named(VariantName.FAIR_LEVEL)
    assert variant == FAIR_LEVEL
    assert variant.design.program == "nodectl_fair_level.p4"
    assert variant.defines == ()
    assert variant.name == variant.basis == VariantName.FAIR_LEVEL
    with pytest.raises(UserError, match="left out"):
        Variant.named(VariantName.FAIR_LEVEL, ["D1"])


def test_a_sender_without_d5_never_refreshes() -> None:
    who = TransmissionId(1, 2, 0)
    sender = SenderNegotiation(PaperSender(), who, 10_000, 0, 20_000, Timing(refresh_interval_s=None))
    sender.start(0.0)
    sender.on_message(Negotiation(MessageType.SUCCESS, who, 5_000, 0, 20_000), 0.02)
    sender.on_message(Adjustment(MessageType.REDUCE, who, 3_000), 1.0)
    assert sender.deadline_s is None
    actions = sender.on_message(Adjustment(MessageType.INCREASE, who, 6_000), 2.0)
    assert [type(action) for action in actions] == [Send]
    while sender.deadline_s is not None:  # nobody answers the renegotiation
        sender.on_time(sender.deadline_s)
    assert sender.counters.refreshes == 0
    assert sender.rate_kbps == 3_000
    assert sender.counters.requests == 1 + sender.timing.tries


def test_a_controller_without_d4_reduces_nobody_in_the_third_case() -> None:
    for variant, reduced in ((COMPLETE, 1), (Variant.lacking("D4"), 0)):
        assert _reduced_in_third_case(variant) == reduced


def _reduced_in_third_case(variant: Variant) -> int:
    """Records 60 (bottleneck) and 5 Mbit/s of 100; a third one comes: B_c = 47.5."""
    model = new_model({2: 100_000})
    state = SwitchState("s1", [PortDescription(port=2, capacity_bps=100_000_000)], NameBook({}, {}), variant=variant)
    state.connected(0.0, is_empty=True)
    state.take_batches(0.0)

    def negotiate(number: int, wanted_kbps: int, answer_kbps: int) -> list[Entry]:
        who = TransmissionId(number, 0, 0)
        request = Negotiation(MessageType.REQUEST, who, wanted_kbps, 0, 20_000)
        admitted = model.handle_message(request, number, 100 + number, 1, 2, 0)
        assert admitted.event is not None
        state.handle(admitted.event, request, 0.0)
        entries = [entry for batch in state.take_batches(0.0) for entry in decode_entries(batch.payload)]
        answer = Negotiation(MessageType.SUCCESS, who, answer_kbps, 0, 20_000)
        confirmed = model.handle_message(answer, 100 + number, number, 2, 1, 0)
        assert confirmed.event is not None
        state.handle(confirmed.event, answer, 0.0)
        return entries

    negotiate(1, 5_000, 5_000)
    negotiate(2, 60_000, 60_000)
    (first, second) = sorted(model.records.values(), key=lambda record: record.rate_kbps)
    assert (first.rate_kbps, second.rate_kbps) == (5_000, 60_000)
    model.ports[2].add(second, -1)
    model.records[second.slot] = marked = replace(second, is_bottleneck=True)
    model.ports[2].add(marked)
    state.ports[2].records[marked.id].is_bottleneck = True
    return sum(entry.type == EntryType.REDUCE for entry in negotiate(3, 100_000, 47_500))
