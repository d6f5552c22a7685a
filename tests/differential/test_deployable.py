"""The deployable variant through the compiled P4 program and its model, with messages of both versions; and the invariants of every step.

As in test_against_model.py: every byte, every register. A port never reserves more than its capacity, whatever messages come.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.codes import EntryType
from protocol.constants import MAX_RTT_US
from protocol.deployable_headers import MAX_COUNTED_RTT_US, MessageExtension
from protocol.headers import Entry, TransmissionId
from protocol.variant import DEPLOYABLE
from protocol.wire import Flags, MessageType
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation
from tests.conftest import NewSwitch
from tests.differential.test_against_model import BATCHES, FLAGS, NUMBERS, RATES, RTTS, STEPS, STRANGERS, Step, checks, transmission, waits
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, Envelope, Twin, host_ip, port_of

EXTENDED_FLAGS = st.tuples(FLAGS, st.sampled_from([Flags.NONE, Flags.AGAIN])).map(lambda both: both[0] | both[1])
SEQUENCES = st.one_of(st.integers(0, 12), st.sampled_from([0, 1, 2**32 - 1]))


@st.composite
def extensions(draw: st.DrawFn) -> MessageExtension:
    return MessageExtension(
        sequence=draw(SEQUENCES),
        current_kbps=draw(st.one_of(st.just(0), RATES)),
        granted_kbps=draw(st.one_of(st.just(0), RATES, RATES)),
        source_port=draw(st.integers(0, 2**16 - 1)),
        destination_port=5001,
        token=draw(st.sampled_from([0, 2**64 - 1])),
    )


UNANSWERED_TYPES = (MessageType.REDUCE, MessageType.TERMINATE)


@st.composite
def extended_messages(draw: st.DrawFn) -> Step:
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=draw(STRANGERS))
    extension = draw(extensions())
    kind = draw(
        st.sampled_from([*[MessageType.REQUEST] * 4, MessageType.SUCCESS, MessageType.FAILURE, *UNANSWERED_TYPES, MessageType.CHALLENGE])
    )
    if kind in UNANSWERED_TYPES:
        adjustment = ExtendedAdjustment(kind, who, draw(RATES), extension=extension)
        return lambda twin: twin.message(adjustment, sender, receiver)
    max_kbps = draw(RATES)
    min_kbps = draw(st.one_of(st.just(0), st.integers(0, min(max_kbps, 20_000))))
    negotiation = ExtendedNegotiation(kind, who, max_kbps, min_kbps, draw(RTTS), flags=draw(EXTENDED_FLAGS), extension=extension)
    return lambda twin: twin.message(negotiation, sender, receiver)


@st.composite
def extended_dialogues(draw: st.DrawFn) -> Step:
    """A request with a number that fits, and the answer that comes back, perhaps lowered on the way."""
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=False)
    extension = draw(extensions())
    max_kbps = draw(RATES)
    min_kbps = draw(st.one_of(st.just(0), st.integers(0, min(max_kbps, 20_000))))
    request = ExtendedNegotiation(MessageType.REQUEST, who, max_kbps, min_kbps, draw(RTTS), flags=draw(EXTENDED_FLAGS), extension=extension)
    answers_with = draw(st.sampled_from([MessageType.SUCCESS, MessageType.SUCCESS, MessageType.FAILURE]))
    flags_kept = draw(st.booleans())
    divisor = draw(st.sampled_from([1, 1, 1, 2, 7]))

    def step(twin: Twin) -> None:
        model = twin.model
        assert model.reserving is not None
        sequences = [model.reserving.reserves[slot].sequence for slot, record in model.records.items() if record.id == who]
        sequences += [ended.sequence for ended in model.reserving.ended.values() if ended.id == who]
        sequence = min(max(sequences, default=0) + 1, 2**32 - 1)
        reaction = twin.message(replace(request, extension=replace(extension, sequence=sequence)), sender, receiver)
        assert reaction is not None
        message = reaction.message
        if isinstance(message, ExtendedNegotiation) and not reaction.is_turned_round:
            flags = message.flags if flags_kept else Flags.RENEGOTIATION
            answer = replace(message, type=answers_with, max_kbps=max(1, message.max_kbps // divisor), flags=flags)
            twin.message(answer, sender, receiver)

    return step


@st.composite
def wrong_lengths_and_versions(draw: st.DrawFn) -> Step:
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=False)
    message = ExtendedNegotiation(MessageType.REQUEST, who, draw(RATES), 0, draw(RTTS), extension=draw(extensions()))
    payload = bytearray(message.encode())
    payload[3] = draw(st.sampled_from([0, 0, 1, 4, 8, 12]))
    payload[2] = draw(st.sampled_from([0, 1, 2, 3]))
    body = bytes(payload)[: draw(st.sampled_from([32, 55, 56]))]
    checksum = draw(st.sampled_from([None, None, 0, 0x1234]))
    ingress_port = port_of(sender)
    assert ingress_port is not None
    return lambda twin: twin.send(Envelope(ingress_port, sender, receiver, checksum=checksum), body)


EXTENDED_STEPS = st.one_of(
    extended_dialogues(),
    extended_messages(),
    extended_dialogues(),
    extended_messages(),
    wrong_lengths_and_versions(),
    BATCHES,
    waits(),
    checks(),
    STEPS,
)


def never_more_than_there_is(twin: Twin) -> None:
    model = twin.model
    assert model.reserving is not None
    reserves = model.reserving.reserves
    for number, capacity_kbps in CAPACITIES_KBPS.items():
        reserved_kbps = sum(reserves[slot].reserved_kbps for slot, record in model.records.items() if record.data_port == number)
        assert reserved_kbps <= capacity_kbps


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(EXTENDED_STEPS, min_size=1, max_size=40), keys=st.lists(st.integers(0, 2**64 - 1), max_size=3))
def test_switch_and_model_agree_and_never_reserve_more_than_there_is(
    new_deployable_switch: NewSwitch, steps: list[Step], keys: list[int]
) -> None:
    twin = Twin(new_deployable_switch(), DEPLOYABLE)
    twin.entries([Entry(EntryType.SET_KEY, 0, TransmissionId(key, 0), value=number) for number, key in enumerate(keys)])
    for step in steps:
        step(twin)
        never_more_than_there_is(twin)
    twin.check_state()


def test_the_present_rtt_counts_as_far_as_it_is_believed(new_deployable_switch: NewSwitch) -> None:
    """Of one transmission, after twenty others have come: each of its messages counts with the RTT that it carries."""
    twin = Twin(new_deployable_switch(), DEPLOYABLE)
    for number in range(20):
        twin.message(request_of(number, 20_000), host_ip(1, number + 1), host_ip(2, 1))
    sequences = iter(range(2, 10))

    def expected_q8(rtt_us: int) -> int:
        reaction = twin.message(request_of(0, rtt_us, next(sequences), Flags.RENEGOTIATION), host_ip(1, 1), host_ip(2, 1))
        assert reaction is not None
        assert reaction.event is not None
        return reaction.event.expected_arrivals_q8

    nearby, far, farther, farthest = map(expected_q8, (1000, 100_000, MAX_COUNTED_RTT_US, MAX_RTT_US))
    assert nearby < far < farther
    assert farthest == farther or (twin.nodectl.switch.is_real_time and farthest < farther), "less is expected as time goes by"
    twin.check_state()


def request_of(number: int, rtt_us: int, sequence: int = 1, flags: Flags = Flags.NONE) -> ExtendedNegotiation:
    extension = MessageExtension(sequence=sequence, granted_kbps=100)
    return ExtendedNegotiation(MessageType.REQUEST, TransmissionId(number, 0), 100, 0, rtt_us, flags=flags, extension=extension)
