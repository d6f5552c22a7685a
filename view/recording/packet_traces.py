"""Traces of packets (``SWITCH-trace.jsonl``), put together to each packet's way from switch to switch."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address
from typing import Any

from protocol.codes import MessageType
from protocol.constants import UDP_PORT
from protocol.wire import MessageError, decode

ETHERNET_BYTES = 14
IPV4 = 0x0800
TCP, UDP, ICMP = 6, 17, 1
TCP_FLAGS = ((0x02, "SYN"), (0x10, "ACK"), (0x01, "FIN"), (0x04, "RST"))
MICROSECONDS = 1e-6

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Hop:
    """The events of a packet at one switch.

    Args:
        journey: names the packet on its whole way.
        label: its description, for people.
        switch: its name, ``s1``.
        time_s: when the switch received it, by the switch's clock.
        events: the switch's, in order.
    """

    journey: str
    label: str
    switch: str
    time_s: float
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Frame:
    """A packet's identity, the same wherever it is seen, and its label for people."""

    identity: str
    label: str


@dataclass
class PacketTraces:
    """Takes in the lines of all switches' traces and gives back each packet's hops.

    Args:
        names: of hosts by address.
    """

    names: Mapping[str, str]
    _open: dict[tuple[str, int], list[Event]] = field(default_factory=dict, init=False)
    """Of each trace and packet: events that were not given back yet."""
    _grown: set[tuple[str, int]] = field(default_factory=set, init=False)
    _journeys: dict[tuple[str, int], Frame] = field(default_factory=dict, init=False)
    _switches: dict[str, str] = field(default_factory=dict, init=False)
    """Of each trace."""
    _seen: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int), init=False)

    def take(self, file: str, switch: str, line: bytes) -> None:
        """Take in a line of a switch's trace.

        Args:
            file: of the trace: packets of another one have numbers of their own.
            switch: whose trace it is, if the line itself does not say it.
            line: JSON.

        Raises:
            ValueError: it is no event.
        """
        event = json.loads(line)
        if not isinstance(event, dict) or not {"packet", "time_us", "event"} <= event.keys():
            raise ValueError("not an event of a trace")
        of = file, event["packet"]
        if of not in self._journeys:
            self._switches[file] = switch = str(event.get("switch", switch))
            self._journeys[of] = self._journey(switch, bytes.fromhex(str(event.get("data", ""))))
        self._open.setdefault(of, []).append(event)
        self._grown.add(of)

    def quiet(self) -> Iterator[Hop]:
        """The hops of packets to which nothing has been added since the last call.

        A packet that waited for long in a queue comes twice: with its events before the queue, and with those after it.
        """
        for of in [one for one in self._open if one not in self._grown]:
            events, frame = self._open.pop(of), self._journeys[of]
            yield Hop(frame.identity, frame.label, self._switches[of[0]], events[0]["time_us"] * MICROSECONDS, tuple(events))
        self._grown.clear()

    def _journey(self, switch: str, data: bytes) -> Frame:
        frame = _frame(data, self.names)
        # The same bytes may come again, as a handshake's do: the second one here is the second one there.
        self._seen[switch, frame.identity] += 1
        return replace(frame, identity=f"{frame.identity}#{self._seen[switch, frame.identity]}")


def _frame(data: bytes, names: Mapping[str, str]) -> Frame:
    packet = data[ETHERNET_BYTES:]
    if len(packet) < 20 or int.from_bytes(data[12:14], "big") != IPV4:
        return Frame(data.hex(), f"{len(data)} bytes")
    header_bytes, protocol = (packet[0] & 15) * 4, packet[9]
    source, destination = (str(IPv4Address(packet[at : at + 4])) for at in (12, 16))
    ends = f"{names.get(source, source)} → {names.get(destination, destination)}"
    payload = packet[header_bytes:]
    # Of what switches leave alone: addresses, protocol, identification, ports, and TCP's sequence number.
    identity = f"{packet[12:20].hex()}.{protocol}.{packet[4:6].hex()}.{payload[: 8 if protocol == TCP else 4].hex()}"
    return Frame(identity, f"{_kind(protocol, payload)} {ends}")


def _kind(protocol: int, payload: bytes) -> str:
    if protocol == TCP and len(payload) >= 20:
        flags = " ".join(name for bit, name in TCP_FLAGS if payload[13] & bit)
        size = len(payload) - (payload[12] >> 4) * 4
        return f"TCP data, {size} bytes," if size else f"TCP {flags}"
    if protocol == UDP and len(payload) >= 8:
        if int.from_bytes(payload[2:4], "big") == UDP_PORT:
            return _message(payload[8:])
        return f"UDP to port {int.from_bytes(payload[2:4], 'big')}"
    return "ICMP" if protocol == ICMP else f"IP protocol {protocol}"


def _message(payload: bytes) -> str:
    try:
        message = decode(payload)
    except MessageError as error:
        return f"malformed Nodectl message ({error})"
    kind = MessageType(message.type).name.lower()
    rate_kbps = getattr(message, "max_kbps", None) or getattr(message, "speed_kbps", 0)
    return f"Nodectl {kind}{f' ({rate_kbps / 1000:.1f} Mbit/s)' if rate_kbps else ''}"
