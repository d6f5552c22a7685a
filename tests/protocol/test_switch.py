"""nodectl.p4 message by message: its forwarding, changes and refusals, and its reports to the controller."""

from __future__ import annotations

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from protocol.codes import VERSION_2_TYPES, AdmittedVerdict, EntryProblem, EntryType, EventType, RefusedVerdict, RemovedVerdict
from protocol.constants import CPU_PORT, UDP_PORT
from protocol.headers import Entry
from protocol.model.port_model import Record
from protocol.model.reference_model import Reaction
from protocol.packet_out import encode_packet_out_frames
from protocol.record_slots import candidate_slots
from protocol.wire import Adjustment, ErrorReason, Flags, MessageType, Negotiation, TransmissionId
from tests.conftest import NewSwitch
from tests.harness.nodectl_switch import Envelope, Twin, adjustment_entry, host_ip, neighbour_mac, switch_mac, text

A, B, C = (TransmissionId(0xA0A0_0000_0000_0000 + number, 1, 0) for number in range(3))
SENDERS = {A: host_ip(1, 1), B: host_ip(1, 2), C: host_ip(1, 3)}
RECEIVERS = {A: host_ip(2, 1), B: host_ip(2, 2), C: host_ip(2, 3)}
RTT_US = 60_000


@pytest.fixture
def twin(new_nodectl_switch: NewSwitch) -> Twin:
    return Twin(new_nodectl_switch())


def request(twin: Twin, who: TransmissionId, max_kbps: int = 200_000, min_kbps: int = 0, flags: Flags = Flags.NONE) -> Reaction:
    message = Negotiation(MessageType.REQUEST, who, max_kbps, min_kbps, RTT_US, flags=flags)
    reaction = twin.message(message, SENDERS[who], RECEIVERS[who])
    assert reaction is not None
    return reaction


def back(twin: Twin, kind: MessageType, who: TransmissionId, rate_kbps: int, flags: Flags = Flags.NONE) -> Reaction:
    """A message towards the sender."""
    if kind in (MessageType.SUCCESS, MessageType.FAILURE):
        message: Negotiation | Adjustment = Negotiation(kind, who, rate_kbps, 0, RTT_US, flags=flags)
    else:
        message = Adjustment(kind, who, rate_kbps)
    reaction = twin.message(message, SENDERS[who], RECEIVERS[who])
    assert reaction is not None
    return reaction


def admit(twin: Twin, who: TransmissionId) -> int:
    """Request and success; the rate."""
    reaction = request(twin, who)
    assert isinstance(reaction.message, Negotiation)
    back(twin, MessageType.SUCCESS, who, reaction.message.max_kbps)
    return reaction.message.max_kbps


def test_three_transmissions_share_a_port(twin: Twin) -> None:
    assert admit(twin, A) == 36_000
    reaction = request(twin, B)
    assert reaction.event is not None
    assert (reaction.event.rate_kbps, reaction.event.verdict) == (18_000, AdmittedVerdict.REDUCE_OTHERS)
    (record,) = [record for record in twin.model.records.values() if record.id == A]
    (reduced,) = twin.entries([adjustment_entry(EntryType.REDUCE, record, 18_000)])
    assert reduced.message == Adjustment(MessageType.REDUCE, A, 18_000)
    assert twin.model.ports[2].sum_kbps == 36_000
    assert request(twin, C).event.rate_kbps == 12_000  # type: ignore[union-attr]
    twin.check_state()


def test_success_frees_what_another_bottleneck_leaves(twin: Twin) -> None:
    request(twin, A)
    reaction = back(twin, MessageType.SUCCESS, A, 5_000)
    assert reaction.event is not None
    assert (reaction.event.rate_kbps, reaction.event.previous_rate_kbps) == (5_000, 36_000)
    assert not reaction.event.is_bottleneck
    assert twin.model.ports[2].sum_kbps == 5_000
    twin.check_state()


def test_success_is_lowered_to_a_record_reduced_meanwhile(twin: Twin) -> None:
    request(twin, A)
    (record,) = twin.model.records.values()
    twin.entries([adjustment_entry(EntryType.REDUCE, record, 18_000)])
    reaction = back(twin, MessageType.SUCCESS, A, 36_000)
    assert isinstance(reaction.message, Negotiation)
    assert reaction.message.max_kbps == 18_000
    twin.check_state()


def test_request_below_min_turns_round(twin: Twin) -> None:
    admit(twin, A)
    reaction = request(twin, B, min_kbps=20_000)
    assert reaction.is_turned_round
    assert reaction.event is not None
    assert (reaction.event.event, reaction.event.verdict) == (EventType.REFUSED, RefusedVerdict.BELOW_MIN)
    assert twin.model.ports[2].count == 1
    twin.check_state()


def test_refused_renegotiation_leaves_no_record(twin: Twin) -> None:
    admit(twin, A)
    admit(twin, B)
    reaction = request(twin, A, min_kbps=30_000, flags=Flags.RENEGOTIATION)
    assert reaction.is_turned_round
    assert twin.model.ports[2].count == 1
    twin.check_state()


def test_request_for_less_than_is_free_changes_nobody(twin: Twin) -> None:
    request(twin, A, max_kbps=30_000)
    for max_kbps, verdict, rate_kbps in (
        (26_000, AdmittedVerdict.REDUCE_OTHERS, 18_000),
        (7_000, AdmittedVerdict.REDUCE_OTHERS, 7_000),
        (6_000, AdmittedVerdict.SHARE, 6_000),
    ):
        reaction = request(twin, B, max_kbps)
        assert reaction.event is not None
        assert (reaction.event.verdict, reaction.event.rate_kbps, reaction.event.share_kbps) == (verdict, rate_kbps, 18_000)
    twin.check_state()


def test_refresh_notes_the_time_and_lowers(twin: Twin) -> None:
    admit(twin, A)
    twin.wait(5_000_000)
    reaction = request(twin, A, max_kbps=10_000, flags=Flags.REFRESH)
    assert reaction.event is not None
    assert (reaction.event.event, reaction.event.rate_kbps) == (EventType.REFRESHED, 10_000)
    assert reaction.event.last_seen_us == twin.time_us
    assert back(twin, MessageType.SUCCESS, A, 10_000, Flags.REFRESH).event is None
    twin.check_state()


def test_refresh_of_an_unknown_record_becomes_a_renegotiation(twin: Twin) -> None:
    reaction = request(twin, A, max_kbps=10_000, flags=Flags.REFRESH)
    assert reaction.message is not None
    assert reaction.message.flags == Flags.RENEGOTIATION
    assert twin.model.ports[2].sum_kbps == 10_000
    twin.check_state()


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [(MessageType.TERMINATE, RemovedVerdict.TERMINATE), (MessageType.FAILURE, RemovedVerdict.FAILURE)],
)
def test_record_goes(twin: Twin, kind: MessageType, verdict: RemovedVerdict) -> None:
    admit(twin, A)
    reaction = back(twin, kind, A, 1)
    assert reaction.event is not None
    assert (reaction.event.event, reaction.event.verdict) == (EventType.REMOVED, verdict)
    assert twin.model.ports[2].sum_kbps == 0
    twin.check_state()


def test_passing_reduce_lowers_and_passing_increase_does_not(twin: Twin) -> None:
    admit(twin, A)
    reaction = back(twin, MessageType.REDUCE, A, 7_000)
    assert reaction.event is not None
    assert (reaction.event.event, reaction.event.is_bottleneck) == (EventType.REDUCED, False)
    assert back(twin, MessageType.REDUCE, A, 8_000).event is None
    assert back(twin, MessageType.INCREASE, A, 9_000).event is None
    assert twin.model.ports[2].sum_kbps == 7_000
    twin.check_state()


def test_expiry_spares_what_has_been_seen(twin: Twin) -> None:
    admit(twin, A)
    (record,) = twin.model.records.values()
    age_us = twin.scaled(15_000_000)
    twin.wait(10_000_000)
    (reaction,) = twin.entries([adjustment_entry(EntryType.EXPIRE, record, age_us)])
    assert reaction.event is not None
    assert reaction.event.event == EventType.REFRESHED
    twin.wait(5_000_000)
    (reaction,) = twin.entries([adjustment_entry(EntryType.EXPIRE, record, age_us)])
    assert reaction.event is not None
    assert (reaction.event.event, reaction.event.verdict) == (EventType.REMOVED, RemovedVerdict.EXPIRED)
    twin.check_state()


def test_later_entries_of_a_batch_know_the_time(twin: Twin) -> None:
    """They come round again as recirculated packets, which have no timestamp."""
    admit(twin, A)
    (record,) = twin.model.records.values()
    twin.wait(10_000_000)
    expiry = adjustment_entry(EntryType.EXPIRE, record, twin.scaled(15_000_000))
    reactions = twin.entries([Entry(EntryType.READ_PORT, 2)] * 2 + [expiry])
    assert reactions[-1].event is not None
    assert reactions[-1].event.event == EventType.REFRESHED


def test_a_batch_of_64_entries(twin: Twin) -> None:
    for who in (A, B, C):
        admit(twin, who)
    records = sorted(twin.model.records.values(), key=lambda record: record.id.content_id)
    unknown = Entry(EntryType.REDUCE, 2, TransmissionId(1, 2, 3), host_ip(1, 1), host_ip(2, 1), 5)
    stranger = Entry(EntryType.INCREASE, 2, A, host_ip(1, 9), host_ip(2, 1), 5)
    entries = [
        adjustment_entry(EntryType.REDUCE, records[0], 11_000),
        adjustment_entry(EntryType.INCREASE, records[1], 13_000),
        unknown,
        stranger,
        Entry(EntryType.REDUCE, 2, A, SENDERS[A], RECEIVERS[A], 0),
        Entry(EntryType.READ_SLOT, 0, value=records[2].slot),
        Entry(EntryType.READ_SLOT, 0, value=(records[2].slot + 1) % 4096),
        Entry(EntryType.READ_SLOT, 0, value=16384),
        Entry(EntryType.READ_PORT, 1),
        Entry(EntryType.READ_PORT, 600),
    ]
    entries += [adjustment_entry(EntryType.REDUCE, records[1], 10_000 - number) for number in range(53)]
    entries.append(Entry(EntryType.READ_PORT, 2))
    reactions = twin.entries(entries)
    problems = [reaction.event.verdict for reaction in reactions if reaction.event and reaction.event.event == EventType.UNANSWERED]
    assert problems == [
        EntryProblem.UNKNOWN_ID,
        EntryProblem.ADDRESS_MISMATCH,
        EntryProblem.BAD_ENTRY,
        EntryProblem.BAD_ENTRY,
        EntryProblem.BAD_ENTRY,
        EntryProblem.BAD_ENTRY,
    ]
    assert reactions[-1].event is not None
    assert reactions[-1].event.port_sum_kbps == twin.model.ports[2].sum_kbps
    twin.check_state()


def test_adjustment_without_a_route_changes_nothing(twin: Twin) -> None:
    far = 192 << 24 | 1
    twin.send(Envelope(1, far, host_ip(2, 1)), Negotiation(MessageType.REQUEST, A, 100, 0, RTT_US).encode())
    (reaction,) = twin.entries([Entry(EntryType.REDUCE, 2, A, far, host_ip(2, 1), 50)])
    assert reaction.event is not None
    assert reaction.event.verdict == EntryProblem.NO_ROUTE
    twin.check_state()


def test_id_collision_is_counted_and_ignored(twin: Twin) -> None:
    admit(twin, A)
    for message in (
        Negotiation(MessageType.REQUEST, A, 100, 0, RTT_US),
        Adjustment(MessageType.TERMINATE, A, 0),
        Negotiation(MessageType.SUCCESS, A, 100, 0, RTT_US),
        Adjustment(MessageType.REDUCE, A, 100),
    ):
        assert twin.message(message, host_ip(1, 99), RECEIVERS[A]).event is None  # type: ignore[union-attr]
    assert twin.model.errors == {ErrorReason.ID_COLLISION: 4}
    assert twin.model.ports[2].sum_kbps == 36_000
    twin.check_state()


@pytest.mark.parametrize("kind", [kind for kind in MessageType if kind not in {MessageType.REQUEST, *VERSION_2_TYPES}])
def test_forged_message_with_an_unknown_id(twin: Twin, kind: MessageType) -> None:
    admit(twin, A)
    assert back(twin, kind, B, 5).event is None
    assert twin.model.errors == {ErrorReason.UNKNOWN_ID: 1}
    twin.check_state()


def test_ports_without_capacity_let_messages_pass(twin: Twin) -> None:
    sender, receiver = host_ip(2, 1), host_ip(4, 1)
    message = Negotiation(MessageType.REQUEST, A, 100_000, 0, RTT_US)
    reaction = twin.message(message, sender, receiver)
    assert reaction is not None
    assert reaction.message == message
    twin.message(Negotiation(MessageType.SUCCESS, A, 100_000, 0, RTT_US), sender, receiver)
    twin.check_state()


GOOD_REQUEST = Negotiation(MessageType.REQUEST, B, 1000, 10, RTT_US).encode()
GOOD_REDUCE = Adjustment(MessageType.REDUCE, A, 10).encode()


def put(payload: bytes, offset: int, replacement: bytes) -> bytes:
    return payload[:offset] + replacement + payload[offset + len(replacement) :]


MALFORMED = {
    "empty": (ErrorReason.LENGTH, b""),
    "one byte": (ErrorReason.LENGTH, b"\x00"),
    "short by one": (ErrorReason.LENGTH, GOOD_REQUEST[:-1]),
    "long by one": (ErrorReason.LENGTH, GOOD_REQUEST + b"\x00"),
    "long": (ErrorReason.LENGTH, GOOD_REQUEST * 40),
    "version 0": (ErrorReason.VERSION, put(GOOD_REQUEST, 2, b"\x00")),
    "version 2": (ErrorReason.VERSION, put(GOOD_REQUEST, 2, b"\x02")),
    "type 0": (ErrorReason.TYPE, put(GOOD_REQUEST, 0, b"\x00\x00")),
    "type of an entry": (ErrorReason.TYPE, put(GOOD_REQUEST, 0, b"\x00\x31")),
    "type ffff": (ErrorReason.TYPE, put(GOOD_REQUEST, 0, b"\xff\xff")),
    "flag 4": (ErrorReason.FLAGS, put(GOOD_REQUEST, 3, b"\x04")),
    "all flags": (ErrorReason.FLAGS, put(GOOD_REDUCE, 3, b"\xff")),
    "max 0": (ErrorReason.MAX_ZERO, put(GOOD_REQUEST, 20, bytes(4))),
    "success with max 0": (ErrorReason.MAX_ZERO, put(put(GOOD_REQUEST, 20, bytes(4)), 1, b"\x12")),
    "failure with max 0": (ErrorReason.MAX_ZERO, put(put(GOOD_REQUEST, 20, bytes(4)), 1, b"\x13")),
    "min above max": (ErrorReason.MIN_ABOVE_MAX, put(GOOD_REQUEST, 24, (1001).to_bytes(4, "big"))),
    "rtt 0": (ErrorReason.RTT, put(GOOD_REQUEST, 28, bytes(4))),
    "rtt 2^24": (ErrorReason.RTT, put(GOOD_REQUEST, 28, (2**24).to_bytes(4, "big"))),
    "rtt 2^32-1": (ErrorReason.RTT, put(GOOD_REQUEST, 28, b"\xff" * 4)),
    "reserved": (ErrorReason.RESERVED, put(GOOD_REDUCE, 31, b"\x01")),
    "reserved, first half": (ErrorReason.RESERVED, put(GOOD_REDUCE, 24, b"\x01")),
    "reserved in a terminate": (ErrorReason.RESERVED, put(put(GOOD_REDUCE, 31, b"\x01"), 1, b"\x23")),
    "reduce to 0": (ErrorReason.SPEED_ZERO, put(GOOD_REDUCE, 20, bytes(4))),
    "increase to 0": (ErrorReason.SPEED_ZERO, put(put(GOOD_REDUCE, 20, bytes(4)), 1, b"\x22")),
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("is_with_data", [True, False])
def test_malformed_message_is_counted_forwarded_and_ignored(twin: Twin, name: str, is_with_data: bool) -> None:
    reason, payload = MALFORMED[name]
    admit(twin, A)
    before = dict(twin.model.records)
    source, destination = (SENDERS[A], RECEIVERS[A]) if is_with_data else (RECEIVERS[A], SENDERS[A])
    twin.send(Envelope(1 if is_with_data else 2, source, destination), payload)
    assert twin.model.errors == {reason: 1}
    assert twin.model.records == before
    twin.check_state()


def test_wrong_checksum_is_malformed_and_none_is_not(twin: Twin) -> None:
    twin.send(Envelope(1, SENDERS[B], RECEIVERS[B], checksum=0x1234), GOOD_REQUEST)
    assert twin.model.errors == {ErrorReason.CHECKSUM: 1}
    twin.send(Envelope(1, SENDERS[B], RECEIVERS[B], checksum=0), GOOD_REQUEST)
    assert twin.model.ports[2].count == 1
    twin.send(Envelope(1, SENDERS[A], RECEIVERS[A], checksum=0), Negotiation(MessageType.REQUEST, A, 10**6, 0, 1).encode())
    assert twin.model.ports[2].count == 2
    twin.check_state()


def test_checksum_that_comes_out_as_zero_is_sent_as_ffff(twin: Twin) -> None:
    for low in range(0x10000):
        message = Negotiation(MessageType.REQUEST, TransmissionId(0x1122_3344_5566_0000 | low, 1, 0), 20_000, 0, RTT_US)
        frame = Envelope(1, SENDERS[A], RECEIVERS[A]).frame(message.encode())
        if frame[40:42] == b"\xff\xff":
            break
        if low == 0:  # jump to where the ones' complement sum comes out
            shift = int.from_bytes(frame[40:42], "big")
            message = Negotiation(MessageType.REQUEST, TransmissionId(0x1122_3344_5566_0000 | shift, 1, 0), 20_000, 0, RTT_US)
            break
    frame = Envelope(1, SENDERS[A], RECEIVERS[A]).frame(message.encode())
    assert frame[40:42] == b"\xff\xff"
    twin.message(message, SENDERS[A], RECEIVERS[A])
    assert not twin.model.errors
    twin.check_state()


def test_highest_rates_do_not_wrap(twin: Twin) -> None:
    top = 2**32 - 1
    request(twin, A, max_kbps=top)
    back(twin, MessageType.SUCCESS, A, top)
    back(twin, MessageType.REDUCE, A, top)
    request(twin, A, max_kbps=top, min_kbps=top)
    twin.check_state()


def test_arrivals_are_counted_for_whole_windows(twin: Twin) -> None:
    for round_number in range(4):
        for number in range(20):
            who = TransmissionId(round_number << 8 | number, 0, 0)
            message = Negotiation(MessageType.REQUEST, who, 10**6, 0, 2**24 - 1)
            twin.message(message, host_ip(1, number + 1), host_ip(3, 1))
            twin.wait(50_000)
        twin.wait(round_number * 500_000)
    assert twin.model.ports[3].arrivals.current + twin.model.ports[3].arrivals.previous > 0
    twin.check_state()


@pytest.mark.parametrize("taken", range(5))
def test_record_takes_the_first_free_way(twin: Twin, taken: int) -> None:
    """Others' records are put into the first slots of an id behind the switch's back; with all four it is refused."""
    slots = candidate_slots(C, 2)
    for slot in slots[:taken]:
        twin.model.records[slot] = Record(TransmissionId(slot, 9, 9), 3, 1, 1, slot, 1, False, 0)
        twin.nodectl.switch.write_register("record_port", slot, 0x8003)
    reaction = request(twin, C)
    assert reaction.event is not None
    if taken < 4:
        assert reaction.event.slot == slots[taken]
        assert back(twin, MessageType.TERMINATE, C, 0).event is not None
    else:
        assert reaction.is_turned_round
        assert reaction.event.verdict == RefusedVerdict.STORE_FULL
        assert twin.nodectl.errors() == {ErrorReason.STORE_FULL: 1}


# Forwarding of everything else


def ethernet(port: int) -> Ether:
    return Ether(src=neighbour_mac(port), dst=switch_mac(port))


@pytest.mark.parametrize(
    "inner",
    [
        ICMP() / Raw(b"ping" * 10),
        TCP(sport=5001, dport=UDP_PORT) / Raw(b"x" * 1400),
        UDP(sport=UDP_PORT, dport=UDP_PORT + 1) / Raw(GOOD_REQUEST),
        UDP(sport=5000, dport=UDP_PORT) / Raw(GOOD_REQUEST),
        UDP(sport=UDP_PORT, dport=UDP_PORT, chksum=1) / Raw(GOOD_REQUEST[:5]),
    ],
    ids=["icmp", "tcp", "other destination port", "other source port", "short"],
)
def test_everything_else_is_forwarded(twin: Twin, inner: ICMP) -> None:
    ip = IP(src=text(host_ip(1, 1)), dst=text(host_ip(4, 1)), ttl=9, tos=0x2E)
    frames = twin.nodectl.switch.send(1, bytes(ethernet(1) / ip / inner), 1000)
    ip.ttl = 8
    assert frames == {4: [bytes(Ether(src=switch_mac(4), dst=neighbour_mac(4)) / ip / inner)]}


@pytest.mark.parametrize(
    "packet",
    [
        IP(src="10.0.1.1", dst="10.0.4.1", ttl=1) / ICMP(),
        IP(src="10.0.1.1", dst="10.0.4.1", ttl=0) / ICMP(),
        IP(src="10.0.1.1", dst="192.168.0.1") / ICMP(),
        IP(src="10.0.1.1", dst="10.0.4.1", chksum=1) / ICMP(),
        IP(src="10.0.1.1", dst="10.0.4.1", options=[b"\x01\x01\x01\x01"]) / ICMP(),
        IP(src="10.0.1.1", dst="10.0.4.1", version=5) / ICMP(),
        ARP(),
        Raw(b""),
        Raw(b"\x45"),
    ],
    ids=["ttl 1", "ttl 0", "no route", "header checksum", "options", "version", "arp", "empty", "one byte"],
)
def test_what_cannot_be_forwarded_is_dropped(twin: Twin, packet: IP) -> None:
    ether = Ether(src=neighbour_mac(1), dst=switch_mac(1), type=0x0806 if ARP in packet else 0x0800)
    assert twin.nodectl.switch.send(1, bytes(ether / packet), 1000) == {}
    assert twin.nodectl.errors() == {}


@pytest.mark.parametrize("length", [0, 1, 5, 6, 13, 14, 33, 41])
def test_stumps_of_frames_do_no_harm(twin: Twin, length: int) -> None:
    frame = Envelope(1, SENDERS[A], RECEIVERS[A]).frame(GOOD_REQUEST)
    twin.nodectl.switch.send(1, frame[:length], 1000)
    admit(twin, A)
    twin.check_state()


def test_fragments_are_not_messages(twin: Twin) -> None:
    ip = IP(src=text(host_ip(1, 1)), dst=text(host_ip(2, 1)), flags="MF")
    frame = bytes(ethernet(1) / ip / UDP(sport=UDP_PORT, dport=UDP_PORT) / Raw(GOOD_REQUEST))
    assert list(twin.nodectl.switch.send(1, frame, 1000)) == [2]
    twin.check_state()


def test_packet_out_from_a_host_is_dropped(twin: Twin) -> None:
    admit(twin, A)
    (record,) = twin.model.records.values()
    (frame,) = encode_packet_out_frames([adjustment_entry(EntryType.EXPIRE, record, 0)] * 3)
    assert twin.nodectl.switch.send(1, frame, 1000) == {}
    twin.model.handle_malformed(ErrorReason.FORGED_BATCH)
    twin.check_state()


@pytest.mark.parametrize("cut", [8, 20, 41])
def test_cut_packet_out_is_dropped(twin: Twin, cut: int) -> None:
    (frame,) = encode_packet_out_frames([Entry(EntryType.READ_PORT, 2)] * 3)
    assert twin.nodectl.switch.send(CPU_PORT, frame[:cut], 1000) == {}
