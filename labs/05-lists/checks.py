"""Lab 5: does the controller keep its records, and tell the right senders to change?

The student's controller runs beside the testbed's own data plane. Its packet-outs go through the pipeline, and the messages that come out
to the senders are compared with those that the lists of protocol/model/allocation.py ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from labs.check import Failed, check, event_fields, fields_of, message
from labs.check.controller_program import ControllerProgram
from labs.check.measured import Measured
from labs.check.switch import Switch, table
from protocol.codes import EventType, Flags, MessageType
from protocol.constants import CPU_PORT, PACKET_OUT_MAGIC
from protocol.headers import ENTRY_BYTES, Event, PacketOutHeader, TransmissionId

CAPACITIES_KBPS = {2: 36_000, 3: 10_000}
MOST_KBPS = 2**32 - 1
MOST_ENTRIES = 64
TYPE, RESERVED, DESTINATION_ID, VALUE = slice(0, 2), slice(2, 4), slice(14, 18), slice(30, 34)
"""Bytes of an entry of a packet-out."""

KINDS = {MessageType.REDUCE: "reduce", MessageType.INCREASE: "increase"}
Told = dict[int, tuple[str, int]]
"""Messages to senders, by the number of the transmission: ``("reduce", 9000)``."""


def set_up(switch: Switch) -> None:
    """Senders behind port 1, receivers behind ports 2 and 3. The switch's program is not the student's: nothing is traced."""
    switch.trace(on=False)
    for port in (1, 2, 3):
        switch.route(f"10.0.{port}.0/24", port)
    for port, capacity in CAPACITIES_KBPS.items():
        switch.add_entry("port_capacity", [{"exact": f"{port:04x}"}], "set_capacity", [f"{capacity:08x}", "00000000"])


@dataclass
class Network:
    """The switch, the student's controller beside it, and transmissions 1, 2, 3 … through it."""

    switch: Switch
    program: ControllerProgram
    rates: dict[int, int] = field(default_factory=dict)
    """The rate in kbit/s that each was granted or told last."""
    shares: dict[int, int] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    time_s: float = 10.0

    def __post_init__(self) -> None:
        self.program.start(CAPACITIES_KBPS)

    def request(self, number: int, max_kbps: int = MOST_KBPS, port: int = 2, flags: Flags = Flags.NONE, min_kbps: int = 0) -> Told:
        """A transmission asks, and its success comes back."""
        self.time_s += 5  # so long that nobody else is expected
        self.switch.at(self.time_s)
        told, out = self._message(MessageType.REQUEST, number, max_kbps, port, flags, min_kbps)
        if out is not None and out["nodectl.type"] == MessageType.REQUEST:
            self.rates[number] = out["nodectl.max_kbps"]
            self._message(MessageType.SUCCESS, number, self.rates[number], port, flags)
        return told

    def reduced_elsewhere(self, number: int, kbps: int, port: int = 2) -> Told:
        """A reduce of another switch passes on its way to the sender."""
        self.rates[number] = kbps
        return self._message(MessageType.REDUCE, number, kbps, port)[0]

    def tell(self, event: EventType, number: int, rate_kbps: int = 0, port: int = 3) -> Told:
        """Tell the program of an event that this switch has not had; returns the messages that the program wants to send.

        So a port comes to states in which the testbed's own controller would not leave it.
        """
        self.log.append(f"event {event.name.lower()} of transmission {number}, rate {rate_kbps}, bottleneck")
        self.rates[number] = rate_kbps
        told: Told = {}
        for packet in self.program.packet_in(_event(event, number, rate_kbps, port)):
            for entry in _entries(packet.payload):
                kind = KINDS.get(MessageType(int.from_bytes(entry[TYPE], "big")), "?")
                told[int.from_bytes(entry[DESTINATION_ID], "big")] = kind, int.from_bytes(entry[VALUE], "big")
        return told

    def terminate(self, number: int, port: int = 2) -> Told:
        """A transmission ends."""
        self.rates.pop(number)
        return self._message(MessageType.TERMINATE, number, 0, port)[0]

    def _message(
        self, kind: MessageType, number: int, kbps: int, port: int, flags: Flags = Flags.NONE, min_kbps: int = 0
    ) -> tuple[Told, dict[str, int] | None]:
        way = (f"10.0.1.{number}", f"10.0.{port}.{number}")
        came_by = 1
        if kind in (MessageType.SUCCESS, MessageType.REDUCE):
            way, came_by = way[::-1], port
        more: dict[str, Any] = {"nodectl_min_kbps": min_kbps} if kind == MessageType.REQUEST else {}
        packet = message(kind, kbps, number=number, ipv4_source=way[0], ipv4_destination=way[1], nodectl_flags=flags, **more)
        self.log.append(f"{kind.name.lower()} of transmission {number}{f', {kbps} kbit/s' if 0 < kbps < MOST_KBPS else ''}")
        sent = self.switch.send(came_by, packet)
        told: Told = {}
        for frame in sent.to_controller():
            told |= self._controller(frame)
        forwarded = next((fields_of(frame) for out, frame in sent.out if out != CPU_PORT), None)
        return told, forwarded

    def _controller(self, event: bytes) -> Told:
        """An event reaches the controller; its packet-outs go through the pipeline to the senders."""
        fields = event_fields(event)
        self.log.append(f"  event {EventType(fields['event']).name.lower()}, {_told_by(fields)}")
        told: Told = {}
        for packet in self.program.packet_in(event):
            count = packet.metadata.get("count")
            entries, rest = divmod(len(packet.payload), ENTRY_BYTES)
            if packet.metadata.get("magic") != PACKET_OUT_MAGIC:
                raise self.failed(f"magic of the packet-out is {packet.metadata.get('magic')}, expected {PACKET_OUT_MAGIC:#x}")
            if rest or count != entries or not entries:
                size = f"{len(packet.payload)} bytes of entries, which are {entries} of {ENTRY_BYTES}{f' and {rest} bytes' if rest else ''}"
                raise self.failed(f"count of the packet-out is {count}, but there are {size}")
            if packet.metadata.get("reserved"):
                raise self.failed(f"reserved of the packet-out is {packet.metadata['reserved']}, expected 0")
            for entry in _entries(packet.payload):
                if reserved := int.from_bytes(entry[RESERVED], "big"):
                    raise self.failed(f"reserved of an entry (its bytes 2 and 3) is {reserved}, expected 0")
            if entries > MOST_ENTRIES:
                raise self.failed(f"the packet-out has {entries} entries, expected {MOST_ENTRIES} at most: send several")
            told |= self._through_pipeline(PacketOutHeader(count=entries).encode() + packet.payload)
        return told

    def _through_pipeline(self, packet_out: bytes) -> Told:
        told: Told = {}
        sent = self.switch.send(CPU_PORT, packet_out)
        for frame in sent.to_controller():
            if event_fields(frame)["event"] == EventType.UNANSWERED:
                problem = {
                    1: "there is no such record (was it refused, or has it gone?)",
                    2: "its addresses are others",
                    3: "there is no route",
                    4: "it makes no sense",
                }
                raise self.failed(f"the switch cannot carry out an entry of your packet-out: {problem[event_fields(frame)['verdict']]}")
        for port, frame in sent.out:
            if port == CPU_PORT:
                continue
            fields = fields_of(frame)
            number, kind = fields["nodectl.destination_id"], KINDS.get(MessageType(fields["nodectl.type"]), "?")
            told[number] = (kind, fields["nodectl.max_kbps"])
            self.log.append(f"    you: {kind} {number} to {fields['nodectl.max_kbps']}")
            if kind == "reduce":
                self.rates[number] = fields["nodectl.max_kbps"]
        return told

    def expect(self, got: Told, expected: Told, hint: str, before: dict[int, int]) -> None:
        """The senders got the expected messages.

        Raises:
            Failed: some did not; a table shows them all, with the rates that they had.
        """
        if got == expected:
            return
        rows: list[tuple[str, ...]] = [("transmission", "had", "expected", "got", "")]
        for number in sorted(before | expected | got):
            texts = [" to ".join(map(str, one[number])) if number in one else "-" for one in (expected, got)]
            rows.append((str(number), str(before.get(number, "-")), *texts, "◀" if texts[0] != texts[1] else ""))
        number = min(number for number in expected.keys() | got.keys() if expected.get(number) != got.get(number))
        texts = [" to ".join(map(str, one[number])) if number in one else "nothing" for one in (got, expected)]
        raise self.failed(f"transmission {number} is told {texts[0]}, expected {texts[1]}: {hint}", table(rows))

    def failed(self, text: str, details: list[str] | None = None) -> Failed:
        """The mistake, with the events before it."""
        return Failed(text, [*(details or []), "what happened:", *(f"  {line}" for line in self.log[-20:])])


def _told_by(fields: dict[str, int]) -> str:
    verdict = f", verdict {fields['verdict']}" if fields["event"] == EventType.ADMITTED else ""
    return f"rate {fields['rate_kbps']}, share {fields['share_kbps']}{verdict}{', bottleneck' if fields['is_bottleneck'] else ''}"


def step(network: Network, act: Callable[[], Told], expected: Told, hint: str) -> None:
    """Something happens, and the senders get the expected messages."""
    before = dict(network.rates)
    network.expect(act(), expected, hint, before)


@check(points=3)
def reduces(switch: Switch, program: ControllerProgram) -> None:
    """The second transmission gets half, and the first is told to reduce: packet-in, list, packet-out."""
    network = Network(switch, program)
    step(network, lambda: network.request(1), {}, "it is alone")
    step(network, lambda: network.request(2), {1: ("reduce", 18_000)}, "it has all 36000, and B_c is 18000")


@check(points=3)
def reduces_those_above(switch: Switch, program: ControllerProgram) -> None:
    """In the second case those above B_c are reduced to it, and nobody else."""
    network = Network(switch, program)
    network.request(1)
    network.request(2)
    step(network, lambda: network.request(3, 5_000), {1: ("reduce", 12_000), 2: ("reduce", 12_000)}, "both have 18000, and B_c is 12000")
    hint = "B_c is 9000: transmission 3 has only 5000, so it stays"
    step(network, lambda: network.request(4), {1: ("reduce", 9_000), 2: ("reduce", 9_000)}, hint)
    hint = "B_c is 7200: three had 9000; transmission 3 has only 5000, so it stays"
    step(network, lambda: network.request(5), dict.fromkeys((1, 2, 4), ("reduce", 7_200)), hint)
    network.request(6, 3_333, port=3)
    network.request(7, port=3)
    hint = "B_c is 10000 / 3 = 3333: transmission 6 has exactly that, so it is not above"
    step(network, lambda: network.request(8, port=3), {7: ("reduce", 3_333)}, hint)


@check(points=1)
def leaves_alone(switch: Switch, program: ControllerProgram) -> None:
    """After the first case nobody is told anything; other events need no answer."""
    network = Network(switch, program)
    step(network, lambda: network.request(1, 20_000), {}, "it is alone")
    step(network, lambda: network.request(2, 10_000), {}, "16000 are free, and it wants 10000: the switch says the first case")
    network.request(1, 8_000, flags=Flags.REFRESH)
    for number in (11, 12, 13):
        network.request(number, port=3)
    for number in (12, 13):
        network.terminate(number, port=3)
    hint = "6667 are free, but transmission 11 was offered that when it became free: a refresh frees nothing"
    step(network, lambda: network.request(11, 3_333, port=3, flags=Flags.REFRESH), {}, hint)
    hint = "B_c is 5000 and transmission 11 has 3333, but 14 wants 2000 only, which are free: the switch says the first case"
    step(network, lambda: network.request(14, 2_000, port=3), {}, hint)
    for event in (EventType.RECORD, EventType.PORT_TOTALS, EventType.UNANSWERED):
        answer = program.packet_in(_event(event))
        if answer:
            raise network.failed(f"after event {int(event)} ({event.name.lower()}) your program sent a packet-out: there is nothing to do")


@check(points=3)
def third_case(switch: Switch, program: ControllerProgram) -> None:
    """In the third case those held back by this port go up if they are below B_c, and down if they are above it; others stay."""
    network = Network(switch, program)
    network.request(1)
    network.request(2, 2_000)
    hint = "B_c is (16000 + 18000) / 2 = 17000: transmission 1 has 18000, so it is called back; 2 is held back elsewhere"
    step(network, lambda: network.request(3), {1: ("reduce", 17_000)}, hint)
    network.request(4, 1_000)
    network.terminate(1)
    hint = "transmissions 2 and 4 are held back elsewhere; 3 is held back by this port and below B_c"
    share = _third_share(network, held_back=(3,))
    step(network, lambda: network.request(5), {3: ("increase", share)}, hint)
    network.request(11, port=3)
    network.request(12, 1_000, port=3)
    network.request(13, port=3)
    network.terminate(13, port=3)
    hint = "B_c is (4500 + 4500) / 2 = 4500: transmission 11 has exactly that, so it is told nothing"
    step(network, lambda: network.request(14, port=3), {}, hint)


def _third_share(network: Network, held_back: tuple[int, ...]) -> int:
    free = CAPACITIES_KBPS[2] - sum(network.rates.values())
    return (free + sum(network.rates[number] for number in held_back)) // (1 + len(held_back))


@check(points=2)
def keeps_in_step(switch: Switch, program: ControllerProgram) -> None:
    """Records come, change and go with the events, port by port."""
    network = Network(switch, program)
    network.request(1)
    step(
        network,
        lambda: network.request(2, min_kbps=30_000),
        {},
        "it was refused (18000 is below its min), so there is nothing to make room for",
    )
    network.request(3)
    hint = "transmission 2 was refused, and has no record; 1 and 3 have 18000 each"
    step(network, lambda: network.request(4), {1: ("reduce", 12_000), 3: ("reduce", 12_000)}, hint)
    step(network, lambda: network.request(9, port=3), {}, "it is alone on port 3; the others are on port 2")
    network.request(3, 4_000, flags=Flags.REFRESH)
    hint = "transmission 3 has only 4000 since its refresh; 1 and 4 have 12000"
    step(network, lambda: network.request(5), {1: ("reduce", 9_000), 4: ("reduce", 9_000)}, hint)
    network.terminate(9, port=3)
    network.request(11, port=3)
    hint = "another switch has reduced it: an event to be noted, not to be answered"
    step(network, lambda: network.reduced_elsewhere(11, 2_000, port=3), {}, hint)
    hint = "transmission 11 was reduced to 2000 by another switch, and is held back there: B_c is what is free, 8000"
    step(network, lambda: network.request(12, port=3), {}, hint)
    network.request(12, port=3, flags=Flags.RENEGOTIATION, min_kbps=9_000)
    network.request(13, port=3)
    hint = "transmission 12 asked again for 9000 at least and was refused, so its record is gone; 13 has 8000, and B_c is 3333"
    step(network, lambda: network.request(14, port=3), {13: ("reduce", 3_333)}, hint)


@check(points=2)
def gives_back(switch: Switch, program: ControllerProgram) -> None:
    """When one goes, those held back by this port are offered (B_v + B_ctl) / Q_ctl each, rounded down."""
    network = Network(switch, program)
    for number in (1, 2, 3):
        network.request(number)
    step(network, lambda: network.terminate(2), {1: ("increase", 18_000), 3: ("increase", 18_000)}, "12000 are free, and two are left")
    network.request(1, 18_000, flags=Flags.RENEGOTIATION)
    network.request(3, 18_000, flags=Flags.RENEGOTIATION)
    network.request(4, 7_001)
    hint = "transmission 4 is held back elsewhere (it wanted 7001 and got it): 1 has 12000, and 17000 are free"
    free = CAPACITIES_KBPS[2] - network.rates[1] - network.rates[4]
    step(network, lambda: network.terminate(3), {1: ("increase", free + network.rates[1])}, hint)
    hint = "nobody is left on the port"
    network.terminate(4)
    step(network, lambda: network.terminate(1), {}, hint)
    network.request(11, 6_000, port=3)
    network.request(12, port=3)
    hint = "transmission 11 wanted 6000, but you have reduced it to 5000 since: it is held back by this port now"
    step(network, lambda: network.terminate(12, port=3), {11: ("increase", 10_000)}, hint)
    network.terminate(11, port=3)
    _gives_back_what_is_free(network)


def _gives_back_what_is_free(network: Network) -> None:
    """The same at the limits: with more given out than the port carries, with nothing free, with 1 kbit/s."""
    cases: tuple[tuple[int, int, Told, str], ...] = (
        (8_000, 3_000, {}, "11000 of 10000 are given out: nothing has become free"),
        (7_000, 3_000, {}, "10000 of 10000 are given out: nothing has become free"),
        (6_999, 3_000, {22: ("increase", 5_000)}, "1 is free: (1 + 9999) / 2 = 5000, which transmission 21 has already"),
        (5_000, 4_000, {22: ("increase", 5_000)}, "1000 are free: (1000 + 9000) / 2 = 5000, which transmission 21 has exactly"),
    )
    for first, second, expected, hint in cases:
        network.tell(EventType.ADMITTED, 21, first)
        network.tell(EventType.ADMITTED, 22, second)
        network.tell(EventType.ADMITTED, 23, 500)
        network.tell(EventType.ADMITTED, 24, 400)
        network.tell(EventType.REFUSED, 24)
        step(network, lambda: network.tell(EventType.REMOVED, 23), expected, hint)


@check(points=2)
def many_at_once(switch: Switch, program: ControllerProgram) -> None:
    """A list may have more than 64 entries; a packet-out may not."""
    network = Network(switch, program)
    for number in range(1, 91):
        network.request(number, 400)
    everybody: Told = dict.fromkeys(range(1, 91), ("reduce", 395))
    step(network, lambda: network.request(91), everybody, "90 have 400 each, and B_c is 36000 / 91 = 395")


def _event(event: EventType, number: int = 1, rate_kbps: int = 0, port: int = 0) -> bytes:
    """An event; without more than its kind, of no record that anybody knows."""
    return Event(
        event=event, verdict=1, data_port=port, rate_kbps=rate_kbps, previous_rate_kbps=0, port_sum_kbps=0, port_count=0,
        bottleneck_sum_kbps=0, bottleneck_count=0, expected_arrivals_q8=0, slot=0, is_bottleneck=port != 0,
        id=TransmissionId(number, number, 0), sender_ip=0, receiver_ip=0, last_seen_us=0,
    ).encode()  # fmt: skip


def _entries(payload: bytes) -> list[bytes]:
    return [payload[at : at + ENTRY_BYTES] for at in range(0, len(payload), ENTRY_BYTES)]


@check(points=4, scenario="run.toml")
def come_and_go(run: Measured) -> None:
    """Three transmissions come without a loss, and when one has gone, the two others have its part."""
    run.at_most("queue_drops", 0, "the others have to be reduced before the newcomer begins")
    for name in ("A", "B"):
        run.between(f"mean_mbps.{name}", 16.5, 17.2, "half of 36 Mbit/s of frames is 16.9 Mbit/s of payload")
