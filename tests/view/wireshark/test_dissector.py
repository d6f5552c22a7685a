"""The dissector against the wire schema, field by field; malformed bytes against protocol.wire, which refuses the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum, IntFlag
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from protocol.codes import (
    ADJUSTMENT_TYPES,
    KNOWN_FLAGS,
    KNOWN_FLAGS_2,
    VERDICTS,
    VERSION_2_TYPES,
    ErrorReason,
    EventType,
    Flags,
    MessageType,
)
from protocol.constants import MAX_BATCH_ENTRIES, MAX_RTT_US, UDP_PORT, VERSION
from protocol.deployable_headers import EXTENDED_BYTES, VERSION_2, DeployableEvent, MessageExtension
from protocol.headers import MESSAGE_BYTES, Entry, Event, MessageHeader, PacketOutHeader, TransmissionId
from protocol.layout import Header, LayoutField, Shown, layout_of
from protocol.scapy_layers import Nodectl, NodectlEntry, NodectlEvent, NodectlPacketOut
from protocol.telemetry import MOST_HOPS, Hop, Telemetry, TelemetryHeader, TelemetryType
from protocol.wire import Adjustment, MessageError
from protocol.wire_v2 import ExtendedAdjustment, decode
from tests.harness.long_tests import examples
from tests.view.wireshark.conftest import Tshark, number, numbers

DECLARED: list[tuple[str, type[Header]]] = [
    ("nodectl", MessageHeader),
    ("nodectl", MessageExtension),
    ("nodectl_event", Event),
    ("nodectl_event", DeployableEvent),
    ("nodectl_batch", PacketOutHeader),
    ("nodectl_batch.entry", Entry),
    ("nodectl_int", TelemetryHeader),
    ("nodectl_int.hop", Hop),
]
"""Every header that Nodectl sends, with the prefix of its fields' names."""

every_header = pytest.mark.parametrize(
    ("prefix", "header"), DECLARED, ids=lambda value: value if isinstance(value, str) else value.__name__
)

SIZES = {VERSION: MESSAGE_BYTES, VERSION_2: EXTENDED_BYTES}
FLAGS = {VERSION: KNOWN_FLAGS, VERSION_2: KNOWN_FLAGS_2}

FIELDS = {
    VERSION: layout_of(MessageHeader).fields,
    VERSION_2: (*layout_of(MessageHeader).fields, *layout_of(MessageExtension).fields),
}
BITS = {field.name: field.bits for field in layout_of(MessageHeader).fields}

EVENT_EXTRAS = ("verdict_name", "verdict_tree")

FRAMES = examples(150)
"""Of a kind that are dissected."""

Dissected = tuple[dict[str, int], dict[str, Any]]
"""The numbers in a header, and the layers that tshark shows."""


def message_frame(payload: bytes | Packet, **udp: int) -> Packet:
    return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.4") / udp_of(payload, **udp)


def udp_of(payload: bytes | Packet, **udp: int) -> Packet:
    return made(UDP, {"sport": UDP_PORT, "dport": UDP_PORT} | udp) / (Raw(payload) if isinstance(payload, bytes) else payload)


def made(layer: Callable[..., Packet], fields: Mapping[str, Any]) -> Packet:
    """A Scapy layer with these values."""
    return layer(**fields)


def request(**fields: Any) -> Packet:
    return made(Nodectl, {"type": MessageType.REQUEST, "content_id": 0x1234, "max_kbps": 36000, "rtt_us": 50000} | fields)


def headers_of(header: type[Header]) -> st.SearchStrategy[dict[str, int]]:
    """Numbers for a header's fields: any that fit, but of enumerations those that mean something."""
    return st.fixed_dictionaries({field.name: numbers_of(field) for field in layout_of(header).fields})


def numbers_of(field: LayoutField) -> st.SearchStrategy[int]:
    if issubclass(field.kind, IntEnum):
        return st.sampled_from([int(kind) for kind in field.kind])
    return st.booleans().map(int) if field.kind is bool else st.integers(0, (1 << field.bits) - 1)


def drawn(strategy: st.SearchStrategy[Any]) -> list[Any]:
    """Some values, the same in every run: tshark is started once for all of them."""
    found: list[Any] = []

    @settings(max_examples=FRAMES, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def draw(value: Any) -> None:
        found.append(value)

    draw()
    return found


def dissected(
    wanted: Mapping[Any, Sequence[dict[str, int]]], packet: Callable[[Any, dict[str, int]], Any], dissect: Callable[[list[Any]], list[Any]]
) -> dict[Any, list[Dissected]]:
    """The numbers of each kind, and tshark's view of them, by one call of it."""
    layers = iter(dissect([packet(kind, fields) for kind, those in wanted.items() for fields in those]))
    found = {kind: [(fields, next(layers)) for fields in those] for kind, those in wanted.items()}
    assert next(layers, None) is None
    return found


@pytest.fixture(scope="module")
def declared(tshark: Tshark) -> dict[str, str]:
    """The types of all fields by their names."""
    rows = [line.split("\t") for line in tshark.run("-G", "fields").splitlines() if line.startswith("F\t")]
    return {name: kind for _, _, name, kind, *_ in rows if name.startswith("nodectl")}


@pytest.fixture(scope="module")
def named(tshark: Tshark) -> dict[str, dict[int, str]]:
    """The names of all fields' numbers."""
    found: dict[str, dict[int, str]] = {}
    for line in tshark.run("-G", "values").splitlines():
        if line.startswith("V\tnodectl"):
            _, abbreviation, value, name = line.split("\t")
            found.setdefault(abbreviation, {})[int(value, 0)] = name
    return found


@every_header
def test_every_field_is_declared_as_in_the_schema(declared: dict[str, str], prefix: str, header: type[Header]) -> None:
    for field in layout_of(header).fields:
        if field.shown is Shown.IPV4_ADDRESS:
            expected = "FT_IPv4"
        else:
            expected = "FT_BOOLEAN" if field.kind is bool else f"FT_UINT{64 if field.bits == 48 else field.bits}"
        assert declared[f"{prefix}.{field.name}"] == expected


@every_header
def test_every_enumeration_has_its_names(named: dict[str, dict[int, str]], prefix: str, header: type[Header]) -> None:
    for field in layout_of(header).fields:
        if issubclass(field.kind, IntEnum) and not issubclass(field.kind, IntFlag):
            assert named[f"{prefix}.{field.name}"] == {int(kind): kind.name.lower() for kind in field.kind}
    assert named["nodectl.error"] == {int(one): one.name.lower() for one in ErrorReason if one < ErrorReason.UNKNOWN_ID}


def test_telemetry_record_by_record(tshark: Tshark) -> None:
    hops = [Hop(link_kbps=36_000, queue_packets=place, sent_bytes=2**40 + place, left_us=5 * place) for place in range(MOST_HOPS)]
    questions = [Telemetry(kind, TransmissionId(0x1234, 5), tuple(hops[:count])) for kind in TelemetryType for count in (0, 1, MOST_HOPS)]
    for question, layers in zip(questions, tshark.dissect([message_frame(one.encode()) for one in questions]), strict=True):
        shown = layers["nodectl_int"]
        assert number(shown["nodectl_int.type"]) == question.type
        assert number(shown["nodectl_int.content_id"]) == 0x1234
        branches = shown.get("_ws.lua.text", [])
        records = branches if isinstance(branches, list) else [branches]
        assert [number(record["nodectl_int.hop.sent_bytes"]) for record in records] == [hop.sent_bytes for hop in question.hops]
        assert [number(record["nodectl_int.hop.queue_packets"]) for record in records] == [hop.queue_packets for hop in question.hops]
        assert "nodectl_int.malformed" not in str(shown)


def test_malformed_telemetry_is_marked(tshark: Tshark) -> None:
    whole = Telemetry(TelemetryType.QUESTION, TransmissionId(1, 2), (Hop(link_kbps=1, queue_packets=2, sent_bytes=3, left_us=4),)).encode()
    broken = [whole[:-1], whole + b"x", whole[:2] + b"\x02" + whole[3:], whole[:3] + b"\xff" + whole[4:], whole[:5]]
    for layers in tshark.dissect([message_frame(one) for one in broken]):
        assert "nodectl_int.malformed" in str(layers["nodectl_int"])


KINDS = [
    *((VERSION, kind) for kind in MessageType if kind not in VERSION_2_TYPES),
    *((VERSION_2, kind) for kind in MessageType),
]
"""Every version with every type that it has."""


@st.composite
def messages_of(draw: st.DrawFn, version: int, kind: MessageType) -> dict[str, int]:
    """Numbers for every field of a message of that version."""
    fields = draw(headers_of(MessageHeader)) | {"type": int(kind), "version": version}
    return fields | (draw(headers_of(MessageExtension)) if version == VERSION_2 else {})


def message_of(version: int, fields: Mapping[str, int]) -> bytes:
    """The bytes of a message as long as that version's, whatever the numbers in it say."""
    return b"".join(fields[field.name].to_bytes(field.bits // 8, "big") for field in FIELDS[version])


@pytest.fixture(scope="module")
def messages(tshark: Tshark) -> dict[tuple[int, MessageType], list[Dissected]]:
    """Some messages of every kind."""
    wanted = {kind: drawn(messages_of(*kind)) for kind in KINDS}
    return dissected(wanted, lambda kind, fields: message_frame(message_of(kind[0], fields)), tshark.dissect)


@pytest.mark.parametrize(("version", "kind"), KINDS, ids=lambda value: value.name.lower() if isinstance(value, MessageType) else str(value))
def test_messages_field_by_field(messages: dict[tuple[int, MessageType], list[Dissected]], version: int, kind: MessageType) -> None:
    those = messages[version, kind]
    assert {len(message_of(version, fields)) for fields, _ in those} == {SIZES[version]}
    assert len(those) > FRAMES // 2
    for fields, layer in those:
        shown = layer["nodectl"]
        found = numbers(shown, "nodectl")
        if kind in ADJUSTMENT_TYPES:
            assert found.pop("speed_kbps") == fields["max_kbps"]
            assert [number(one) for one in shown["nodectl.reserved"]] == [fields["min_kbps"], fields["rtt_us"]]
            fields = {name: value for name, value in fields.items() if name not in ("max_kbps", "min_kbps", "rtt_us")}
        assert {name: found[name] for name in found if name not in ("error", "flags_tree")} == fields
        flags = numbers(shown["nodectl.flags_tree"], "nodectl.flags")
        assert {name: flags[name] for name in flags if not name.startswith("_")} == {
            str(flag.name).lower(): int(bool(fields["flags"] & flag)) for flag in Flags if flag
        }


@pytest.mark.parametrize(
    "message",
    [
        Adjustment(MessageType.REDUCE, TransmissionId(1, 2, 3), speed_kbps=4),
        ExtendedAdjustment(MessageType.REDUCE, TransmissionId(1, 2, 3), speed_kbps=4, extension=MessageExtension(sequence=5)),
    ],
    ids=["1", "2"],
)
def test_an_adjustment_is_read_as_protocol_reads_it(tshark: Tshark, message: Adjustment) -> None:
    """The names of the values in an adjustment's fields are given by hand in view/wireshark/schema.py."""
    shown = tshark.dissect([message_frame(message.encode())])[0]["nodectl"]
    assert numbers(shown, "nodectl")["speed_kbps"] == message.speed_kbps
    assert "nodectl.error" not in shown


CAUSES = {"a message": bytes(message_frame(request())), "an entry": b""}
EVENTS = [(header, cause) for header in (Event, DeployableEvent) for cause in CAUSES]
"""Every header of an event with each of its causes."""


@pytest.fixture(scope="module")
def events(tshark: Tshark) -> dict[tuple[type[Event], str], list[Dissected]]:
    """Some events of every header with each of its causes."""

    def packet(kind: tuple[type[Event], str], fields: dict[str, int]) -> bytes:
        header, cause = kind
        return layout_of(header).pack(layout_of(header).build(fields)) + CAUSES[cause]

    return dissected({kind: drawn(headers_of(kind[0])) for kind in EVENTS}, packet, tshark.dissect_control)


@pytest.mark.parametrize(("header", "cause"), EVENTS)
def test_events_field_by_field(events: dict[tuple[type[Event], str], list[Dissected]], header: type[Event], cause: str) -> None:
    assert len(events[header, cause]) > FRAMES // 2
    for fields, layer in events[header, cause]:
        found = numbers(layer["nodectl_event"], "nodectl_event")
        assert {name: found[name] for name in found if name not in EVENT_EXTRAS} == fields
        assert not CAUSES[cause] or number(layer["nodectl"]["nodectl.max_kbps"]) == 36000


def test_verdicts_have_names(tshark: Tshark) -> None:
    zeros = dict.fromkeys(layout_of(Event).names, 0)
    pairs = [(event, verdict) for event in EventType for verdict in range(5)]
    layers = tshark.dissect_control([bytes(made(NodectlEvent, zeros | {"event": event, "verdict": verdict})) for event, verdict in pairs])
    for (event, verdict), layer in zip(pairs, layers, strict=True):
        names = {int(one): one.name.lower() for one in VERDICTS.get(event, ())}
        shown = layer["nodectl_event"]
        assert shown.get("nodectl_event.verdict_name") == names.get(verdict)
        assert ("Malformed" in str(shown) or "unknown verdict" in str(shown)) == (verdict != 0 and verdict not in names)


def test_batches_field_by_field(tshark: Tshark) -> None:
    batches = [entries[: 1 + index % 3] for index, entries in enumerate(drawn(st.lists(headers_of(Entry), min_size=3, max_size=3)))]
    packets = []
    for entries in batches:
        packet: Packet = NodectlPacketOut(count=len(entries))
        for fields in entries:
            packet /= made(NodectlEntry, fields)
        packets.append(bytes(packet))
    for entries, layer in zip(batches, tshark.dissect_control(packets), strict=True):
        shown = layer["nodectl_batch"]
        branches = shown["nodectl_batch"]
        assert number(shown["nodectl_batch.count"]) == len(entries)
        for fields, branch in zip(entries, branches if isinstance(branches, list) else [branches], strict=True):
            assert numbers(branch, "nodectl_batch.entry") == fields


def test_wrong_batches_are_marked(tshark: Tshark) -> None:
    entry = bytes(NodectlEntry(type=0x21))
    wrong = {
        "too many": bytes(NodectlPacketOut(count=MAX_BATCH_ENTRIES + 1)) + entry * (MAX_BATCH_ENTRIES + 1),
        "none": bytes(NodectlPacketOut(count=0)),
        "cut off": bytes(NodectlPacketOut(count=2)) + entry,
        "trailing": bytes(NodectlPacketOut(count=1)) + entry + b"x",
        "unknown type": bytes(NodectlPacketOut(count=1)) + bytes(NodectlEntry(type=0x99)),
        "short event": bytes(NodectlEvent(event=1))[:40],
        "unknown event": bytes(NodectlEvent(event=1)).replace(b"\x01", b"\x63", 1),
    }
    for name, layer in zip(wrong, tshark.dissect_control(list(wrong.values())), strict=True):
        assert ".malformed" in str(layer), name


def reason_of(payload: bytes) -> ErrorReason | None:
    try:
        decode(payload)
    except MessageError as error:
        return error.reason
    return None


@st.composite
def nearly_right(draw: st.DrawFn, version: int) -> bytes:
    """A message with one or two fields that are likely to be wrong, and sometimes of another length."""
    types = [kind for kind in MessageType if version == VERSION_2 or kind not in VERSION_2_TYPES]
    fields = draw(messages_of(version, draw(st.sampled_from(types)))) | {"flags": draw(st.sampled_from(range(FLAGS[version] + 1)))}
    fields |= {"min_kbps": 0, "rtt_us": 0 if fields["type"] in ADJUSTMENT_TYPES else draw(st.integers(1, MAX_RTT_US))}
    for name in draw(st.sets(st.sampled_from(layout_of(MessageHeader).names), max_size=2)):
        fields[name] = draw(st.sampled_from([0, 1, 2, 4, 8, 0x14, 0xFF, MAX_RTT_US + 1, 2**32 - 1])) & (1 << BITS[name]) - 1
    data = message_of(version, fields)
    length = draw(st.sampled_from([SIZES[version]] * 8 + [1, 2, 19, 31, 32, 33, 55, 56, 57, 64]))
    return data[:length].ljust(length, b"\0")


def right_message(version: int, /, **fields: int) -> bytes:
    """A request of that version, but for these fields."""
    every = dict.fromkeys([field.name for field in FIELDS[version]], 0)
    every |= {"type": MessageType.REQUEST, "version": version, "max_kbps": 36000, "rtt_us": 50000} | fields
    return message_of(version, every)


def one_of_each_reason(version: int) -> list[bytes]:
    """Messages of that version with one mistake each, of every kind that `decode` finds."""
    wrong: list[dict[str, int]] = [
        {"version": 3}, {"type": 0x15}, {"flags": 8}, {"max_kbps": 0}, {"min_kbps": 36001}, {"rtt_us": 0},
        {"type": MessageType.REDUCE}, {"type": MessageType.REDUCE, "rtt_us": 0, "max_kbps": 0},
    ]  # fmt: skip
    return [right_message(version)[:-1], *(right_message(version, **fields) for fields in wrong)]


@pytest.mark.parametrize("version", [VERSION, VERSION_2])
def test_what_is_malformed_is_marked_with_the_reason_that_a_switch_counts(tshark: Tshark, version: int) -> None:
    payloads = [*one_of_each_reason(version), *drawn(nearly_right(version))]
    reasons = [reason_of(payload) for payload in payloads]
    shown_by_checksums = {ErrorReason.CHECKSUM}
    assert set(reasons) >= {None, *(one for one in ErrorReason if one < ErrorReason.UNKNOWN_ID)} - shown_by_checksums
    for payload, reason, layer in zip(payloads, reasons, tshark.dissect([message_frame(one) for one in payloads]), strict=True):
        shown = layer["nodectl"]
        assert (None if "nodectl.error" not in shown else number(shown["nodectl.error"])) == reason, payload.hex()
        assert ("nodectl.malformed." in str(shown)) == (reason is not None)


MALFORMED: dict[str, tuple[bytes, ErrorReason, str]] = {
    "version 1, cut off": (right_message(VERSION)[:-1], ErrorReason.LENGTH, "31 bytes, 1 too few"),
    "version 1, too long": (right_message(VERSION) + b"x", ErrorReason.LENGTH, "33 bytes, the last 1 are too many"),
    "version 1, as long as version 2": (
        right_message(VERSION).ljust(EXTENDED_BYTES),
        ErrorReason.VERSION,
        "version 1, but 56 bytes are version 2",
    ),
    "version 1, a type of version 2": (
        right_message(VERSION, type=MessageType.CHALLENGE),
        ErrorReason.TYPE,
        "type 0x0014 is unknown in version 1",
    ),
    "version 1, a flag of version 2": (
        right_message(VERSION, flags=Flags.AGAIN),
        ErrorReason.FLAGS,
        "flag bits in 0x04 that are unknown in version 1",
    ),
    "version 2, cut off": (right_message(VERSION_2)[:-1], ErrorReason.LENGTH, "55 bytes, 1 too few"),
    "version 2, too long": (right_message(VERSION_2) + b"x", ErrorReason.LENGTH, "57 bytes, the last 1 are too many"),
    "version 2, as long as version 1": (
        right_message(VERSION_2)[:MESSAGE_BYTES],
        ErrorReason.VERSION,
        "version 2, but 32 bytes are version 1",
    ),
    "version 2, an unknown type": (right_message(VERSION_2, type=0x15), ErrorReason.TYPE, "type 0x0015 is unknown in version 2"),
    "version 2, an unknown flag": (right_message(VERSION_2, flags=8), ErrorReason.FLAGS, "flag bits in 0x08 that are unknown in version 2"),
    "version 3": (right_message(VERSION_2, version=3), ErrorReason.VERSION, "version 3, but 56 bytes are version 2"),
}


def test_what_is_wrong_is_said(tshark: Tshark) -> None:
    layers = tshark.dissect([message_frame(payload) for payload, _, _ in MALFORMED.values()])
    for (name, (payload, reason, text)), layer in zip(MALFORMED.items(), layers, strict=True):
        assert reason_of(payload) is reason, name
        assert number(layer["nodectl"]["nodectl.error"]) == reason, name
        assert text in str(layer["nodectl"]), name


@pytest.mark.parametrize("version", [VERSION, VERSION_2])
def test_what_a_version_has_is_right(tshark: Tshark, version: int) -> None:
    """All its flags, and all its types that are no adjustments."""
    types = [kind for kind in MessageType if (version == VERSION_2 or kind not in VERSION_2_TYPES) and kind not in ADJUSTMENT_TYPES]
    payloads = [right_message(version, flags=FLAGS[version], type=kind) for kind in types]
    for payload, layer in zip(payloads, tshark.dissect([message_frame(one) for one in payloads]), strict=True):
        assert reason_of(payload) is None
        assert "alformed" not in str(layer["nodectl"])


def test_a_wrong_checksum_is_marked_and_none_is_not(tshark: Tshark) -> None:
    right, wrong, without = tshark.dissect(
        [message_frame(request()), message_frame(request(), chksum=0x1234), message_frame(request(), chksum=0)]
    )
    assert number(wrong["nodectl"]["nodectl.error"]) == ErrorReason.CHECKSUM
    assert "nodectl.error" not in right["nodectl"]
    assert "nodectl.error" not in without["nodectl"]


def test_lengths_that_contradict_each_other_are_marked(tshark: Tshark) -> None:
    longer_ip = message_frame(bytes(request()) + b"after UDP's end", len=40)
    shown = tshark.dissect([longer_ip])[0]["nodectl"]
    assert number(shown["nodectl.error"]) == ErrorReason.LENGTH


def test_what_no_switch_looks_at_is_said_so(tshark: Tshark) -> None:
    ether = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    options = ether / IP(src="10.0.0.1", dst="10.0.0.4", options=[IPOption_NOP()] * 4) / udp_of(request())
    for layer in tshark.dissect([options, ether / IPv6() / udp_of(request())]):
        assert "nodectl.not_looked_at" in str(layer["nodectl"])
    assert "nodectl.not_looked_at" not in str(tshark.dissect([message_frame(request())]))


def test_other_packets_are_left_alone(tshark: Tshark) -> None:
    other = message_frame(request(), sport=4000)
    assert "nodectl" not in tshark.dissect([other])[0]


def test_a_packet_out_on_a_link_is_marked(tshark: Tshark) -> None:
    forged = bytes(NodectlPacketOut(count=1) / NodectlEntry(type=0x21))
    assert "nodectl_batch.forged" in str(tshark.dissect([Ether(forged)]))


def test_columns(tshark: Tshark) -> None:
    extended = right_message(VERSION_2, flags=Flags.AGAIN, sequence=3, current_kbps=1000, granted_kbps=2000)
    reduce = right_message(VERSION_2, type=MessageType.REDUCE, max_kbps=9000, rtt_us=0, sequence=3)
    payloads: list[bytes | Packet] = [request(flags=1), request(version=7), Nodectl(type=0x21, max_kbps=9000), extended, reduce]
    tshark.dissect([message_frame(one) for one in payloads])
    lines = tshark.run("-r", tshark.home / "packets.pcap", "-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info").splitlines()
    assert lines == [
        "Nodectl\tRequest 0000000000001234/0/0 max=36000 min=0 rtt=50000 [renegotiation]",
        "Nodectl\tRequest 0000000000001234/0/0 max=36000 min=0 rtt=50000 [malformed: version 7, but 32 bytes are version 1]",
        "Nodectl\tReduce 0000000000000000/0/0 speed=9000",
        "Nodectl\tRequest 0000000000000000/0/0 max=36000 min=0 rtt=50000 sequence=3 current=1000 granted=2000 [again]",
        "Nodectl\tReduce 0000000000000000/0/0 speed=9000 sequence=3",
    ]


def test_columns_of_events(tshark: Tshark) -> None:
    named = TransmissionId(0x1234, 5)
    more: dict[str, Any] = {
        "port_count": 2,
        "bottleneck_sum_kbps": 0,
        "bottleneck_count": 0,
        "expected_arrivals_q8": 0,
        "slot": 7,
        "sender_ip": 1,
    }
    more |= {
        "is_bottleneck": False,
        "receiver_ip": 2,
        "last_seen_us": 3,
        "rate_kbps": 18000,
        "previous_rate_kbps": 0,
        "port_sum_kbps": 36000,
    }
    admitted: dict[str, Any] = {"event": EventType.ADMITTED, "verdict": 2, "data_port": 4, "id": named} | more
    totals: dict[str, Any] = {"event": EventType.PORT_TOTALS, "verdict": 0, "data_port": 4, "id": TransmissionId(0, 0)} | more
    events = [
        Event(**admitted),
        DeployableEvent(**admitted, reserved_kbps=9000, port_reserved_sum_kbps=30000),
        Event(**totals),
        DeployableEvent(**totals, port_reserved_sum_kbps=30000),
    ]
    tshark.dissect_control([one.encode() for one in events])
    lines = tshark.run("-r", tshark.home / "control.pcapng", "-T", "fields", "-e", "_ws.col.Info").splitlines()
    assert lines == [
        "Event admitted (reduce_others) port=4 0000000000001234/5/0 rate=18000 (was 0)",
        "Event admitted (reduce_others) port=4 0000000000001234/5/0 rate=18000 (was 0) reserved=9000",
        "Event port_totals port=4 sum=36000 of 2",
        "Event port_totals port=4 sum=36000 of 2 reserved=30000",
    ]


@pytest.mark.parametrize(
    ("display_filter", "found"),
    [
        ("nodectl", 6),
        ("nodectl.type == 0x11", 4),
        ("nodectl.version == 2", 2),
        ("nodectl.type == 0x14 && nodectl.token == 0x1234", 1),
        ("nodectl.sequence == 3", 1),
        ("nodectl.granted_kbps < nodectl.max_kbps", 1),
        ("nodectl.flags.again == 1", 1),
        ("nodectl.type == 0x21 && nodectl.speed_kbps < 10000", 1),
        ("nodectl.flags.renegotiation == 1", 1),
        ("nodectl.error", 1),
        ("nodectl.malformed.version", 1),
        ("nodectl.content_id == 0x1234 && !nodectl.error", 2),
        ('_ws.expert.severity == "Error"', 1),
    ],
)
def test_filters(tshark: Tshark, display_filter: str, found: int) -> None:
    again = right_message(VERSION_2, flags=Flags.AGAIN, sequence=3, granted_kbps=2000)
    challenge = right_message(VERSION_2, type=MessageType.CHALLENGE, granted_kbps=36000, token=0x1234)
    packets: list[bytes | Packet] = [request(), request(flags=1), request(version=7), Nodectl(type=0x21, max_kbps=9000), again, challenge]
    assert len(tshark.dissect([message_frame(one) for one in packets], "-Y", display_filter)) == found
