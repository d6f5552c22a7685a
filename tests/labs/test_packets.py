"""Frames are built and read as Scapy does it."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from labs.check.packets import but, field_of, fields_of, frame, internet_checksum, ipv4, message, right_checksums, shown, udp
from labs.check.vocabulary import Failed
from protocol.codes import MessageType
from protocol.scapy_layers import Nodectl


def recomputed(data: bytes) -> bytes:
    layer = Ether(data)
    del layer[IP].chksum
    if UDP in layer:
        del layer[UDP].chksum
    return bytes(layer)


@pytest.mark.parametrize(
    "data",
    [ipv4(), ipv4(b"odd", ipv4_ttl=3), udp(), udp(b"x" * 1001, udp_source_port=9), message(), message(MessageType.REDUCE, 5, number=9)],
    ids=["ipv4", "ttl", "udp", "odd", "request", "reduce"],
)
def test_checksums_are_right(data: bytes) -> None:
    assert recomputed(data) == data
    assert {name: fields_of(data)[name] for name in right_checksums(data)} == right_checksums(data)


def test_a_field_is_changed_and_checksums_follow() -> None:
    changed = but(message(max_kbps=7), nodectl_max_kbps=8, ipv4_ttl=1)
    assert (Ether(changed)[Nodectl].max_kbps, Ether(changed)[IP].ttl) == (8, 1)
    assert recomputed(changed) == changed


def test_a_given_checksum_stays() -> None:
    assert fields_of(ipv4(ipv4_checksum=0x1234))["ipv4.checksum"] == 0x1234
    assert fields_of(but(udp(), udp_checksum=0))["udp.checksum"] == 0
    assert fields_of(udp(udp_checksum=0))["udp.checksum"] == 0
    assert fields_of(message(udp_checksum=0x1234, ipv4_checksum=0x5678))["udp.checksum"] == 0x1234
    assert fields_of(message(udp_checksum=0x1234, ipv4_checksum=0x5678))["ipv4.checksum"] == 0x5678


def test_what_is_no_ipv4_has_no_such_fields() -> None:
    arp = frame("020000000101", "020000000001", "0806", bytes(28))
    assert list(fields_of(arp)) == ["ethernet.destination", "ethernet.source", "ethernet.ether_type", "payload"]


def test_a_header_that_did_not_come_out_is_told_so() -> None:
    assert field_of(ipv4(ipv4_ttl=7), "ipv4.ttl") == 7
    with pytest.raises(Failed, match="the packet that came out has no ipv4 header"):
        field_of(b"\x02" * 14, "ipv4.ttl")


def test_values_are_shown_as_people_read_them() -> None:
    assert shown("ipv4.source", 0x0A000101) == "10.0.1.1"
    assert shown("ethernet.source", 0x020000000001) == "02:00:00:00:00:01"
    assert shown("ipv4.checksum", 5) == "0x0005"
    assert shown("ipv4.ttl", None) == "(not there)"


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ipv4\.ttl has 8 bits"):
        ipv4(ipv4_ttl=256)


def test_the_checksum_of_nothing_is_all_ones() -> None:
    assert internet_checksum(bytes(20), 10) == 0xFFFF
