"""Random histories through the compiled P4 program and the reference model: every byte and every sum the same.

`Twin` compares each output frame (messages with their checksums, events with their sums) as it comes; registers and
counters are compared now and then and at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.codes import EntryType
from protocol.constants import SLOTS
from protocol.headers import Entry
from protocol.wire import Adjustment, Flags, Message, MessageType, Negotiation, TransmissionId
from tests.conftest import NewSwitch
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, Envelope, Twin, host_ip

Step = Callable[[Twin], object]

IDS = [
    TransmissionId(content_id, destination, subflow)
    for content_id in (0, 0xFEED << 48, 77)
    for destination, subflow in ((0, 0), (5, 1), (5, 2), (5, 3))
]
PATHS = [
    (host_ip(sender, number), host_ip(receiver, number))
    for sender, receiver, number in ((1, 2, 1), (1, 2, 2), (4, 3, 1), (1, 3, 2), (2, 3, 3), (1, 4, 1), (3, 2, 1))
]
"""(sender, receiver), mostly over ports 2 and 3, which take part."""

RATES = st.one_of(
    st.integers(1, 2**32 - 1),
    st.integers(1, 60_000),
    st.sampled_from([1, 2, 9_000, 12_000, 18_000, 36_000, 36_001, 1_000_000, 2**32 - 1]),
)
RTTS = st.one_of(st.sampled_from([1, 1000, 60_000, 2_000_000, 2**24 - 1]), st.integers(1, 2**24 - 1))
FLAGS = st.sampled_from([Flags.NONE, Flags.NONE, Flags.NONE, Flags.RENEGOTIATION, Flags.REFRESH, Flags.RENEGOTIATION | Flags.REFRESH])


def transmission(number: int, *, is_stranger: bool) -> tuple[TransmissionId, int, int]:
    """Id and addresses. Each id has one path; only strangers use it on another."""
    sender, receiver = PATHS[(number + 1 if is_stranger else number) % len(PATHS)]
    return IDS[number % len(IDS)], sender, receiver


NUMBERS = st.integers(0, 2 * len(PATHS) - 1)
STRANGERS = st.integers(0, 15).map(lambda number: number == 0)


@st.composite
def negotiations(draw: st.DrawFn) -> Step:
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=draw(STRANGERS))
    kind = draw(st.sampled_from([MessageType.REQUEST] * 5 + [MessageType.SUCCESS] * 4 + [MessageType.FAILURE]))
    max_kbps = draw(RATES)
    min_kbps = draw(st.one_of(st.just(0), st.integers(0, min(max_kbps, 20_000)), st.just(max_kbps)))
    message = Negotiation(kind, who, max_kbps, min_kbps, draw(RTTS), flags=draw(FLAGS))
    return lambda twin: twin.message(message, sender, receiver)


@st.composite
def adjustments(draw: st.DrawFn) -> Step:
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=draw(STRANGERS))
    kind = draw(st.sampled_from([MessageType.REDUCE, MessageType.REDUCE, MessageType.INCREASE, MessageType.TERMINATE]))
    message = Adjustment(kind, who, draw(RATES))
    return lambda twin: twin.message(message, sender, receiver)


@st.composite
def dialogues(draw: st.DrawFn) -> Step:
    """The usual dialogue: a request whose success comes back, perhaps lowered on the way."""
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=False)
    request = Negotiation(MessageType.REQUEST, who, draw(RATES), 0, draw(RTTS), flags=draw(FLAGS))
    divisor = draw(st.sampled_from([1, 1, 1, 2, 7]))

    def step(twin: Twin) -> None:
        reaction = twin.message(request, sender, receiver)
        assert reaction is not None
        message: Message | None = reaction.message
        if isinstance(message, Negotiation) and not reaction.is_turned_round:
            rate_kbps = max(1, message.max_kbps // divisor)
            answer = Negotiation(MessageType.SUCCESS, who, rate_kbps, message.min_kbps, message.rtt_us, flags=message.flags)
            twin.message(answer, sender, receiver)

    return step


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=draw(STRANGERS))
    kind = draw(st.sampled_from([*EntryType, EntryType.REDUCE, EntryType.EXPIRE]))
    port = draw(st.sampled_from([*CAPACITIES_KBPS, *CAPACITIES_KBPS, 1, 600, 0xFFFF]))
    if kind == EntryType.READ_SLOT:
        value = draw(st.integers(0, SLOTS + 1))
    elif kind == EntryType.SET_KEY:
        value = draw(st.integers(1, 3))  # the one for indices is set before there are records
    elif kind == EntryType.EXPIRE:
        value = draw(st.sampled_from([0, 1, 1_000_000, 2**32 - 1]))
    else:
        value = draw(st.one_of(st.just(0), RATES))
    if draw(st.integers(0, 15)) == 0:
        sender = 192 << 24 | 1  # no route
    return Entry(kind, port, who, sender, receiver, value)


BATCHES: st.SearchStrategy[Step] = st.lists(entries(), min_size=1, max_size=12).map(lambda batch: lambda twin: twin.entries(batch))


@st.composite
def waits(draw: st.DrawFn) -> Step:
    time_us = draw(st.sampled_from([0, 1, 1000, 300_000, 2**20 - 1, 2**20, 2**20 + 1, 3_000_000, 2**33]))

    def step(twin: Twin) -> None:
        # Real time passes anyhow, and a window may end in any step.
        twin.wait(time_us, longest_real_us=1000)

    return step


@st.composite
def raw_messages(draw: st.DrawFn) -> Step:
    """Bytes on the Nodectl port: noise, or a good message with some bytes changed."""
    who, sender, receiver = transmission(draw(NUMBERS), is_stranger=False)
    payload = bytearray(Negotiation(MessageType.REQUEST, who, draw(RATES), 0, draw(RTTS)).encode())
    for _ in range(draw(st.integers(1, 3))):
        payload[draw(st.integers(0, len(payload) - 1))] = draw(st.integers(0, 255))
    body = draw(st.one_of(st.just(bytes(payload)), st.binary(max_size=40)))
    is_with_data = draw(st.booleans())
    source, destination = (sender, receiver) if is_with_data else (receiver, sender)
    envelope = Envelope(
        (source >> 8) & 0xFF, source, destination, draw(st.sampled_from([64, 64, 2, 1])), draw(st.sampled_from([None, None, 0]))
    )
    return lambda twin: twin.send(envelope, body)


def checks() -> st.SearchStrategy[Step]:
    return st.just(lambda twin: twin.check_state())


STEPS = st.one_of(dialogues(), negotiations(), dialogues(), negotiations(), adjustments(), BATCHES, waits(), raw_messages(), checks())


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=1, max_size=40))
def test_switch_and_model_agree(new_nodectl_switch: NewSwitch, steps: list[Step]) -> None:
    twin = Twin(new_nodectl_switch())
    for step in steps:
        step(twin)
    twin.check_state()


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    requests=st.lists(
        st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 200_000), RTTS, st.integers(0, 30_000)),
        min_size=30,
        max_size=120,
        unique_by=lambda row: row[0],
    )
)
def test_many_transmissions_on_one_port(new_nodectl_switch: NewSwitch, requests: list[tuple[int, int, int, int]]) -> None:
    """Many records: hashing into all four ways, arrivals, and sums of many."""
    twin = Twin(new_nodectl_switch())
    for number, (content_id, max_kbps, rtt_us, gap_us) in enumerate(requests):
        message = Negotiation(MessageType.REQUEST, TransmissionId(content_id, 0, 0), max_kbps, 0, rtt_us)
        twin.message(message, host_ip(1, number % 250 + 1), host_ip(3, 1))
        twin.wait(gap_us)
    twin.entries([Entry(EntryType.READ_SLOT, 0, value=slot) for slot in list(twin.model.records)[:100]])
    twin.check_state()
