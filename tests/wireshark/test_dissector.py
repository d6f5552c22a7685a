"""The dissector against the wire schema, field by field; what is malformed against protocol.wire, which says so of the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum, IntFlag
from ipaddress import IPv4Address
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from protocol.codes import ADJUSTMENT_TYPES, KNOWN_FLAGS, VERDICTS, VERSION_2_TYPES, ErrorReason, EventType, Flags, MessageType
from protocol.constants import MAX_BATCH_ENTRIES, MAX_RTT_US, UDP_PORT
from protocol.headers import MESSAGE_BYTES, Entry, Event, MessageHeader, PacketOutHeader, TransmissionId
from protocol.layout import Header, LayoutField, Shown, layout_of
from protocol.scapy_layers import Nodectl, NodectlEntry, NodectlEvent, NodectlPacketOut
from protocol.wire import Adjustment, MessageError, decode
from tests.wireshark.conftest import Layers, Tshark

PREFIXES: dict[str, type[Header]] = {
    "nodectl": MessageHeader,
    "nodectl_event": Event,
    "nodectl_batch": PacketOutHeader,
    "nodectl_batch.entry": Entry,
}

BITS = {field.name: field.bits for field in layout_of(MessageHeader).fields}

FRAMES = 150
"""Dissected by one call of tshark."""


def message_frame(payload: bytes | Packet, **udp: int) -> Packet:
    return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.4") / udp_of(payload, **udp)


def udp_of(payload: bytes | Packet, **udp: int) -> Packet:
    return made(UDP, {"sport": UDP_PORT, "dport": UDP_PORT} | udp) / (Raw(payload) if isinstance(payload, bytes) else payload)


def made(layer: Callable[..., Packet], fields: Mapping[str, Any]) -> Packet:
    """A Scapy layer with these values."""
    return layer(**fields)


def request(**fields: Any) -> Packet:
    return made(Nodectl, {"type": MessageType.REQUEST, "content_id": 0x1234, "max_kbps": 36000, "rtt_us": 50000} | fields)


def number(shown: Any) -> int:
    """What tshark writes for a number, a truth value or an address."""
    if shown in ("True", "False"):
        return int(shown == "True")
    return int(IPv4Address(shown)) if shown.count(".") == 3 else int(shown, 0)


def numbers(layer: Layers, prefix: str) -> dict[str, int]:
    """The numbers of a layer's fields, by their names without the prefix."""
    shown = {name.removeprefix(prefix + "."): value for name, value in layer.items() if name.startswith(prefix + ".")}
    return {name: number(value) for name, value in shown.items() if isinstance(value, str) and name != "verdict_name"}


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


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_field_is_declared_as_in_the_schema(tshark: Tshark, prefix: str) -> None:
    declared = {}
    for line in tshark.run("-G", "fields").splitlines():
        kind, _, *rest = line.split("\t")
        if kind == "F" and rest[0].startswith("nodectl"):
            declared[rest[0]] = rest[1]
    for field in layout_of(PREFIXES[prefix]).fields:
        if field.shown is Shown.IPV4_ADDRESS:
            expected = "FT_IPv4"
        else:
            expected = "FT_BOOLEAN" if field.kind is bool else f"FT_UINT{64 if field.bits == 48 else field.bits}"
        assert declared[f"{prefix}.{field.name}"] == expected


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_enumeration_has_its_names(tshark: Tshark, prefix: str) -> None:
    named: dict[str, dict[int, str]] = {}
    for line in tshark.run("-G", "values").splitlines():
        if line.startswith("V\tnodectl"):
            _, abbreviation, value, name = line.split("\t")
            named.setdefault(abbreviation, {})[int(value, 0)] = name
    for field in layout_of(PREFIXES[prefix]).fields:
        if issubclass(field.kind, IntEnum) and not issubclass(field.kind, IntFlag):
            assert named[f"{prefix}.{field.name}"] == {
                int(kind): kind.name.lower() for kind in field.kind if kind is not MessageType.CHALLENGE
            }
    assert named["nodectl.error"] == {int(one): one.name.lower() for one in ErrorReason if one < ErrorReason.UNKNOWN_ID}


VERSION_1_TYPES = [kind for kind in MessageType if kind not in VERSION_2_TYPES]


@pytest.mark.parametrize("kind", VERSION_1_TYPES, ids=lambda kind: kind.name.lower())
def test_messages_field_by_field(tshark: Tshark, kind: MessageType) -> None:
    wanted = [fields | {"type": int(kind)} for fields in drawn(headers_of(MessageHeader))]
    layers = tshark.dissect([message_frame(made(Nodectl, fields)) for fields in wanted])
    assert len(layers) == len(wanted) > FRAMES // 2
    for fields, layer in zip(wanted, layers, strict=True):
        shown = layer["nodectl"]
        found = numbers(shown, "nodectl")
        if kind in ADJUSTMENT_TYPES:
            assert found.pop("speed_kbps") == fields["max_kbps"]
            assert [number(one) for one in shown["nodectl.reserved"]] == [fields["min_kbps"], fields["rtt_us"]]
            fields = {name: value for name, value in fields.items() if name not in ("max_kbps", "min_kbps", "rtt_us")}
        assert {name: found[name] for name in fields} == fields
        flags = numbers(shown["nodectl.flags_tree"], "nodectl.flags")
        assert {name: flags[name] for name in flags if not name.startswith("_")} == {
            str(flag.name).lower(): int(bool(fields["flags"] & flag)) for flag in Flags if flag & KNOWN_FLAGS
        }


def test_an_adjustment_is_read_as_protocol_reads_it(tshark: Tshark) -> None:
    """The names of what stands in an adjustment's fields are given by hand in wireshark/schema.py."""
    message = Adjustment(MessageType.REDUCE, TransmissionId(1, 2, 3), speed_kbps=4)
    found = numbers(tshark.dissect([message_frame(message.encode())])[0]["nodectl"], "nodectl")
    assert found["speed_kbps"] == message.speed_kbps


def test_events_field_by_field(tshark: Tshark) -> None:
    frame = bytes(message_frame(request()))
    wanted = drawn(headers_of(Event))
    for fields, layer in zip(wanted, tshark.dissect_control([bytes(made(NodectlEvent, one)) + frame for one in wanted]), strict=True):
        found = numbers(layer["nodectl_event"], "nodectl_event")
        assert {name: found[name] for name in fields} == fields
        assert number(layer["nodectl"]["nodectl.max_kbps"]) == 36000


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
def nearly_right(draw: st.DrawFn) -> bytes:
    """A message with one or two fields that are likely to be wrong, and sometimes of another length."""
    fields = draw(headers_of(MessageHeader)) | {"version": 1, "flags": draw(st.integers(0, 3))}
    if fields["type"] in ADJUSTMENT_TYPES:
        fields |= {"min_kbps": 0, "rtt_us": 0}
    else:
        fields |= {"min_kbps": 0, "rtt_us": draw(st.integers(1, MAX_RTT_US))}
    for name in draw(st.sets(st.sampled_from(layout_of(MessageHeader).names), max_size=2)):
        fields[name] = draw(st.sampled_from([0, 1, 4, 0xFF, MAX_RTT_US + 1, 2**32 - 1])) & (1 << BITS[name]) - 1
    data = bytes(made(Nodectl, fields))
    length = draw(st.sampled_from([MESSAGE_BYTES] * 8 + [1, 2, 19, 31, 33, 64]))
    return data[:length].ljust(length, b"\0")


def test_what_is_malformed_is_marked_with_the_reason_that_a_switch_counts(tshark: Tshark) -> None:
    payloads = drawn(nearly_right())
    reasons = [reason_of(payload) for payload in payloads]
    assert len(set(reasons)) >= 7, "the examples show too little"
    for payload, reason, layer in zip(payloads, reasons, tshark.dissect([message_frame(one) for one in payloads]), strict=True):
        shown = layer["nodectl"]
        assert (None if "nodectl.error" not in shown else number(shown["nodectl.error"])) == reason, payload.hex()
        assert ("nodectl.malformed." in str(shown)) == (reason is not None)


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
    packets = [message_frame(request(flags=1)), message_frame(request(version=7)), message_frame(Nodectl(type=0x21, max_kbps=9000))]
    tshark.dissect(packets)
    lines = tshark.run("-r", tshark.home / "packets.pcap", "-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info").splitlines()
    assert lines == [
        "Nodectl\tRequest 0000000000001234/0/0 max=36000 min=0 rtt=50000 [renegotiation]",
        "Nodectl\tRequest 0000000000001234/0/0 max=36000 min=0 rtt=50000 [malformed: version 7, not 1]",
        "Nodectl\tReduce 0000000000000000/0/0 speed=9000",
    ]


@pytest.mark.parametrize(
    ("display_filter", "found"),
    [
        ("nodectl", 4),
        ("nodectl.type == 0x11", 3),
        ("nodectl.type == 0x21 && nodectl.speed_kbps < 10000", 1),
        ("nodectl.flags.renegotiation == 1", 1),
        ("nodectl.error", 1),
        ("nodectl.malformed.version", 1),
        ("nodectl.content_id == 0x1234 && !nodectl.error", 2),
        ('_ws.expert.severity == "Error"', 1),
    ],
)
def test_filters(tshark: Tshark, display_filter: str, found: int) -> None:
    packets = [request(), request(flags=1), request(version=7), Nodectl(type=0x21, max_kbps=9000)]
    assert len(tshark.dissect([message_frame(one) for one in packets], "-Y", display_filter)) == found
