"""Algorithm 2 in nodectl.p4, message by message: the rates of one transmission's subflows, and the port's count of them."""

from __future__ import annotations

import pytest

from protocol.codes import AdmittedVerdict, EntryType, EventType, RefusedVerdict
from protocol.constants import IN_USE
from protocol.headers import Entry
from protocol.model.reference_model import Reaction
from protocol.record_slots import candidate_group_slots
from protocol.wire import Adjustment, ErrorReason, Flags, MessageType, Negotiation, TransmissionId
from tests.conftest import NewSwitch
from tests.harness.nodectl_switch import Twin, adjustment_entry, host_ip

PORT = 2  # 36 Mbit/s
RTT_US = 60_000
SINGLE = TransmissionId(0xA, 1, 0)
D1, D2, D3, D4 = (TransmissionId(0xD, 1, number) for number in range(4))
SENDERS = {who: host_ip(1, number) for number, who in enumerate((SINGLE, D1, D2, D3, D4), 1)}
RECEIVER = host_ip(PORT, 1)


@pytest.fixture
def twin(new_nodectl_switch: NewSwitch) -> Twin:
    return Twin(new_nodectl_switch())


def request(twin: Twin, who: TransmissionId, max_kbps: int = 200_000, min_kbps: int = 0, flags: Flags = Flags.NONE) -> Reaction:
    reaction = twin.message(Negotiation(MessageType.REQUEST, who, max_kbps, min_kbps, RTT_US, flags=flags), SENDERS[who], RECEIVER)
    assert reaction is not None
    assert reaction.event is not None
    return reaction


def admit(twin: Twin, who: TransmissionId, max_kbps: int = 200_000) -> int:
    """Request and success; the rate."""
    message = request(twin, who, max_kbps).message
    assert isinstance(message, Negotiation)
    twin.message(Negotiation(MessageType.SUCCESS, who, message.max_kbps, 0, RTT_US), SENDERS[who], RECEIVER)
    return message.max_kbps


def reduce_to(twin: Twin, who: TransmissionId, rate_kbps: int) -> None:
    record = next(record for record in twin.model.records.values() if record.id == who)
    twin.entries([adjustment_entry(EntryType.REDUCE, record, rate_kbps)])


def test_a_second_subflow_gets_half_and_changes_nobody_else(twin: Twin) -> None:
    admit(twin, SINGLE)
    assert admit(twin, D1) == 18_000
    reduce_to(twin, SINGLE, 18_000)
    event = request(twin, D2).event
    assert event is not None
    assert (event.rate_kbps, event.share_kbps, event.transmission_share_kbps) == (9_000, 9_000, 18_000)
    assert event.verdict == AdmittedVerdict.SHARE
    assert event.port_count == 2
    twin.check_state()


def test_a_third_one_gets_a_third(twin: Twin) -> None:
    assert admit(twin, D1) == 36_000
    assert admit(twin, D2) == 18_000
    reduce_to(twin, D1, 18_000)
    assert admit(twin, D3) == 12_000
    assert twin.model.ports[PORT].count == 1
    twin.check_state()


def test_a_repeated_request_does_not_shrink_the_transmission(twin: Twin) -> None:
    """To the paper's letter each repetition would: 18 → 9 → 6 …"""
    admit(twin, D1)
    admit(twin, D2)
    reduce_to(twin, D1, 18_000)
    for flags in (Flags.NONE, Flags.RENEGOTIATION, Flags.NONE):
        event = request(twin, D2, flags=flags).event
        assert event is not None
        assert (event.rate_kbps, event.transmission_share_kbps, event.port_sum_kbps) == (18_000, 36_000, 36_000)
    twin.check_state()


def test_what_the_siblings_leave_is_the_subflows(twin: Twin) -> None:
    assert admit(twin, D1, max_kbps=5_000) == 5_000
    assert admit(twin, D2) == 31_000
    twin.check_state()


def test_a_subflow_that_wants_little_gets_it_and_siblings_stay(twin: Twin) -> None:
    admit(twin, SINGLE, max_kbps=10_000)
    admit(twin, D1, max_kbps=10_000)
    event = request(twin, D2, max_kbps=4_000).event
    assert event is not None
    assert (event.rate_kbps, event.verdict) == (4_000, AdmittedVerdict.SHARE)
    assert event.transmission_share_kbps >= 14_000
    twin.check_state()


def test_a_newcomer_finds_the_group_as_one_transmission(twin: Twin) -> None:
    for who in (D1, D2, D3, D4):
        admit(twin, who)
    for who in (D1, D2, D3):
        reduce_to(twin, who, 9_000)
    event = request(twin, SINGLE).event
    assert event is not None
    assert (event.rate_kbps, event.verdict) == (18_000, AdmittedVerdict.REDUCE_OTHERS)
    assert (event.port_count, event.bottleneck_count, event.bottleneck_sum_kbps) == (2, 1, 36_000)
    twin.check_state()


def test_subflows_of_another_receiver_or_port_are_strangers(twin: Twin) -> None:
    admit(twin, D1)
    elsewhere = TransmissionId(D1.content_id, D1.destination_id + 1, 1)
    SENDERS[elsewhere] = host_ip(1, 99)
    assert admit(twin, elsewhere) == 18_000
    other_port = twin.message(Negotiation(MessageType.REQUEST, D2, 2_000_000, 0, RTT_US), SENDERS[D2], host_ip(3, 1))
    assert other_port is not None
    assert other_port.event is not None
    assert other_port.event.rate_kbps == 1_000_000
    assert len(twin.model.groups) == 3
    twin.check_state()


@pytest.mark.parametrize("how", ["terminate", "failure", "expiry"])
def test_the_group_goes_with_its_last_subflow(twin: Twin, how: str) -> None:
    for who in (D1, D2):
        admit(twin, who)
    for who, groups in ((D1, 1), (D2, 0)):
        if how == "expiry":
            record = next(record for record in twin.model.records.values() if record.id == who)
            twin.entries([adjustment_entry(EntryType.EXPIRE, record, 0)])
        elif how == "terminate":
            twin.message(Adjustment(MessageType.TERMINATE, who, 0), SENDERS[who], RECEIVER)
        else:
            twin.message(Negotiation(MessageType.FAILURE, who, 1, 0, RTT_US), SENDERS[who], RECEIVER)
        assert len(twin.model.groups) == groups
        twin.check_state()
    assert admit(twin, SINGLE) == 36_000


def test_reduces_on_their_way_and_refreshes_keep_the_sums(twin: Twin) -> None:
    admit(twin, D1)
    admit(twin, D2)
    reaction = twin.message(Adjustment(MessageType.REDUCE, D1, 7_000), SENDERS[D1], RECEIVER)
    assert reaction is not None
    assert reaction.event is not None
    assert (reaction.event.port_sum_kbps, reaction.event.bottleneck_sum_kbps, reaction.event.bottleneck_count) == (25_000, 25_000, 1)
    request(twin, D2, max_kbps=3_000, flags=Flags.REFRESH)
    port = twin.model.ports[PORT]
    assert (port.sum_kbps, port.count, port.bottleneck_sum_kbps, port.bottleneck_count) == (10_000, 1, 0, 0)
    twin.check_state()


def test_reading_a_slot_and_a_port_changes_nothing(twin: Twin) -> None:
    for who in (D1, D2):
        admit(twin, who)
    slots = [Entry(EntryType.READ_SLOT, 0, value=slot) for slot in twin.model.records]
    reactions = twin.entries([*slots, Entry(EntryType.READ_PORT, PORT)])
    assert [reaction.event.event for reaction in reactions if reaction.event] == [EventType.RECORD, EventType.RECORD, EventType.PORT_TOTALS]
    assert reactions[-1].event is not None
    assert reactions[-1].event.port_count == 1
    twin.check_state()


def test_subflows_are_no_new_arrivals(twin: Twin) -> None:
    for who in (D1, D2, D3, D4):
        admit(twin, who)
    assert twin.model.ports[PORT].arrivals.current == 1
    twin.check_state()


def test_without_a_place_for_the_group_a_request_is_refused(twin: Twin) -> None:
    """Other groups stand in all four places."""
    for slot in candidate_group_slots(SINGLE, PORT):
        twin.nodectl.switch.write_register("group_port", slot, IN_USE | PORT)
        twin.nodectl.switch.write_register("group_content_id", slot, 0xBAD)
        twin.model.groups[slot] = (PORT, (0xBAD, 0))
    event = request(twin, SINGLE).event
    assert event is not None
    assert (event.event, event.verdict) == (EventType.REFUSED, RefusedVerdict.STORE_FULL)
    assert twin.model.errors[ErrorReason.STORE_FULL] == 1


def test_a_subflow_below_its_minimum_is_refused_and_the_others_stay(twin: Twin) -> None:
    admit(twin, D1)
    reaction = request(twin, D2, min_kbps=20_000)
    assert reaction.is_turned_round
    assert reaction.event is not None
    assert (reaction.event.share_kbps, reaction.event.transmission_share_kbps, reaction.event.port_sum_kbps) == (18_000, 36_000, 36_000)
    twin.check_state()
