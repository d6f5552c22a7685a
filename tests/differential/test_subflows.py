"""Random mixtures of Algorithms 1 and 2 through the compiled P4 program and the reference model, and Algorithm 2's own promises.

Single transmissions and subflows on one port, with the siblings' reduces worked off by the controller's own lists, sooner or later.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from controller.decisions import changes_after_admission
from controller.records import PortRecords
from protocol.codes import EntryType, EventType
from protocol.headers import Entry, Event
from protocol.model.port_model import group_key
from protocol.wire import Adjustment, Flags, Message, MessageType, Negotiation, TransmissionId
from tests.conftest import NewSwitch
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, Twin, host_ip

PORT = 2
CAPACITY_KBPS = CAPACITIES_KBPS[PORT]
RECEIVER = host_ip(PORT, 1)
IDS = [TransmissionId(whole, 0, subflow) for whole, subflows in ((1, 1), (2, 1), (3, 4), (4, 3)) for subflow in range(subflows)]
RATES = st.one_of(st.integers(1, 60_000), st.sampled_from([1, 2, 9_000, 12_000, 18_000, 36_000, 200_000]))
RTTS = st.sampled_from([1000, 60_000, 60_000, 2_000_000])

Step = tuple[str, int, int, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["join", "join", "join", "ask again", "refresh", "leave", "fail", "held back", "reduces go out", "wait"]),
        st.integers(0, len(IDS) - 1),
        RATES,
        RTTS,
        st.sampled_from([1, 1, 1, 2, 5]),
    ),
    min_size=1,
    max_size=40,
)


@dataclass
class Port:
    """The twin switches with a controller's lists; its reduces wait until a step sends them."""

    twin: Twin
    records: PortRecords = field(default_factory=lambda: PortRecords(PORT, CAPACITY_KBPS, 0))
    reduces: list[Entry] = field(default_factory=list)

    def sender_ip(self, number: int) -> int:
        return host_ip(1, number + 1)

    def known(self) -> set[TransmissionId]:
        return {record.id for record in self.twin.model.records.values()}

    def tell(self, event: Event | None) -> None:
        """Handle an event as the controller does."""
        if event is None:
            return
        if event.event in (EventType.REFUSED, EventType.REMOVED):
            self.records.remove(event.id)
            self.reduces = [entry for entry in self.reduces if entry.id != event.id]
            return
        record = self.records.adopt(event, 0.0)
        record.rate_kbps, record.is_bottleneck = event.rate_kbps, event.is_bottleneck
        for entry in self.reduces:
            if entry.id == event.id and entry.value < record.rate_kbps:
                record.rate_kbps, record.is_bottleneck = entry.value, True
        if event.event == EventType.ADMITTED:
            for other, speed_kbps in changes_after_admission(self.records, event).reduce.items():
                other.rate_kbps, other.is_bottleneck = speed_kbps, True
                self.reduces.append(Entry(EntryType.REDUCE, PORT, other.id, other.sender_ip, other.receiver_ip, speed_kbps))

    def send_reduces(self) -> None:
        if self.reduces:
            self.twin.entries(self.reduces)
        self.reduces = []

    def step(self, what: str, number: int, rate_kbps: int, rtt_us: int, divisor: int) -> None:
        who, sender = IDS[number], self.sender_ip(number)
        if what in ("join", "ask again", "refresh"):
            flags = {"join": Flags.NONE, "ask again": Flags.RENEGOTIATION, "refresh": Flags.REFRESH}[what]
            reaction = self.twin.message(Negotiation(MessageType.REQUEST, who, rate_kbps, 0, rtt_us, flags=flags), sender, RECEIVER)
            assert reaction is not None
            self.tell(reaction.event)
            message = reaction.message
            if isinstance(message, Negotiation) and not reaction.is_turned_round:
                answer = Negotiation(MessageType.SUCCESS, who, max(1, message.max_kbps // divisor), 0, rtt_us, flags=message.flags)
                reaction = self.twin.message(answer, sender, RECEIVER)
                assert reaction is not None
                self.tell(reaction.event)
        elif what == "reduces go out":
            self.send_reduces()
        elif what == "wait":
            self.twin.wait(rtt_us, longest_real_us=1000)
        else:
            told: dict[str, Message] = {
                "leave": Adjustment(MessageType.TERMINATE, who, 0),
                "fail": Negotiation(MessageType.FAILURE, who, rate_kbps, 0, rtt_us),
                "held back": Adjustment(MessageType.REDUCE, who, rate_kbps),
            }
            reaction = self.twin.message(told[what], sender, RECEIVER)
            assert reaction is not None
            self.tell(reaction.event)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_mixed_algorithms_agree_and_fit_once_the_reduces_are_out(new_nodectl_switch: NewSwitch, steps: list[Step]) -> None:
    port = Port(Twin(new_nodectl_switch()))
    for step in steps:
        port.step(*step)
    port.send_reduces()
    port.twin.check_state()
    model = port.twin.model.ports[PORT]
    # a rate of 1 kbit/s is the least there is, however small the part
    assert model.sum_kbps <= CAPACITY_KBPS + len(port.known())
    totals = port.records.totals()
    assert (totals.sum_kbps, totals.count, totals.bottleneck_sum_kbps, totals.bottleneck_count) == (
        model.sum_kbps,
        model.count,
        model.bottleneck_sum_kbps,
        model.bottleneck_count,
    )


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS, newcomer=st.integers(0, len(IDS) - 1), max_kbps=RATES, rtt_us=RTTS)
def test_a_group_keeps_what_it_has_when_a_subflow_asks(
    new_nodectl_switch: NewSwitch, steps: list[Step], newcomer: int, max_kbps: int, rtt_us: int
) -> None:
    """Newcomer or renegotiation: the transmission as a whole has afterwards what it had, or more, unless the subflow wants less itself."""
    port = Port(Twin(new_nodectl_switch()))
    for step in steps:
        port.step(*step)
        port.send_reduces()
    group = port.twin.model.ports[PORT].groups.get(group_key(IDS[newcomer]))
    had_kbps = group.sum_kbps if group else 0
    own_kbps = next((record.rate_kbps for record in port.twin.model.records.values() if record.id == IDS[newcomer]), 0)
    siblings = (group.count if group else 0) - bool(own_kbps)
    assume(siblings > 0)
    port.step("join", newcomer, max_kbps, rtt_us, 1)
    port.send_reduces()
    after = port.twin.model.ports[PORT].groups[group_key(IDS[newcomer])]
    given_up_kbps = max(0, own_kbps - max_kbps)
    assert after.sum_kbps >= had_kbps - given_up_kbps - after.count
    assert after.sum_kbps <= CAPACITY_KBPS + after.count
