"""Attacking hosts do what their names say. Their effects: tests/end_to_end/test_attacked.py."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from hosts.attacks.kinds import BLAST_KBPS, KINDS, PACKET_BYTES, Place
from hosts.attacks.packets import Packets
from protocol.deployable_headers import MessageExtension
from protocol.frames import ETHERNET_HEADER_BYTES, TCP_SYN
from protocol.wire import MAX_RTT_US, Adjustment, Message, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation, extension_of

HERE, BEYOND, VICTIM, RECEIVER = "10.0.0.2", "10.0.0.4", "10.0.0.1", "10.0.0.3"
STEP_S = 0.002
IP_UDP_BYTES, IP_TCP_BYTES = 28, 40


@dataclass
class Recorded(Packets):
    """The packets that would have been sent."""

    said: list[tuple[str, str, Message]] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    flags: set[int] = field(default_factory=set)

    def send_message(self, source: str, destination: str, message: Message) -> None:
        self.said.append((source, destination, message))

    def send_datagram(self, source: str, destination: str, content: bytes, port: int = 0) -> None:
        self.frames.append(len(content) + IP_UDP_BYTES + ETHERNET_HEADER_BYTES)

    def send_segment(self, source: str, destination: str, ports: tuple[int, int], flags: int, size_bytes: int, number: int = 0) -> None:
        self.frames.append(size_bytes + IP_TCP_BYTES + ETHERNET_HEADER_BYTES)
        self.flags.add(flags)


def attacked(kind: str, seconds: float, heard: list[tuple[str, Message]] | None = None) -> Recorded:
    """An attack of so many seconds; it hears everything at once, in the second step."""
    packets = Recorded()
    attack = KINDS[kind](Place(packets, HERE, BEYOND, VICTIM, RECEIVER))
    for step in range(int(seconds / STEP_S)):
        attack.step(step * STEP_S, heard or [] if step == 1 else [])
    return packets


def requests(packets: Recorded) -> list[Negotiation]:
    return [one for _, _, one in packets.said if isinstance(one, Negotiation) and one.type is MessageType.REQUEST]


def test_nobody_attacks() -> None:
    packets = attacked("none", 1)
    assert not packets.said
    assert not packets.frames


def test_who_is_honest_asks_by_one_name_and_his_own_address() -> None:
    packets = attacked("honest", 1)
    assert len({one.id for one in requests(packets)}) == 1
    assert {(source, destination) for source, destination, _ in packets.said} == {(HERE, BEYOND)}
    assert {extension_of(one) is None for one in requests(packets)} == {True, False}


def test_a_lie_about_the_rtt_is_told_by_one_transmission_after_the_other() -> None:
    packets = attacked("long-rtt", 1)
    assert {one.rtt_us for one in requests(packets)} == {MAX_RTT_US}
    assert len({one.id for one in requests(packets)}) == 5


def test_many_records_come_from_one_address_with_the_token_that_it_was_told() -> None:
    told = ExtendedNegotiation(MessageType.CHALLENGE, TransmissionId(1, 0), 1, 0, 1, extension=MessageExtension(sequence=1, token=77))
    packets = attacked("many-records", 0.1, [(BEYOND, told)])
    assert {source for source, _, _ in packets.said} == {HERE}
    assert len({one.id for one in requests(packets)}) == len(requests(packets)) / 2 == 100
    tokens = [extension.token for one in requests(packets) if (extension := extension_of(one)) is not None]
    assert tokens == [0] * 2 + [77] * 98


def test_spoofed_requests_come_from_others() -> None:
    sources = {source for source, _, _ in attacked("spoofed", 0.1).said}
    assert len(sources) > 50
    assert HERE not in sources


def test_what_is_forged_names_those_that_were_heard() -> None:
    assert not attacked("forged", 0.1).said
    seen = TransmissionId(0xA11CE, 1)
    packets = attacked("forged", 0.1, [(VICTIM, Negotiation(MessageType.REQUEST, seen, 1000, 0, 1000))])
    assert {one.id for _, _, one in packets.said} == {seen}
    assert {one.type for _, _, one in packets.said} == {MessageType.REDUCE, MessageType.TERMINATE}
    assert VICTIM in {source for source, _, _ in packets.said}


@pytest.mark.parametrize("kind", ["messages", "data", "syns"])
def test_floods_are_as_fast_as_they_say(kind: str) -> None:
    packets = attacked(kind, 1)
    assert sum(packets.frames) * 8 / 1000 == pytest.approx(BLAST_KBPS, rel=0.03)
    assert min(packets.frames) > PACKET_BYTES
    assert packets.flags == ({TCP_SYN} if kind == "syns" else set())


def test_who_ignores_a_reduce_sends_on_when_it_has_come() -> None:
    packets = Recorded()
    attack = KINDS["ignoring"](Place(packets, HERE, BEYOND, VICTIM, RECEIVER))
    attack.step(0, [])
    assert not packets.frames, "no rate, no data"
    (asked,) = [one for one in requests(packets) if extension_of(one) is None]
    attack.step(0.1, [(BEYOND, Negotiation(MessageType.SUCCESS, asked.id, 36_000, 0, 1000))])
    before = len(packets.frames)
    attack.step(0.2, [(BEYOND, Adjustment(MessageType.REDUCE, asked.id, 18_000))])
    assert len(packets.frames) > before > 0
    assert all(one.max_kbps >= 36_000 for one in requests(packets)), "it does not acknowledge"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["fly", "--from", HERE], "invalid choice: 'fly'"),
        (["data", "--from", "here", "--beyond", BEYOND, "--victim", VICTIM, "--receiver", RECEIVER], "'here' is no IPv4 address"),
        (["data"], "the following arguments are required"),
    ],
)
def test_wrong_words(words: list[str], reason: str) -> None:
    said = subprocess.run([sys.executable, "-m", "hosts.attacks", *words], capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert reason in said.stderr
    assert "Traceback" not in said.stderr
