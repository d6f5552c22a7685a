"""Bits and bytes that follow from a header's declaration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from protocol.frames import EthernetHeader, Ipv4Header, UdpHeader
from protocol.headers import HEADERS, Entry, TransmissionId
from protocol.layout import U8, U16, Bits, FieldError, Header, layout_of
from tests.harness.header_values import headers


class Colour(IntEnum):
    RED = 1
    GREEN = 7


@dataclass(frozen=True, slots=True)
class Inner(Header):
    short: U16
    odd: Annotated[int, Bits(3)]
    rest: Annotated[int, Bits(5)]


@dataclass(frozen=True, slots=True)
class Outer(Header):
    colour: Annotated[Colour, Bits(8)]
    inner: Inner
    last: U8 = 9


def test_fields_stand_in_their_order_with_those_of_headers_within() -> None:
    layout = layout_of(Outer)
    assert [(field.name, field.offset_bits, field.bits) for field in layout.fields] == [
        ("colour", 0, 8), ("short", 8, 16), ("odd", 24, 3), ("rest", 27, 5), ("last", 32, 8),
    ]  # fmt: skip
    assert layout.size_bytes == 5
    assert [field.default for field in layout.fields] == [None, None, None, None, 9]


def test_bytes() -> None:
    header = Outer(Colour.GREEN, Inner(0x1234, 0b101, 0b00011))
    assert header.encode() == bytes([7, 0x12, 0x34, 0b10100011, 9])
    assert Outer.decode(header.encode() + b"more") == header
    assert Outer.decode(header.encode()).colour is Colour.GREEN


@pytest.mark.parametrize(
    ("header", "wrong"),
    [
        (Outer(Colour.RED, Inner(0, 8, 0)), "odd is 8, which does not fit 3 bits"),
        (Outer(Colour.RED, Inner(0, 0, 0), -1), "last is -1, which does not fit 8 bits"),
        (replace(TransmissionId(0, 1), subflow=2**32), "subflow is 4294967296, which does not fit 32 bits"),
    ],
)
def test_what_does_not_fit_is_named(header: Header, wrong: str) -> None:
    with pytest.raises(FieldError, match=wrong):
        header.encode()


def test_what_is_no_such_header() -> None:
    with pytest.raises(FieldError, match=r"4 bytes are too short for Outer \(5 bytes\)"):
        Outer.decode(bytes(4))
    with pytest.raises(ValueError, match="2 is not a valid Colour"):
        Outer.decode(bytes([2, 0, 0, 0, 0]))
    with pytest.raises(KeyError):
        layout_of(Outer).build({"colour": 1})


def test_a_header_has_whole_bytes() -> None:
    @dataclass(frozen=True, slots=True)
    class Half(Header):
        half: Annotated[int, Bits(4)]

    with pytest.raises(TypeError, match="Half has 4 bits"):
        layout_of(Half)


@pytest.mark.parametrize("name", HEADERS)
@given(data=st.data())
def test_every_header_round_trips(name: str, data: st.DataObject) -> None:
    header = data.draw(headers(HEADERS[name]))
    encoded = header.encode()
    assert len(encoded) == layout_of(HEADERS[name]).size_bytes
    assert type(header).decode(encoded) == header


@given(entry=headers(Entry))
def test_both_ways_of_packing_agree(entry: Entry) -> None:
    """The struct module's bytes equal those put together bit by bit."""
    number = 0
    for field, value in zip(layout_of(Entry).fields, layout_of(Entry).numbers(entry).values(), strict=True):
        number = number << field.bits | value
    assert number.to_bytes(layout_of(Entry).size_bytes, "big") == entry.encode()


def test_frames_are_as_scapy_has_them() -> None:
    frame = bytes(
        Ether(dst="02:00:00:00:00:01", type=0x800) / IP(src="10.0.0.1", dst="10.0.0.2", flags="DF", frag=0, ttl=9) / UDP(dport=47)
    )
    ethernet = EthernetHeader.decode(frame)
    ip = Ipv4Header.decode(frame[14:])
    udp = UdpHeader.decode(frame[34:])
    assert (ethernet.destination, ethernet.ether_type) == (0x020000000001, 0x800)
    assert (ip.version, ip.header_length, ip.do_not_fragment, ip.more_fragments, ip.ttl, ip.destination) == (4, 5, 1, 0, 9, 0x0A000002)
    assert (udp.destination_port, udp.length) == (47, 8)
