"""A switch that runs nodectl.p4, with routes and capacities, and the reference model beside it.

`NodectlSwitch` sends frames; `Twin` sends the same to the model and compares every byte that comes out.
"""

from __future__ import annotations

import copy
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from common.units import US_PER_S
from protocol import wire_v2
from protocol.codes import EntryType, EventType
from protocol.constants import ARRIVAL_WINDOW_BITS, CPU_PORT, IN_USE, MAX_BATCH_ENTRIES, NEW_MESSAGE_TTL
from protocol.deployable_headers import EXTENDED_BYTES
from protocol.events import decode_event
from protocol.headers import MESSAGE_BYTES, Entry
from protocol.model.enforcement_model import DSCP_NEGOTIATED, DSCP_OF_DATA, DSCP_OPENING, Flow, TrafficClass
from protocol.model.port_model import Record
from protocol.model.reference_model import Reaction, SwitchModel
from protocol.model.variants import new_model
from protocol.model.variants.deployable import DeployableRules
from protocol.packet_out import encode_packet_out_frames
from protocol.variant import COMPLETE, Variant
from protocol.wire import (
    UDP_PORT,
    Adjustment,
    ErrorReason,
    Message,
    MessageError,
    MessageType,
    Negotiation,
    TransmissionId,
    decode,
)

from .switches import Frames, P4Switch

INGRESS = "NodectlIngress"
PORTS = (1, 2, 3, 4)
CAPACITIES_KBPS = {2: 36_000, 3: 1_000_000}
"""Ports 1 and 4 take no part."""
TOLERANCES_KBPS = {2: 0, 3: 50}
NOTHING_MEASURED: Mapping[int, int] = {}
TTL = 64
TCP_ACK = 0x10
SEGMENT_CHECKSUM = 0x1234
"""Of a segment of TCP, which no switch looks at."""


def host_ip(port: int, number: int) -> int:
    """Address of a host behind a port."""
    return 10 << 24 | port << 8 | number


def port_of(ip: int) -> int | None:
    """The port that the forwarding table has for an address; None: no route."""
    port = ip >> 8 & 0xFF
    return port if ip >> 16 == 10 << 8 and port in PORTS else None


def switch_mac(port: int) -> str:
    return f"02:00:00:00:00:{port:02x}"


def neighbour_mac(port: int) -> str:
    return f"02:00:00:00:01:{port:02x}"


def text(ip: int) -> str:
    return ".".join(str(byte) for byte in ip.to_bytes(4, "big"))


@dataclass(frozen=True)
class Envelope:
    """The headers that a message travels in. `checksum` None: the right one."""

    ingress_port: int
    source_ip: int
    destination_ip: int
    ttl: int = TTL
    checksum: int | None = None

    def frame(self, payload: bytes) -> bytes:
        """The frame as the neighbour at the ingress port sends it."""
        return (
            bytes(
                Ether(src=neighbour_mac(self.ingress_port), dst=switch_mac(self.ingress_port))
                / IP(src=text(self.source_ip), dst=text(self.destination_ip), ttl=self.ttl, id=7, flags="DF")
                / UDP(sport=UDP_PORT, dport=UDP_PORT, chksum=self.checksum)
                / Raw(payload)
            )
        )  # fmt: skip


def frame_from(port: int, source_ip: int, destination_ip: int, ttl: int, ip_id: int, payload: bytes, checksum: int | None) -> bytes:
    """A Nodectl frame as the switch sends it out of a port."""
    return bytes(
        Ether(src=switch_mac(port), dst=neighbour_mac(port))
        / IP(src=text(source_ip), dst=text(destination_ip), ttl=ttl, id=ip_id, flags="DF")
        / UDP(sport=UDP_PORT, dport=UDP_PORT, chksum=checksum)
        / Raw(payload)
    )


@cache
def segment_in(ingress_port: int, flow: Flow, frame_bytes: int, tos: int, flags: int = TCP_ACK) -> bytes:
    """A frame with a segment of TCP as the neighbour at the ingress port sends it."""
    return _segment(neighbour_mac(ingress_port), switch_mac(ingress_port), flow, frame_bytes, TTL, tos, flags)


@cache
def segment_out(flow: Flow, frame_bytes: int, tos: int, flags: int = TCP_ACK) -> bytes:
    """The same as the switch sends it out of its data's port."""
    return _segment(switch_mac(flow.data_port), neighbour_mac(flow.data_port), flow, frame_bytes, TTL - 1, tos, flags)


def _segment(source_mac: str, destination_mac: str, flow: Flow, frame_bytes: int, ttl: int, tos: int, flags: int) -> bytes:
    headers = (
        Ether(src=source_mac, dst=destination_mac)
        / IP(src=text(flow.sender_ip), dst=text(flow.receiver_ip), ttl=ttl, id=7, tos=tos)
        / TCP(sport=flow.source_port, dport=flow.destination_port, flags=flags, chksum=SEGMENT_CHECKSUM)
    )
    return bytes(headers / Raw(bytes(frame_bytes - len(headers))))


class NodectlSwitch:
    """nodectl.p4 with the routes and capacities above."""

    def __init__(self, switch: P4Switch, least_kbps: Mapping[int, int]) -> None:
        self.switch = switch
        for port in PORTS:
            macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(port), neighbour_mac(port))]
            match = [{"lpm": [f"{host_ip(port, 0):08x}", 24]}]
            switch.add_entry(f"{INGRESS}.ipv4_lpm", match, f"{INGRESS}.forward", [port, *macs])
        for port, capacity_kbps in CAPACITIES_KBPS.items():
            rates = [capacity_kbps, TOLERANCES_KBPS[port]]
            action = "set_capacity"
            if port in least_kbps:
                rates.append(least_kbps[port])
                action = "set_capacity_beside_load"
            switch.add_entry(f"{INGRESS}.port_capacity", [{"exact": f"{port:04x}"}], f"{INGRESS}.{action}", rates)

    def errors(self) -> dict[ErrorReason, int]:
        """The counter `nodectl_errors`, without zeros."""
        counts = {reason: self.switch.counter(f"{INGRESS}.nodectl_errors", reason) for reason in ErrorReason}
        return {reason: count for reason, count in counts.items() if count}


Expect = Callable[[SwitchModel, int], tuple[Frames, list[Reaction | None]]]
"""The frames that leave the model if it handles the frame at that time (µs), and its reactions."""

SHOWING_THE_TIME = (EventType.ADMITTED, EventType.CONFIRMED, EventType.REFRESHED)
"""Events caused by a message that say when it was handled."""

CLEARANCE_US = 40_000

REAL_TIME_SCALE = 10
"""A real-time switch waits for a tenth of what a test asks for."""


class Twin:
    """The switch and its model, fed alike.

    Time: p4sim is told what time it is. BMv2 has a clock of its own, so there the model is given the time at which the
    switch handled the frame: as the switch's own event says, or, where no event says it, the time between sending and
    receiving for which the model gives the very frames that came. If there is none, the two disagree.
    """

    def __init__(
        self,
        switch: P4Switch,
        variant: Variant = COMPLETE,
        host_ports: Collection[int] = (),
        least_kbps: Mapping[int, int] = NOTHING_MEASURED,
    ) -> None:
        """`variant`: the one that the switch's program was compiled as. `host_ports`: those with hosts behind them that are not believed.

        `least_kbps`: of ports that divide the capacity that others leave, but not less than this (decision "the measured load").
        """
        self.nodectl = NodectlSwitch(switch, least_kbps)
        if switch.is_real_time:
            self._learn_the_clock(switch, least_kbps)
        self.model: SwitchModel = new_model(CAPACITIES_KBPS, TOLERANCES_KBPS, variant)
        self.time_us = 1000
        for port, least in least_kbps.items():
            assert self.model.reserving is not None
            self.model.set_capacity(port, CAPACITIES_KBPS[port], least)
        if host_ports:
            assert self.model.reserving is not None
            self.model.reserving.host_ports = frozenset(host_ports)
            for port in host_ports:
                switch.add_entry(f"{INGRESS}.host_port", [{"exact": f"{port:04x}"}], f"{INGRESS}.from_host", [])

    def _learn_the_clock(self, switch: P4Switch, least_kbps: Mapping[int, int]) -> None:
        """One admitted request tells what the switch's clock shows; then everything begins afresh."""
        earliest, latest = switch.now_between_us()
        if latest - earliest < CLEARANCE_US:
            return
        message = Negotiation(MessageType.REQUEST, TransmissionId(1, 0, 0), 1, 0, 1000)
        frames = switch.send(1, Envelope(1, host_ip(1, 1), host_ip(2, 1)).frame(message.encode()), 0)
        switch.handled_at(decode_event(frames[CPU_PORT][0])[0].last_seen_us)
        switch.restart()
        self.nodectl = NodectlSwitch(switch, least_kbps)

    def scaled(self, time_us: int) -> int:
        """A time to test with: on a real-time switch so much shorter as its waiting is."""
        return time_us // REAL_TIME_SCALE if self.nodectl.switch.is_real_time else time_us

    def wait(self, time_us: int, longest_real_us: int = 1_000_000) -> None:
        """Let time pass; on a real-time switch the scaled time, and at most `longest_real_us`."""
        if self.nodectl.switch.is_real_time:
            time.sleep(min(self.scaled(time_us), longest_real_us) / US_PER_S)
        else:
            self.time_us += time_us

    def send(self, envelope: Envelope, payload: bytes) -> Reaction | None:
        """A Nodectl frame, well-formed or not, through both; the model's reaction, None if it did not look at the payload."""
        sent = envelope.frame(payload)
        self._keep_clear_of_window_ends()
        got = self.nodectl.switch.send(envelope.ingress_port, sent, self.time_us)

        def expect(model: SwitchModel, time_us: int) -> tuple[Frames, list[Reaction | None]]:
            return self._expect_message(model, time_us, envelope, payload, sent)

        (reaction,) = self._agree(got, expect, SHOWING_THE_TIME)
        return reaction

    def _keep_clear_of_window_ends(self) -> None:
        """In which window of arrivals a real-time switch handles a frame must not be in doubt where no event says it."""
        while self.nodectl.switch.is_real_time:
            earliest, latest = self.nodectl.switch.now_between_us()
            if earliest >> ARRIVAL_WINDOW_BITS == latest + CLEARANCE_US >> ARRIVAL_WINDOW_BITS or latest - earliest > CLEARANCE_US * 10:
                return
            time.sleep(CLEARANCE_US / 4e6)

    def _agree(self, got: Frames, expect: Expect, showing_the_time: tuple[EventType, ...]) -> list[Reaction | None]:
        """Compares and returns the reactions."""
        if not self.nodectl.switch.is_real_time:
            expected, reactions = expect(self.model, self.time_us)
            assert_same(expected, got)
            return reactions
        events = [decode_event(frame)[0] for frame in got.get(CPU_PORT, [])]
        shown = [event.last_seen_us for event in events if event.event in showing_the_time]
        earliest, latest = self.nodectl.switch.handled_between_us()
        possible = shown or [earliest, latest, *range(earliest, latest, max(1, (latest - earliest) // 2000))]
        before = self.model
        for time_us in possible:
            model = copy.deepcopy(before)
            expected, reactions = expect(model, time_us)
            if expected == got:
                assert earliest <= time_us <= latest, f"handled at {time_us} µs, which is not between {earliest} and {latest}"
                self.model, self.time_us = model, time_us
                if shown:
                    self.nodectl.switch.handled_at(time_us)
                else:
                    self._ask_when_seen(before, earliest, latest)
                return reactions
        assert_same(expect(copy.deepcopy(before), possible[0])[0], got)
        raise AssertionError("unreachable: the frames differ")

    def _ask_when_seen(self, before: SwitchModel, earliest: int, latest: int) -> None:
        """A refresh's success notes the time without an event: the switch is asked for it."""
        for slot, record in self.model.records.items():
            old = before.records.get(slot)
            if old is not None and old.last_seen_us != record.last_seen_us:
                (frame,) = encode_packet_out_frames([Entry(EntryType.READ_SLOT, 0, value=slot)])
                (answer,) = self.nodectl.switch.send(CPU_PORT, frame, 0)[CPU_PORT]
                seen_us = decode_event(answer)[0].last_seen_us
                assert earliest <= seen_us <= latest, f"seen at {seen_us} µs, which is not between {earliest} and {latest}"
                self.model.records[slot] = replace(record, last_seen_us=seen_us)

    def _expect_message(
        self, model: SwitchModel, time_us: int, envelope: Envelope, payload: bytes, sent: bytes
    ) -> tuple[Frames, list[Reaction | None]]:
        egress_port = port_of(envelope.destination_ip)
        expected: Frames = defaultdict(list)
        reaction = None
        if is_one_message_too_many(model, envelope, payload, len(sent), time_us):
            return {}, [None]
        if egress_port is not None and envelope.ttl > 1:
            result, checksum = payload, int.from_bytes(sent[40:42], "big")
            try:
                reaction = self._through_model(model, time_us, envelope, payload, egress_port)
            except MessageError as error:
                assert error.reason is not None  # noqa: PT017 (not what is tested)
                model.handle_malformed(error.reason)
            if reaction is not None and reaction.message is not None:
                result = reaction.message.encode()
            unchanged = result == payload
            if reaction is not None and reaction.is_turned_round:
                source_ip, destination_ip = envelope.destination_ip, envelope.source_ip
                out_port, ttl = envelope.ingress_port, NEW_MESSAGE_TTL
            else:
                source_ip, destination_ip = envelope.source_ip, envelope.destination_ip
                out_port, ttl = egress_port, envelope.ttl - 1
            if reaction is None or not reaction.is_dropped:
                expected[out_port].append(frame_from(out_port, source_ip, destination_ip, ttl, 7, result, checksum if unchanged else None))
            if reaction is not None and reaction.event is not None:
                expected[CPU_PORT].append(reaction.event.encode() + sent)
            if model.reserving is not None and len(payload) not in (MESSAGE_BYTES, EXTENDED_BYTES):
                model.reserving.note_departure(egress_port, len(sent), time_us)  # no message, but data without a record
        return dict(expected), [reaction]

    @staticmethod
    def _through_model(model: SwitchModel, time_us: int, envelope: Envelope, payload: bytes, egress_port: int) -> Reaction:
        is_deployable = model.reserving is not None
        if len(payload) in ((MESSAGE_BYTES, EXTENDED_BYTES) if is_deployable else (MESSAGE_BYTES,)) and envelope.checksum not in (None, 0):
            raise MessageError("wrong checksum", ErrorReason.CHECKSUM)
        message = wire_v2.decode(payload) if is_deployable else decode(payload)
        return model.handle_message(message, envelope.source_ip, envelope.destination_ip, envelope.ingress_port, egress_port, time_us)

    def message(self, message: Message, sender_ip: int, receiver_ip: int) -> Reaction | None:
        """A well-formed message between two hosts, in the direction its type goes."""
        if message.type in (MessageType.REQUEST, MessageType.TERMINATE):
            source_ip, destination_ip = sender_ip, receiver_ip
        else:
            source_ip, destination_ip = receiver_ip, sender_ip
        ingress_port = port_of(source_ip)
        assert ingress_port is not None
        return self.send(Envelope(ingress_port, source_ip, destination_ip), message.encode())

    def data(
        self, flow: Flow, frame_bytes: int, ingress_port: int, flags: int = TCP_ACK, dscp: int = 0b11_00_11
    ) -> tuple[TrafficClass, bool]:
        """Send a host's TCP segment, perhaps marked by the host, through both; returns its class, and whether it was dropped."""
        assert self.model.reserving is not None
        sent = segment_in(ingress_port, flow, frame_bytes, dscp << 2 | 0b10, flags)
        traffic_class, is_dropped = self.model.reserving.handle_data(self.model, flow, frame_bytes, ingress_port, self.time_us, flags)
        got = self.nodectl.switch.send(ingress_port, sent, self.time_us)
        passed = segment_out(flow, frame_bytes, DSCP_OF_DATA[traffic_class] << 2 | 0b10, flags)
        assert_same({} if is_dropped else {flow.data_port: [passed]}, got)
        if traffic_class is TrafficClass.OTHERS and not is_dropped:
            self.model.reserving.note_departure(flow.data_port, frame_bytes, self.time_us)
        return traffic_class, is_dropped

    def passing_data(self, port: int, frame_bytes: int, dscp: int) -> None:
        """A segment that another switch has marked already, out of a port."""
        assert self.model.reserving is not None
        flow = Flow(host_ip(1, 9), host_ip(port, 9), 80, 80, port)
        sent = segment_in(1, flow, frame_bytes, dscp << 2)
        got = self.nodectl.switch.send(1, sent, self.time_us)
        assert_same({port: [segment_out(flow, frame_bytes, dscp << 2)]}, got)
        if dscp not in (DSCP_NEGOTIATED, DSCP_OPENING):
            self.model.reserving.note_departure(port, frame_bytes, self.time_us)

    def entries(self, entries: Sequence[Entry]) -> list[Reaction]:
        """Packet-outs through both."""
        reactions: list[Reaction | None] = []
        for start in range(0, len(entries), MAX_BATCH_ENTRIES):
            batch = entries[start : start + MAX_BATCH_ENTRIES]
            (frame,) = encode_packet_out_frames(batch)
            got = self.nodectl.switch.send(CPU_PORT, frame, self.time_us)
            reactions += self._agree(got, lambda model, time_us, batch=batch: self._expect_entries(model, time_us, batch), ())  # type: ignore[misc]
        return [reaction for reaction in reactions if reaction is not None]

    @staticmethod
    def _expect_entries(model: SwitchModel, time_us: int, batch: Sequence[Entry]) -> tuple[Frames, list[Reaction | None]]:
        expected: Frames = defaultdict(list)
        reactions: list[Reaction | None] = []
        for entry in batch:
            port = port_of(entry.sender_ip)
            reaction = model.handle_entry(entry, port is not None, time_us)
            reactions.append(reaction)
            if reaction.message is not None:
                assert port is not None
                payload = reaction.message.encode()
                expected[port].append(frame_from(port, entry.receiver_ip, entry.sender_ip, NEW_MESSAGE_TTL - 1, 0, payload, None))
            if reaction.event is not None:
                expected[CPU_PORT].append(reaction.event.encode())
        return dict(expected), reactions

    def check_state(self) -> None:
        """Every register that the model knows the value of, and the error counter. Where registers cannot be read, the
        pipeline is asked for its sums and records as the controller asks for them; arrivals show in later rates only."""
        if self.nodectl.switch.is_real_time:
            reads = [Entry(EntryType.READ_PORT, number) for number in self.model.ports]
            self.entries(reads + [Entry(EntryType.READ_SLOT, 0, value=slot) for slot in self.model.records])
        else:
            self._check_registers()
        assert self.nodectl.errors() == dict(self.model.errors)

    def _check_registers(self) -> None:
        read = self.nodectl.switch.register
        for number, port in self.model.ports.items():
            assert read("port_sum", number) == port.sum_kbps
            assert read("port_count", number) == port.count
            assert read("port_bottleneck_sum", number) == port.bottleneck_sum_kbps
            assert read("port_bottleneck_count", number) == port.bottleneck_count
            assert read("arrivals_current", number) == port.arrivals.current
            assert read("arrivals_previous", number) == port.arrivals.previous
        for slot, record in self.model.records.items():
            for name, value in RECORD_REGISTERS.items():
                assert read(name, slot) == value(record), name
        for slot, (number, key) in self.model.groups.items():
            group = self.model.ports[number].groups[key]
            assert read("group_port", slot) == IN_USE | number
            assert (read("group_content_id", slot), read("group_destination_id", slot)) == key
            assert read("group_sum", slot) == group.sum_kbps
            assert read("group_count", slot) == group.count
            assert read("group_bottleneck_count", slot) == group.bottleneck_count
        assert sum(len(port.groups) for port in self.model.ports.values()) == len(self.model.groups)
        if self.model.reserving is not None:
            self._check_reserves(self.model, self.model.reserving)

    def _check_reserves(self, model: SwitchModel, reserving: DeployableRules) -> None:
        read = self.nodectl.switch.register
        for number in model.ports:
            assert read("port_reserved_sum", number) == reserving.reserved_sums_kbps[number]
            assert self.nodectl.switch.counter(f"{INGRESS}.nodectl_overcommitted", number) == reserving.overcommitted[number] == 0
        assert set(reserving.reserves) == set(model.records)
        for slot, reserve in reserving.reserves.items():
            for name in ("reserved_kbps", "confirmed_kbps", "min_kbps", "sequence"):
                assert read(f"record_{name}", slot) == getattr(reserve, name), name
        for number, load in reserving.loads.items():
            expected = (load.window, load.current_bytes, load.previous_bytes)
            assert tuple(read(f"load_{name}", number) for name in ("window", "current", "previous")) == expected


def is_one_message_too_many(model: SwitchModel, envelope: Envelope, payload: bytes, frame_bytes: int, time_us: int) -> bool:
    """Whether the first switch drops a message because the hosts behind a port send too many (decision "classes")."""
    if model.reserving is None or envelope.ingress_port not in model.reserving.host_ports:
        return False
    if len(payload) not in (MESSAGE_BYTES, EXTENDED_BYTES) or port_of(envelope.destination_ip) is None or envelope.ttl <= 1:
        return False
    return not model.reserving.enforcement.takes_message(envelope.ingress_port, frame_bytes, time_us)


RECORD_REGISTERS: dict[str, Callable[[Record], int]] = {
    "record_port": lambda record: IN_USE | record.data_port,
    "record_content_id": lambda record: record.id.content_id,
    "record_destination_id": lambda record: record.id.destination_id,
    "record_subflow": lambda record: record.id.subflow,
    "record_sender_ip": lambda record: record.sender_ip,
    "record_receiver_ip": lambda record: record.receiver_ip,
    "record_rate_kbps": lambda record: record.rate_kbps,
    "record_share_kbps": lambda record: record.share_kbps,
    "record_is_bottleneck": lambda record: int(record.is_bottleneck),
    "record_last_seen_us": lambda record: record.last_seen_us,
}


def assert_same(expected: Frames, got: Frames) -> None:
    """The same frames by the same ports, in the same order a port; Scapy spells out the first difference."""
    assert sorted(expected) == sorted(got), f"expected frames on ports {sorted(expected)}, got {sorted(got)}"
    for port, frames in expected.items():
        assert len(frames) == len(got[port]), f"expected {len(frames)} frames on port {port}, got {len(got[port])}"
        for index, (want, have) in enumerate(zip(frames, got[port], strict=True)):
            assert have == want, f"port {port}, frame {index}:\n{describe(port, have)}\ninstead of\n{describe(port, want)}"


def describe(port: int, frame: bytes) -> str:
    """A frame in words."""
    from protocol.scapy_layers import NodectlEvent

    layer = NodectlEvent if port == CPU_PORT else Ether
    return str(layer(frame).show(dump=True))


def adjustment_entry(kind: EntryType, record: Record, value: int) -> Entry:
    """An entry about a record that exists."""
    return Entry(kind, record.data_port, record.id, record.sender_ip, record.receiver_ip, value)


__all__ = ["Adjustment", "Envelope", "NodectlSwitch", "Twin", "adjustment_entry", "frame_from", "host_ip", "port_of"]
