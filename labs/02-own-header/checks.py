"""Lab 2: does the switch read, check and answer messages?"""

from typing import Any

from labs.check import but, check, expect_equal, message, udp
from labs.check.measured import Measured
from labs.check.switch import Sent, Switch
from protocol.codes import VERSION_2_TYPES, ErrorReason, MessageType
from protocol.headers import MessageHeader
from protocol.layout import layout_of

OWN, NEXT = "02:00:00:00:00:99", "02:00:00:00:00:88"
SLOW, FAST, UNKNOWN = 2, 3, 4
"""Ports: of a link of 20 Mbit/s, of one of 1 Gbit/s, and one whose capacity nobody has told."""

TO = {port: f"10.0.{port}.1" for port in (SLOW, FAST, UNKNOWN)}


def set_up(switch: Switch) -> None:
    """A route by each port, and the capacities of two."""
    for port in TO:
        switch.route(f"10.0.{port}.0/24", port, OWN, NEXT)
    for port, capacity_kbps in ((SLOW, 20_000), (FAST, 1_000_000)):
        switch.add_entry("port_capacity", [{"exact": f"{port:04x}"}], "set_capacity", [f"{capacity_kbps:08x}", "00000000"])


def request(port: int = SLOW, max_kbps: int = 100_000, **fields: Any) -> bytes:
    """A request that leaves by a port."""
    return message(MessageType.REQUEST, max_kbps, ipv4_destination=TO[port], **fields)


def forwarded(packet: bytes, **changes: int | str) -> bytes:
    """The packet as it is forwarded, with further changes."""
    return but(packet, ethernet_source=OWN, ethernet_destination=NEXT, ipv4_ttl=63, **changes)


def unchanged(switch: Switch, packet: bytes, port: int, hint: str) -> Sent:
    """It is forwarded, and nothing else."""
    sent = switch.send(1, packet)
    sent.leaves_as(port, forwarded(packet, udp_checksum=int.from_bytes(packet[40:42], "big")), hint)
    return sent


def lowers(switch: Switch) -> None:
    """A program that does nothing at all leaves other packets alone too: that earns nothing."""
    switch.send(1, request()).leaves(SLOW, "a request has to be lowered before it counts what is left alone", nodectl_max_kbps=20_000)


@check(points=2)
def header_is_declared(switch: Switch) -> None:
    """Header nodectl_t has the fields of docs/protocol/wire-format.md, in their order and with their widths."""
    switch.declares("nodectl_t", [(field.name, field.bits) for field in layout_of(MessageHeader).fields])


@check(points=3)
def lowers_max(switch: Switch) -> None:
    """A request's max is lowered to the capacity of the port that it leaves by."""
    switch.send(1, request(SLOW, 100_000)).leaves(SLOW, "the link behind port 2 carries 20000 kbit/s", nodectl_max_kbps=20_000)
    switch.send(1, request(SLOW, 20_001)).leaves(SLOW, "the link behind port 2 carries 20000 kbit/s", nodectl_max_kbps=20_000)
    switch.send(1, request(FAST, 4_000_000_000)).leaves(FAST, "the link behind port 3 carries 1 Gbit/s", nodectl_max_kbps=1_000_000)


@check(points=1)
def never_raises_max(switch: Switch) -> None:
    """A max that is not above the capacity stays, and so does the message."""
    lowers(switch)
    unchanged(switch, request(SLOW, 5_000), SLOW, "somebody before has lowered max to 5000: a switch never raises it")
    unchanged(switch, request(SLOW, 20_000), SLOW, "max is exactly the capacity")
    without = request(SLOW, 20_000, udp_checksum=0)
    unchanged(switch, without, SLOW, "max is exactly the capacity: nothing has changed, so there is no checksum to compute")
    unchanged(switch, request(UNKNOWN, 100_000), UNKNOWN, "port 4 has no entry in port_capacity: it takes no part")


@check(points=3)
def checksum_is_right(switch: Switch) -> None:
    """A message that was changed has the right UDP checksum, and is otherwise as it was."""
    without = request(SLOW, 100_000, udp_checksum=0)
    for packet in (
        request(SLOW, 100_000),
        request(SLOW, 4_000_000_000, number=7, nodectl_rtt_us=5, nodectl_min_kbps=1000, nodectl_subflow=3),
        without,
    ):
        switch.send(1, packet).leaves_as(SLOW, forwarded(packet, nodectl_max_kbps=20_000))


@check(points=2)
def refuses(switch: Switch) -> None:
    """A request that needs more than the capacity comes back as a failure, by the port it came in by."""
    packet = request(SLOW, 100_000, nodectl_min_kbps=20_001, ipv4_ttl=9)
    back = switch.send(1, packet)
    hint = "it needs 20001 kbit/s at least, and the link carries 20000"
    back.leaves(1, hint)
    back.leaves(1, "a failure is type 0x0013", nodectl_type=MessageType.FAILURE)
    back.leaves(1, "it goes to the sender, from the receiver", ipv4_source=TO[SLOW], ipv4_destination="10.0.1.1")
    back.leaves(
        1,
        "it goes back to where the frame came from",
        ethernet_source="02:00:00:00:01:01",
        ethernet_destination="02:00:00:00:00:01",
    )
    back.leaves(1, "the switch sends it anew, with a TTL of 64", ipv4_ttl=64)
    answer = but(
        packet,
        ethernet_source="02:00:00:00:01:01",
        ethernet_destination="02:00:00:00:00:01",
        ipv4_source=TO[SLOW],
        ipv4_destination="10.0.1.1",
        ipv4_ttl=64,
        nodectl_type=MessageType.FAILURE,
    )
    back.leaves_as(1, answer, "max, min and all others are as they came")
    exactly = request(SLOW, 100_000, nodectl_min_kbps=20_000)
    switch.send(1, exactly).leaves(SLOW, "it needs 20000 kbit/s, which is what there is", nodectl_max_kbps=20_000)


@check(points=2)
def counts_malformed(switch: Switch) -> None:
    """Malformed messages are counted by reason, the first that applies, and forwarded unchanged."""
    cases = (
        (ErrorReason.VERSION, request(nodectl_version=2), "its version is 2"),
        (ErrorReason.VERSION, request(nodectl_version=0, nodectl_type=0x0099), "its version is 0, which comes before its type"),
        (ErrorReason.TYPE, request(nodectl_type=0x0014), "there is no type 0x0014"),
        (ErrorReason.MAX_ZERO, request(max_kbps=0, nodectl_min_kbps=5), "its max is 0"),
        (ErrorReason.MIN_ABOVE_MAX, request(max_kbps=30_000, nodectl_min_kbps=30_001), "its min is above its max"),
    )
    for reason, packet, what in cases:
        before = switch.counter("message_errors", reason)
        sent = unchanged(switch, packet, SLOW, f"{what}: it is counted and otherwise ignored")
        counted = switch.counter("message_errors", reason) - before
        if counted != 1:
            raise sent.failed(f"message_errors[{int(reason)}] was counted {counted} times, expected once: {what}")


@check(points=2)
def leaves_others_alone(switch: Switch) -> None:
    """Other messages and other packets are forwarded unchanged, and counted nowhere."""
    lowers(switch)
    others = [
        message(kind, kind != MessageType.TERMINATE, ipv4_destination=TO[SLOW])
        for kind in MessageType
        if kind not in {MessageType.REQUEST, *VERSION_2_TYPES}
    ]
    cases = [(packet, "it is no request, and the switch has nothing to do with it") for packet in others] + [
        (request(udp_source_port=53), "its source port is 53: this is not a message, whatever it looks like"),
        (request(udp_destination_port=5353), "its destination port is not 4747"),
        (request(SLOW, 9_000, nodectl_min_kbps=9_000), "its min is its max, which is not above it"),
        (message(payload=bytes(31), ipv4_destination=TO[SLOW]), "it is one byte too short for a message"),
        (message(payload=bytes(40), ipv4_destination=TO[SLOW]), "it is too long for a message"),
        (request(ipv4_more_fragments=1), "it is a fragment, whose rest is somewhere else"),
        (udp(ipv4_destination=TO[SLOW]), "it is ordinary UDP"),
    ]
    for packet, what in cases:
        sent = unchanged(switch, packet, SLOW, what)
        for reason in ErrorReason:
            if switch.counter("message_errors", reason):
                raise sent.failed(f"it was counted in message_errors[{int(reason)}], though {what}")


@check(points=2)
def still_forwards(switch: Switch) -> None:
    """A message without a route, whose TTL runs out, or whose IPv4 checksum is wrong is dropped before it is looked at."""
    lowers(switch)
    switch.send(1, message(ipv4_destination="192.0.2.1")).is_dropped("there is no route to 192.0.2.1")
    tight = request(SLOW, 100_000, nodectl_min_kbps=50_000, ipv4_ttl=1)
    switch.send(1, tight).is_dropped("its TTL has run out, so nobody answers it")
    switch.send(1, request(ipv4_checksum=0x1234)).is_dropped("its IPv4 checksum is wrong: nobody knows where it was to go")
    bad = request(nodectl_version=9, ipv4_ttl=1)
    switch.send(1, bad).is_dropped("its TTL has run out")
    expect_equal("message_errors[2]", 0, switch.counter("message_errors", ErrorReason.VERSION), "dropped packets are not looked at")


@check(points=3, scenario="run.toml")
def senders_listen(run: Measured) -> None:
    """Real senders keep to it: one sends what the link carries without a loss, the other, which needs more, does not begin."""
    run.between("mean_mbps.A", 18.5, 19.5, "A should send 20 Mbit/s of frames, 19.1 of payload")
    run.at_most("queue_drops", 0, "a sender that keeps to the link's rate loses nothing")
    run.at_most("mean_mbps.B", 0.0, "B needs 30 Mbit/s and was to be refused")
