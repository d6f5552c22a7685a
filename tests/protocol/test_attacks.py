"""Attacks on a switch, frame by frame (Scapy), against the paper's Nodectl and the deployable variant: the victim's remaining rate.

There is one port of 36 Mbit/s, one victim that has all of it, and attackers behind port 1, as the victim is. The table of
docs/protocol/attacks.md is this file's: the rate of the victim's record afterwards, with the controller's reduces carried out.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from common.units import BITS_PER_KILOBIT, US_PER_S
from controller.names import NameBook
from controller.switch_state import SwitchState
from protocol.codes import ErrorReason, Flags, MessageType
from protocol.deployable_headers import EXTENDED_FRAME_BYTES, MessageExtension
from protocol.frames import ETHERNET_HEADER_BYTES, TCP_SYN
from protocol.model.enforcement_model import (
    BUCKET_BURST,
    BURST_US,
    CONTROL_KBPS,
    DSCP_NEGOTIATED,
    DSCP_OPENING,
    DSCP_OTHERS,
    LONGEST_OPENING,
    UNITS_PER_BYTE,
    Flow,
    TrafficClass,
)
from protocol.model.reference_model import Reaction
from protocol.packet_out import decode_entries
from protocol.record_slots import candidate_slots
from protocol.variant import COMPLETE, DEPLOYABLE, Variant, VariantName
from protocol.wire import Adjustment, Message, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedAdjustment, ExtendedNegotiation, extension_of
from scenario.network_description import PortDescription
from tests.conftest import NewSwitch
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import CAPACITIES_KBPS, TCP_ACK, Envelope, Twin, host_ip, segment_in

PORT = 2
CAPACITY_KBPS = CAPACITIES_KBPS[PORT]
RTT_US = 60_000
VICTIM_IP, RECEIVER_IP = host_ip(1, 1), host_ip(PORT, 1)
VICTIM = TransmissionId(0xA11CE << 40, 1)
VICTIM_FLOW = Flow(VICTIM_IP, RECEIVER_IP, 40_000, 5001, PORT)
SEGMENT_BYTES = 1066
BURST_BYTES = BUCKET_BURST // UNITS_PER_BYTE


class Network:
    """The switch and its model with a controller; senders that speak what the switch does."""

    def __init__(self, twin: Twin, variant: Variant) -> None:
        self.twin, self.variant = twin, variant
        port = PortDescription(port=PORT, capacity_bps=CAPACITY_KBPS * BITS_PER_KILOBIT)
        self.state = SwitchState("s1", [port], NameBook({}, {}), variant=variant, new_key=lambda: secrets.randbits(64))
        self.state.connected(self.now_s, is_empty=True)
        self.sequences: dict[TransmissionId, int] = {}
        self.tokens: dict[int, int] = {}
        self.current_kbps: dict[TransmissionId, int] = {}
        self.is_obedient = True
        self.carry_out()
        self.twin.wait(US_PER_S)

    @property
    def now_s(self) -> float:
        return self.twin.time_us / US_PER_S

    def carry_out(self) -> None:
        """The controller's batches reach the switch, and its senders obey at once."""
        for batch in self.state.take_batches(self.now_s):
            entries = decode_entries(batch.payload)
            for reaction in self.twin.entries(entries):
                if isinstance(reaction.message, Adjustment) and reaction.message.type == MessageType.REDUCE:
                    self.obey(reaction.message)

    def obey(self, message: Adjustment) -> None:
        if message.id != VICTIM or not self.is_obedient:
            return
        self.current_kbps[VICTIM] = message.speed_kbps
        self.ask(VICTIM, VICTIM_IP, message.speed_kbps, flags=Flags.REFRESH)

    def message(self, message: Message, sender_ip: int) -> Reaction:
        self.twin.wait(2_000)
        reaction = self.twin.message(message, sender_ip, RECEIVER_IP)
        assert reaction is not None, "one message too many"
        if reaction.event is not None:
            self.state.handle(reaction.event, message if isinstance(message, Negotiation) else None, self.now_s)
            self.carry_out()
        return reaction

    def request(self, who: TransmissionId, sender_ip: int, max_kbps: int, rtt_us: int = RTT_US, flags: Flags = Flags.NONE) -> Negotiation:
        """A request as its sender makes it, the next number and the token that it was told included."""
        if self.variant.basis is VariantName.PAPER:
            return Negotiation(MessageType.REQUEST, who, max_kbps, 0, rtt_us, flags=flags)
        self.sequences[who] = self.sequences.get(who, 0) + 1
        extension = MessageExtension(
            sequence=self.sequences[who],
            current_kbps=self.current_kbps.get(who, 0),
            granted_kbps=max_kbps,
            source_port=VICTIM_FLOW.source_port,
            destination_port=VICTIM_FLOW.destination_port,
            token=self.tokens.get(sender_ip, 0),
        )
        return ExtendedNegotiation(MessageType.REQUEST, who, max_kbps, 0, rtt_us, flags=flags, extension=extension)

    def ask(
        self, who: TransmissionId, sender_ip: int, max_kbps: int = 200_000, rtt_us: int = RTT_US, flags: Flags = Flags.NONE
    ) -> Negotiation:
        """A negotiation of who owns his address: he is challenged once, and knows the token then. The success, or what else comes back."""
        reaction = self.message(self.request(who, sender_ip, max_kbps, rtt_us, flags), sender_ip)
        assert isinstance(reaction.message, Negotiation)
        extension = extension_of(reaction.message)
        if reaction.message.type == MessageType.CHALLENGE and extension is not None:
            self.tokens[sender_ip] = extension.token
            return self.ask(who, sender_ip, max_kbps, rtt_us, flags)
        if reaction.is_turned_round:
            return reaction.message
        reaction = self.message(replace(reaction.message, type=MessageType.SUCCESS), sender_ip)
        assert isinstance(reaction.message, Negotiation)
        extension = extension_of(reaction.message)
        self.current_kbps[who] = reaction.message.max_kbps if extension is None else extension.granted_kbps
        return reaction.message

    def terminate(self, who: TransmissionId, sender_ip: int) -> Message:
        if self.variant.basis is VariantName.PAPER:
            return Adjustment(MessageType.TERMINATE, who, 0)
        self.sequences[who] += 1
        extension = MessageExtension(sequence=self.sequences[who], token=self.tokens[sender_ip])
        return ExtendedAdjustment(MessageType.TERMINATE, who, 0, extension=extension)

    @property
    def victim_kbps(self) -> int:
        return next((record.rate_kbps for record in self.twin.model.records.values() if record.id == VICTIM), 0)


Start = Callable[[Variant], Network]


@pytest.fixture
def start(new_nodectl_switch: NewSwitch, new_deployable_switch: NewSwitch) -> Start:
    def started(variant: Variant) -> Network:
        if variant.basis is not VariantName.PAPER:
            twin = Twin(new_deployable_switch(), variant, host_ports=(1, 2, 3, 4))
        else:
            twin = Twin(new_nodectl_switch(), variant)
        network = Network(twin, variant)
        network.ask(VICTIM, VICTIM_IP)
        assert network.victim_kbps == CAPACITY_KBPS
        return network

    return started


def attacker(number: int = 1) -> tuple[TransmissionId, int]:
    return TransmissionId(0xBAD << 40 | number, 1), host_ip(1, 100 + number % 150)


def lies_about_its_rtt(network: Network) -> None:
    who, ip = attacker()
    network.ask(who, ip, rtt_us=2**24 - 1)
    for _ in range(10):
        network.twin.wait(200_000)
        network.message(network.terminate(who, ip), ip)
        network.ask(who, ip, rtt_us=2**24 - 1)


def spoofs_an_address(network: Network) -> None:
    who, ip = attacker()
    network.message(network.request(who, ip, 200_000), ip)


def spoofs_many_addresses(network: Network) -> None:
    for number in range(1, 41):
        who, ip = attacker(number)
        network.message(network.request(who, ip, 200_000), ip)


def floods(network: Network) -> None:
    for number in range(1, 41):
        who, _ = attacker(number)
        network.ask(who, attacker()[1])


def comes_with_three_addresses(network: Network) -> None:
    for number in range(1, 4):
        network.ask(*attacker(number))


def replays_an_old_success(network: Network) -> None:
    """The victim had 9 Mbit/s once; its success of then comes again."""
    old = network.ask(VICTIM, VICTIM_IP, 9_000, flags=Flags.RENEGOTIATION)
    network.ask(VICTIM, VICTIM_IP, flags=Flags.RENEGOTIATION)
    network.message(old, VICTIM_IP)


def replays_an_old_request(network: Network) -> None:
    old = network.request(VICTIM, VICTIM_IP, 9_000, flags=Flags.RENEGOTIATION)
    network.ask(VICTIM, VICTIM_IP, flags=Flags.RENEGOTIATION)
    network.message(old, VICTIM_IP)


def forges_a_reduce(network: Network) -> None:
    """By a host which has seen the id."""
    network.message(Adjustment(MessageType.REDUCE, VICTIM, 1_000), VICTIM_IP)


def forges_a_terminate(network: Network) -> None:
    """By a host which has seen the id, but not the token."""
    if network.variant.basis is not VariantName.PAPER:
        extension = MessageExtension(sequence=99)
        network.message(ExtendedAdjustment(MessageType.TERMINATE, VICTIM, 0, extension=extension), VICTIM_IP)
    else:
        network.message(Adjustment(MessageType.TERMINATE, VICTIM, 0), VICTIM_IP)


SHARE_OF: dict[Callable[[Network], None], int] = {
    lies_about_its_rtt: 2,
    spoofs_an_address: 1,
    spoofs_many_addresses: 1,
    floods: 2,
    comes_with_three_addresses: 4,
    replays_an_old_success: 1,
    replays_an_old_request: 1,
    forges_a_reduce: 1,
    forges_a_terminate: 1,
}
"""The attacks, and among how many sources the port is then to be shared: those who have asked under their own addresses, and the victim."""

NOT_HARMED_BY: set[Callable[[Network], None]] = {comes_with_three_addresses}
"""Whom the paper gives no more than the deployable variant does: k addresses have k shares."""


@pytest.mark.parametrize("attack", SHARE_OF, ids=lambda attack: attack.__name__)
def test_the_victim_has_its_share(start: Start, attack: Callable[[Network], None]) -> None:
    network = start(DEPLOYABLE)
    attack(network)
    assert network.victim_kbps == pytest.approx(CAPACITY_KBPS / SHARE_OF[attack], rel=0.05)
    network.twin.check_state()


@pytest.mark.parametrize("attack", SHARE_OF, ids=lambda attack: attack.__name__)
def test_before_it_had_not(start: Start, attack: Callable[[Network], None]) -> None:
    network = start(COMPLETE)
    attack(network)
    is_harmed = network.victim_kbps < 0.95 * CAPACITY_KBPS / SHARE_OF[attack]
    assert is_harmed == (attack not in NOT_HARMED_BY), network.victim_kbps


def test_a_late_request_makes_no_ghost(start: Start) -> None:
    for variant, ghosts in ((COMPLETE, 1), (DEPLOYABLE, 0)):
        network = start(variant)
        late = network.request(VICTIM, VICTIM_IP, 9_000)
        network.message(network.terminate(VICTIM, VICTIM_IP), VICTIM_IP)
        network.message(late, VICTIM_IP)
        assert len(network.twin.model.records) == ghosts


def test_a_full_store_keeps_nobody_out_who_is_in_and_nobody_can_choose_its_places(start: Start) -> None:
    """An id with the first place of another's, found in advance: four such, and the paper's next transmission is refused."""
    place = candidate_slots(TransmissionId(0xC0FFEE << 32, 1), PORT)[0]
    chosen = next(one for one in (TransmissionId(number, 1) for number in itertools.count()) if candidate_slots(one, PORT)[0] == place)
    for variant in (COMPLETE, DEPLOYABLE):
        network = start(variant)
        before = set(network.twin.model.records)
        network.ask(chosen, attacker()[1])
        (slot,) = set(network.twin.model.records) - before
        assert (slot == place) == (variant is COMPLETE)


def test_a_source_has_so_many_records_and_no_more(start: Start) -> None:
    network = start(DEPLOYABLE)
    for number in range(1, 80):
        answer = network.ask(TransmissionId(number, 1), attacker()[1])
        assert answer.type == (MessageType.SUCCESS if number <= 64 else MessageType.FAILURE)


def needs_given_time(network: Network) -> None:
    """Meters go by the time, and BMv2 has a clock of its own."""
    if network.twin.nodectl.switch.is_real_time:
        pytest.skip("BMv2 is not installed with a clock that a test can set: meters are compared on the embedded switch")


def send(network: Network, flow: Flow, rate_kbps: int, duration_s: float) -> dict[TrafficClass | None, int]:
    """Segments at a rate: how many were in which class; None: dropped."""
    found: dict[TrafficClass | None, int] = dict.fromkeys([*TrafficClass, None], 0)
    for _ in range(int(rate_kbps * duration_s * 1000 / SEGMENT_BYTES / 8)):
        network.twin.wait(SEGMENT_BYTES * 8 * 1000 // rate_kbps)
        traffic_class, is_dropped = network.twin.data(flow, SEGMENT_BYTES, 1)
        found[None if is_dropped else traffic_class] += 1
    return found


def test_meters_let_no_more_through_than_the_time_that_passed_allows(start: Start) -> None:
    """Between bounds that hold by any clock: nobody tells when the switch saw which packet. BMv2's clock runs, the other stands."""
    network = start(DEPLOYABLE)
    switch = network.twin.nodectl.switch
    sent = segment_in(1, VICTIM_FLOW, SEGMENT_BYTES, 0)
    rate_kbps = 1_000
    network.ask(VICTIM, VICTIM_IP, rate_kbps, flags=Flags.REFRESH)
    assert network.current_kbps[VICTIM] == rate_kbps
    network.twin.wait(10 * US_PER_S)  # its buckets become full
    counted = dict.fromkeys([DSCP_NEGOTIATED, DSCP_OTHERS, None], 0)
    begin_us = time.monotonic_ns() // 1_000
    for _ in range(400):
        frames = switch.send(1, sent, network.twin.time_us)
        counted[frames[PORT][0][ETHERNET_HEADER_BYTES + 1] >> 2 if frames else None] += 1
    passed_us = time.monotonic_ns() // 1_000 - begin_us if switch.is_real_time else 0
    filled_bytes = rate_kbps * 65 / 64 * (passed_us + BURST_US) / UNITS_PER_BYTE  # with the part of the burst above 64 KB
    assert counted[DSCP_NEGOTIATED] * SEGMENT_BYTES <= BURST_BYTES + filled_bytes + SEGMENT_BYTES
    assert counted[DSCP_NEGOTIATED] * SEGMENT_BYTES >= BURST_BYTES - 2 * SEGMENT_BYTES
    assert counted[DSCP_OTHERS] * SEGMENT_BYTES <= BURST_BYTES + filled_bytes / 4 + SEGMENT_BYTES
    assert counted[DSCP_OTHERS] > 0
    assert counted[None] > 0


def test_data_at_its_rate_is_negotiated_and_data_without_a_record_is_not(start: Start) -> None:
    network = start(DEPLOYABLE)
    needs_given_time(network)
    found = send(network, VICTIM_FLOW, CAPACITY_KBPS, 0.1)
    assert found[TrafficClass.NEGOTIATED] == sum(found.values())
    found = send(network, VICTIM_FLOW._replace(source_port=1), CAPACITY_KBPS, 0.02)
    assert found[TrafficClass.OTHERS] == sum(found.values())
    answers = Flow(RECEIVER_IP, VICTIM_IP, VICTIM_FLOW.destination_port, VICTIM_FLOW.source_port, 1)
    assert network.twin.data(answers, 66, PORT) == (TrafficClass.NEGOTIATED, False)
    assert network.twin.data(answers, 1066, PORT) == (TrafficClass.OTHERS, False)


def test_answers_have_a_sixteenth_of_what_they_answer(start: Start) -> None:
    """Answers take nothing of the rate of the connection's own data: here both go through the same first switch."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    answers = Flow(RECEIVER_IP, VICTIM_IP, VICTIM_FLOW.destination_port, VICTIM_FLOW.source_port, 1)
    negotiated_bytes, step_us = 0, 20
    steps = 5_000
    for step in range(steps):
        network.twin.wait(step_us)
        traffic_class, is_dropped = network.twin.data(answers, 66, PORT)
        assert not is_dropped
        negotiated_bytes += 66 * (traffic_class is TrafficClass.NEGOTIATED)
        if step % 100 == 0:
            traffic_class, _ = network.twin.data(VICTIM_FLOW, SEGMENT_BYTES, 1)
            assert traffic_class is TrafficClass.NEGOTIATED
    sixteenth = CAPACITY_KBPS / 16 * steps * step_us / 8_000
    assert sixteenth < negotiated_bytes <= sixteenth + 8_192 + sixteenth * 10_000 / (steps * step_us)


def test_data_far_above_its_rate_is_marked_and_dropped(start: Start) -> None:
    network = start(DEPLOYABLE)
    needs_given_time(network)
    found = send(network, VICTIM_FLOW, 5 * CAPACITY_KBPS, 0.05)
    total = sum(found.values())
    burst = 2 * 65_536 / SEGMENT_BYTES
    assert found[TrafficClass.NEGOTIATED] <= total / 5 * 65 / 64 + burst
    assert found[TrafficClass.OTHERS] > 0
    assert found[None] > total / 3


def test_who_ignores_a_reduce_is_held_to_it(start: Start) -> None:
    """After half a second its data above the target is marked and dropped. The rate that it kept goes to the sender that waits for it."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    network.is_obedient = False
    who, ip = attacker()
    waiting = network.ask(who, ip)
    assert network.current_kbps[who] == 0
    assert waiting.max_kbps == CAPACITY_KBPS // 2
    found = send(network, VICTIM_FLOW, CAPACITY_KBPS, 0.1)
    assert found[TrafficClass.NEGOTIATED] == sum(found.values()), "it may not have heard of it yet"
    for _ in range(20):
        network.twin.wait(100_000)
        network.state.tick(network.now_s)
        network.carry_out()
    network.state.outbox.take_back(network.state.ports[PORT].records[VICTIM])
    network.carry_out()
    network.ask(who, ip, CAPACITY_KBPS // 2, flags=Flags.RENEGOTIATION | Flags.AGAIN)
    assert network.current_kbps[who] == CAPACITY_KBPS // 2
    send(network, VICTIM_FLOW, CAPACITY_KBPS, 0.1)
    found = send(network, VICTIM_FLOW, CAPACITY_KBPS, 0.1)
    assert found[TrafficClass.NEGOTIATED] == pytest.approx(sum(found.values()) / 2, rel=0.08)


def test_nobody_sends_under_another_connections_name(start: Start) -> None:
    """By another port, that is: its record's data comes by the port that its requests come by."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    for _ in range(200):
        assert network.twin.data(VICTIM_FLOW, SEGMENT_BYTES, 4) == (TrafficClass.OTHERS, False)
    found = send(network, VICTIM_FLOW, CAPACITY_KBPS, 0.1)
    assert found[TrafficClass.NEGOTIATED] == sum(found.values())


@pytest.mark.parametrize("said_kbps", [0, 9_000, 200_000])
def test_nobody_keeps_more_than_it_is_granted_further_on(start: Start, said_kbps: int) -> None:
    """Whatever it says that it sends already: a switch further on grants 9 of the 18 Mbit/s that this one would."""
    network = start(DEPLOYABLE)
    who, ip = attacker()
    network.ask(who, ip)  # it knows its token now
    network.message(network.terminate(who, ip), ip)
    network.current_kbps[who] = said_kbps
    reaction = network.message(network.request(who, ip, 200_000), ip)
    answer = reaction.message
    assert isinstance(answer, ExtendedNegotiation)
    granted = replace(answer.extension, granted_kbps=min(answer.extension.granted_kbps, 9_000))
    network.message(replace(answer, type=MessageType.SUCCESS, max_kbps=9_000, extension=granted), ip)
    model = network.twin.model
    assert model.reserving is not None
    (reserve,) = (model.reserving.reserves[record.slot] for record in model.records.values() if record.id == who)
    assert (reserve.reserved_kbps, reserve.confirmed_kbps) == (9_000, 9_000)
    network.twin.check_state()


def test_nothing_is_let_through_before_the_answer(start: Start) -> None:
    """This switch has 18 Mbit/s for the attacker. Only the answer tells the rate of one further on, and its receiver does not give it."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    who, ip = attacker()
    network.ask(who, ip)
    network.message(network.terminate(who, ip), ip)
    for _ in range(5):
        network.message(network.request(who, ip, 200_000), ip)
    found = send(network, VICTIM_FLOW._replace(sender_ip=ip), CAPACITY_KBPS // 4, 0.2)
    assert found[TrafficClass.OTHERS] == sum(found.values()), "as data without a record: not lost either"


def test_records_that_come_and_go_let_no_more_through(start: Start) -> None:
    """A burst with each new record would be as much as one likes."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    who, ip = attacker()
    begin_us = network.twin.time_us
    through = 0
    for _ in range(100):
        network.ask(who, ip, 1_000)
        assert network.current_kbps[who] in (0, 1_000)
        through += send(network, VICTIM_FLOW._replace(sender_ip=ip), 200_000, 0.005)[TrafficClass.NEGOTIATED]
        network.message(network.terminate(who, ip), ip)
    rate_kbps = through * SEGMENT_BYTES * 8 * 1000 / (network.twin.time_us - begin_us)
    assert rate_kbps <= 1_000 * 65 / 64


def test_what_is_not_believed_goes_no_further(start: Start) -> None:
    """The switches behind the first one have no tokens to go by: they believe what comes from another switch."""
    network = start(DEPLOYABLE)
    ghost, _ = attacker()
    other = host_ip(4, 7)
    unbelievable: list[tuple[Message, int, int]] = [
        (Adjustment(MessageType.REDUCE, VICTIM, 1_000), RECEIVER_IP, VICTIM_IP),
        (Adjustment(MessageType.INCREASE, VICTIM, 1_000), RECEIVER_IP, VICTIM_IP),
        (Adjustment(MessageType.TERMINATE, VICTIM, 0), VICTIM_IP, RECEIVER_IP),
        (ExtendedAdjustment(MessageType.TERMINATE, VICTIM, 0, extension=MessageExtension(sequence=99)), VICTIM_IP, RECEIVER_IP),
        (Negotiation(MessageType.REQUEST, ghost, 36_000, 0, RTT_US), VICTIM_IP, RECEIVER_IP),
        (network.request(VICTIM, VICTIM_IP, 1_000), other, VICTIM_IP),
    ]
    latest = network.request(VICTIM, VICTIM_IP, 1_000)
    assert isinstance(latest, ExtendedNegotiation)
    for kind in (MessageType.SUCCESS, MessageType.FAILURE, MessageType.CHALLENGE):
        answer = replace(latest, type=kind, extension=replace(latest.extension, sequence=1))
        unbelievable += [(answer, other, VICTIM_IP), (replace(answer, id=ghost), RECEIVER_IP, VICTIM_IP)]
    for message, source_ip, destination_ip in unbelievable:
        network.twin.wait(2_000)
        ingress_port = source_ip >> 8 & 0xFF
        reaction = network.twin.send(Envelope(ingress_port, source_ip, destination_ip), message.encode())
        assert reaction is not None
        assert reaction.is_dropped != reaction.is_turned_round, message
        assert reaction.event is None
    assert network.victim_kbps == CAPACITY_KBPS
    network.twin.check_state()


def test_a_host_that_sends_too_many_messages_fills_nobody_elses_queue(start: Start) -> None:
    network = start(DEPLOYABLE)
    needs_given_time(network)
    request = network.request(*attacker(), 200_000)
    model = network.twin.model
    assert model.reserving is not None
    passed = sum(network.twin.message(request, attacker()[1], RECEIVER_IP) is not None for _ in range(1_000))
    assert passed == pytest.approx(BURST_BYTES / EXTENDED_FRAME_BYTES, abs=2)
    assert not model.errors[ErrorReason.NOT_BELIEVED]


SYN_BYTES = 74
"""Of a frame, as Linux opens a connection."""
NEWCOMER_FLOW = Flow(host_ip(1, 77), RECEIVER_IP, 40_001, 5001, PORT)
FLOODER_PORT = 4
FLOODER_IP = host_ip(FLOODER_PORT, 66)
FLOOD_KBPS = 4_000
SYNS = examples(4_000)


def test_connections_are_opened_in_the_class_of_messages(start: Start) -> None:
    """Where negotiated data fill a link, a newcomer could not even connect."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    answer = Flow(RECEIVER_IP, NEWCOMER_FLOW.sender_ip, 5001, NEWCOMER_FLOW.source_port, 1)
    assert network.twin.data(NEWCOMER_FLOW, SYN_BYTES, 1, TCP_SYN) == (TrafficClass.CONTROL, False)
    assert network.twin.data(answer, SYN_BYTES, PORT, TCP_SYN | TCP_ACK) == (TrafficClass.CONTROL, False)
    assert network.twin.data(NEWCOMER_FLOW, SYN_BYTES, 1) == (TrafficClass.OTHERS, False)


def test_data_in_a_syn_goes_as_data(start: Start) -> None:
    """TCP fast open: a SYN with more data than fits beside the options waits as any data without a record does."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    assert network.twin.data(NEWCOMER_FLOW, LONGEST_OPENING, 1, TCP_SYN) == (TrafficClass.CONTROL, False)
    assert network.twin.data(NEWCOMER_FLOW, LONGEST_OPENING + 1, 1, TCP_SYN) == (TrafficClass.OTHERS, False)


def test_nobody_marks_his_data_as_what_opens_connections(start: Start) -> None:
    network = start(DEPLOYABLE)
    needs_given_time(network)
    assert network.twin.data(NEWCOMER_FLOW, SYN_BYTES, 1, dscp=DSCP_OPENING) == (TrafficClass.OTHERS, False)


def test_who_floods_with_syns_costs_nobody_a_syn_or_a_message(start: Start) -> None:
    """No more of it goes before others' data than messages would, and those behind the same port keep theirs."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    flood = Flow(FLOODER_IP, RECEIVER_IP, 6666, 5001, PORT)
    found = dict.fromkeys(TrafficClass, 0)
    begin_us = network.twin.time_us
    messages = 0
    for number in range(SYNS):
        network.twin.wait(SYN_BYTES * 8_000 // FLOOD_KBPS)
        traffic_class, is_dropped = network.twin.data(flood._replace(source_port=number), SYN_BYTES, FLOODER_PORT, TCP_SYN)
        assert not is_dropped, "more than the budget goes as before"
        found[traffic_class] += 1
        if number % 200 == 0:
            assert network.twin.data(NEWCOMER_FLOW, SYN_BYTES, 1, TCP_SYN) == (TrafficClass.CONTROL, False)
            for ip in (NEWCOMER_FLOW.sender_ip, FLOODER_IP):
                reaction = network.message(network.request(TransmissionId(number, ip), ip, 1_000), ip)
                assert reaction.is_turned_round, "challenged, not dropped"
            messages += 1
    duration_us = network.twin.time_us - begin_us
    paid_bits = 8 * (found[TrafficClass.CONTROL] * SYN_BYTES + messages * EXTENDED_FRAME_BYTES)
    assert paid_bits == pytest.approx(8 * BURST_BYTES / 2 + duration_us * CONTROL_KBPS / 1000, rel=0.01)
    assert found[TrafficClass.OTHERS] > SYNS // 4
    assert found[TrafficClass.NEGOTIATED] == 0
    assert network.victim_kbps == CAPACITY_KBPS


def test_messages_go_before_syns_in_what_there_is_for_both(start: Start) -> None:
    """A server that is flooded with SYNs answers them all: its port's messages pass. The other way round, SYNs go as before."""
    network = start(DEPLOYABLE)
    needs_given_time(network)
    flooded = Flow(FLOODER_IP, RECEIVER_IP, 5001, 6666, PORT)
    for _ in range(2_000):
        network.twin.data(flooded, SYN_BYTES, FLOODER_PORT, TCP_SYN | TCP_ACK)
    request = network.request(*attacker(), 200_000)
    passed = sum(network.twin.message(request, FLOODER_IP, RECEIVER_IP) is not None for _ in range(1_000))
    assert passed == pytest.approx(BURST_BYTES / 2 / EXTENDED_FRAME_BYTES, abs=2)
    assert network.twin.data(flooded, SYN_BYTES, FLOODER_PORT, TCP_SYN) == (TrafficClass.OTHERS, False)
