"""The fair-level variant through the compiled P4 program and its model: every byte and register, and the invariants of every step.

As in test_deployable.py: a port never reserves more than its capacity, whatever messages come.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.codes import EntryType
from protocol.deployable_headers import MessageExtension
from protocol.headers import Entry, TransmissionId
from protocol.variant import FAIR_LEVEL
from protocol.wire import Flags, MessageType
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation
from tests.conftest import NewSwitch
from tests.differential.test_against_model import Step
from tests.differential.test_deployable import EXTENDED_STEPS, never_more_than_there_is
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, Twin, host_ip

RECEIVER = host_ip(2, 1)
CAPACITY_KBPS = CAPACITIES_KBPS[2]
EVERYTHING = 2**32 - 1


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(EXTENDED_STEPS, min_size=1, max_size=40), keys=st.lists(st.integers(0, 2**64 - 1), max_size=3))
def test_switch_and_model_agree_and_never_reserve_more_than_there_is(
    new_fair_level_switch: NewSwitch, steps: list[Step], keys: list[int]
) -> None:
    twin = Twin(new_fair_level_switch(), FAIR_LEVEL)
    twin.entries([Entry(EntryType.SET_KEY, 0, TransmissionId(key, 0), value=number) for number, key in enumerate(keys)])
    for step in steps:
        step(twin)
        never_more_than_there_is(twin)
    twin.check_state()


class Sender:
    """Asks, hears the answer, and keeps to it; `elsewhere_kbps` is what the rest of its way allows."""

    def __init__(self, twin: Twin, number: int, elsewhere_kbps: int = EVERYTHING, min_kbps: int = 0) -> None:
        self.twin, self.number, self.elsewhere_kbps, self.min_kbps = twin, number, elsewhere_kbps, min_kbps
        self.ip = host_ip(1, number)
        self.rate_kbps = 0
        self.target_kbps = 0
        self._sequence = 0

    def ask(self) -> bool:
        """Whether it was admitted."""
        self._sequence += 1
        extension = MessageExtension(sequence=self._sequence, current_kbps=self.rate_kbps, granted_kbps=EVERYTHING)
        flags = Flags.RENEGOTIATION if self.rate_kbps else Flags.NONE
        request = ExtendedNegotiation(
            MessageType.REQUEST, TransmissionId(self.number, 0), EVERYTHING, self.min_kbps, 20_000, flags=flags, extension=extension
        )
        asked = self.twin.message(request, self.ip, RECEIVER)
        assert asked is not None
        assert isinstance(asked.message, ExtendedNegotiation)
        if asked.is_turned_round:
            return False
        lowered = min(asked.message.max_kbps, self.elsewhere_kbps)
        answer = ExtendedNegotiation(
            MessageType.SUCCESS, asked.message.id, lowered, self.min_kbps, 20_000, flags=flags, extension=asked.message.extension
        )
        answered = self.twin.message(answer, self.ip, RECEIVER)
        assert answered is not None
        assert isinstance(answered.message, ExtendedNegotiation)
        self.target_kbps = answered.message.max_kbps
        self.rate_kbps = min(self.target_kbps, answered.message.extension.granted_kbps)
        return True

    def leave(self) -> None:
        extension = MessageExtension(sequence=self._sequence + 1)
        terminate = ExtendedAdjustment(MessageType.TERMINATE, TransmissionId(self.number, 0), 0, extension=extension)
        self.twin.message(terminate, self.ip, RECEIVER)


def all_follow(senders: list[Sender], rounds: int = 3) -> None:
    for _ in range(rounds):
        for sender in senders:
            assert sender.ask()


def test_a_newcomer_lowers_the_level_and_waits_for_the_others(new_fair_level_switch: NewSwitch) -> None:
    twin = Twin(new_fair_level_switch(), FAIR_LEVEL)
    first, second = Sender(twin, 1), Sender(twin, 2)
    first.ask()
    assert first.rate_kbps == CAPACITY_KBPS
    second.ask()
    assert (second.target_kbps, second.rate_kbps) == (CAPACITY_KBPS // 2, 0)
    first.ask()
    assert first.rate_kbps == CAPACITY_KBPS // 2
    first.ask()  # says that it sends no more than that
    second.ask()
    assert second.rate_kbps == CAPACITY_KBPS // 2
    second.twin.check_state()


@pytest.mark.parametrize("elsewhere_kbps", [3_000, 10_000])
def test_what_others_cannot_use_is_shared(new_fair_level_switch: NewSwitch, elsewhere_kbps: int) -> None:
    twin = Twin(new_fair_level_switch(), FAIR_LEVEL)
    held_back, *others = senders = [Sender(twin, 1, elsewhere_kbps), Sender(twin, 2), Sender(twin, 3)]
    all_follow(senders)
    assert held_back.rate_kbps == elsewhere_kbps
    assert {sender.rate_kbps for sender in others} == {(CAPACITY_KBPS - elsewhere_kbps) // 2}
    held_back.elsewhere_kbps = EVERYTHING
    all_follow(senders)
    assert {sender.rate_kbps for sender in senders} == {CAPACITY_KBPS // 3}
    others[0].leave()
    all_follow([held_back, others[1]])
    assert held_back.rate_kbps == others[1].rate_kbps == CAPACITY_KBPS // 2
    twin.check_state()


def test_the_controller_hears_of_records_that_come_and_go_alone(new_fair_level_switch: NewSwitch) -> None:
    twin = Twin(new_fair_level_switch(), FAIR_LEVEL)
    sender = Sender(twin, 1)
    sender.ask()
    sender.ask()
    (record,) = twin.model.records.values()
    (reaction,) = twin.entries([Entry(EntryType.EXPIRE, 2, record.id, record.sender_ip, record.receiver_ip, 1_000_000)])
    assert reaction.event is None
    twin.wait(2_000_000)
    (reaction,) = twin.entries([Entry(EntryType.EXPIRE, 2, record.id, record.sender_ip, record.receiver_ip, 1)])
    assert reaction.event is not None
    assert reaction.event.rate_kbps == 0
    twin.check_state()


def test_nobody_goes_below_its_min_and_nobody_below_it_is_admitted(new_fair_level_switch: NewSwitch) -> None:
    twin = Twin(new_fair_level_switch(), FAIR_LEVEL)
    needs = Sender(twin, 1, min_kbps=20_000)
    assert needs.ask()
    other, refused = Sender(twin, 2), Sender(twin, 3, min_kbps=20_000)
    all_follow([needs, other])
    assert not refused.ask()
    all_follow([needs, other])
    assert (needs.rate_kbps, other.target_kbps) == (20_000, CAPACITY_KBPS // 2)
    assert other.rate_kbps == CAPACITY_KBPS - 20_000
    twin.check_state()
