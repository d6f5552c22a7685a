"""Lab 3: does the switch count, and does it find the flows that send much?"""

from itertools import product
from typing import Any

from labs.check import Failed, but, check, field_of, udp
from labs.check.measured import Measured
from labs.check.switch import Sent, Switch

OWN, NEXT = "02:00:00:00:00:99", "02:00:00:00:00:88"
HEAVY_BYTES = 100_000
WINDOW_S = 2**20 / 1e6
HEAVY, LIGHT = 0, 1
"""Priorities of the two queues."""

LOWER_EFFORT = 8
FRAME_BYTES = 1000
HEADERS_BYTES = 42
CELLS, ROWS, MANY, LEAST_BYTES = 1024, 3, 3000, 64
OTHERS: dict[str, Any] = {
    "udp_source_port": 5002,
    "udp_destination_port": 5003,
    "ipv4_source": "10.0.1.2",
    "ipv4_destination": "10.0.2.2",
}
"""The fields of another flow."""

FEW = 0.06
"""The largest share of light flows that may be taken for heavy ones, where 400 flows send 80,000 bytes each. By chance, a sketch of three
rows of 1024 cells takes 3 %, since a flow has to share its cell in each row. One row alone would take 32 %."""


def set_up(switch: Switch) -> None:
    """Two prefixes."""
    switch.route("10.0.2.0/24", 2, OWN, NEXT)
    switch.route("10.0.3.0/24", 3, OWN, NEXT)


def packet(size: int = FRAME_BYTES, **fields: Any) -> bytes:
    """A frame of a size."""
    return udp(bytes(size - HEADERS_BYTES), **fields)


def is_marked(frame: bytes) -> bool:
    """Whether it has the code point of heavy flows."""
    return field_of(frame, "ipv4.dscp_ecn") >> 2 == LOWER_EFFORT


def send_flow(switch: Switch, count: int, **fields: Any) -> Sent:
    """Send packets of one flow; the last one."""
    switch.send_many(1, [packet(**fields)] * (count - 1))
    return switch.send(1, packet(**fields))


def expect_light(sent: Sent, why: str) -> None:
    """The packet is of a light flow."""
    if is_marked(sent.leaves(2)):
        raise sent.failed(f"the packet is marked as one of a heavy flow, expected it unmarked: {why}")


def expect_heavy(sent: Sent, why: str) -> None:
    """The packet is of a heavy flow."""
    sent.leaves(2, why, ipv4_dscp_ecn=LOWER_EFFORT << 2)


@check(points=3)
def counts_bytes(switch: Switch) -> None:
    """Register port_bytes has, for each port, the bytes of the frames that left by it."""
    sizes = {"10.0.2.1": (100, 1500, 60), "10.0.3.1": (64,)}
    for address, frames in sizes.items():
        for size in frames:
            switch.send(1, packet(size, ipv4_destination=address))
    switch.send(1, packet(500, ipv4_destination="192.0.2.1"))
    switch.send(1, packet(500, ipv4_ttl=1))
    switch.send(1, packet(500, ipv4_checksum=0x1234)).is_dropped("its IPv4 checksum is wrong")
    for port, address in ((2, "10.0.2.1"), (3, "10.0.3.1")):
        expected, got = sum(sizes[address]), switch.register("port_bytes", port)
        if got != expected:
            raise Failed(f"port_bytes[{port}] is {got}, expected {expected}{_why(got, sizes[address])}")
    for port in (0, 1, 511):
        if got := switch.register("port_bytes", port):
            raise Failed(f"port_bytes[{port}] is {got}, expected 0: nothing left by port {port}; packets that are dropped do not count")


def _why(got: int, sizes: tuple[int, ...]) -> str:
    if got == 0:
        return ": nothing was written"
    if got == sizes[-1] and len(sizes) > 1:
        return ": that is the last packet alone; read what is there, add, and write it back"
    if got == len(sizes):
        return ": that is the number of packets"
    if got == sum(sizes) - 14 * len(sizes):
        return ": the Ethernet headers are missing; count the frame (packet_length), not total_length"
    if got in (sum(sizes) + 500, sum(sizes) + 1000):
        return ": a packet that was dropped is counted too"
    return ""


@check(points=2)
def finds_heavy(switch: Switch) -> None:
    """A flow is heavy from the packet on that makes it more than 100,000 bytes in this window."""
    switch.at(0.1)
    expect_light(send_flow(switch, 1), "it is the first packet of its flow")
    expect_light(send_flow(switch, HEAVY_BYTES // FRAME_BYTES - 1), "the flow has sent exactly 100,000 bytes, which is not more")
    expect_heavy(send_flow(switch, 1), "with this packet the flow has sent 101,000 bytes: it counts too")
    other: dict[str, Any] = {"udp_source_port": 5050}
    switch.send_many(1, [*[packet(**other)] * 99, packet(941, **other)])
    expect_heavy(switch.send(1, packet(60, **other)), "the flow has sent 100,001 bytes, which is more than 100,000")


@check(points=1)
def marks_alone(switch: Switch) -> None:
    """The mark is DSCP 8; the ECN bits and all other fields stay, and the checksum is right."""
    switch.at(0.1)
    for ecn in (0, 1, 3):
        sent = send_flow(switch, 101, ipv4_dscp_ecn=0xB8 | ecn)
        expected = but(sent.frame, ethernet_source=OWN, ethernet_destination=NEXT, ipv4_ttl=63, ipv4_dscp_ecn=LOWER_EFFORT << 2 | ecn)
        sent.leaves_as(2, expected, "DSCP are the upper six bits of dscp_ecn, ECN the lower two")


@check(points=2)
def heavy_waits(switch: Switch) -> None:
    """Packets of heavy flows wait in queue 0, all others in queue 1, which goes first."""
    switch.at(0.1)
    for sent, priority, what in ((send_flow(switch, 1), LIGHT, "light"), (send_flow(switch, 100), HEAVY, "heavy")):
        if sent.priorities != (priority,):
            raise sent.failed(
                f"a packet of a {what} flow waits in queue {', '.join(map(str, sent.priorities)) or '(none)'}, expected queue {priority}: "
                "standard_metadata.priority says which"
            )


@check(points=2)
def tells_flows_apart(switch: Switch) -> None:
    """Packets with the same addresses, protocol and ports are one flow: flows that differ in one of them are counted apart."""
    switch.at(0.1)
    first: dict[str, Any] = {
        "udp_source_port": 5000,
        "udp_destination_port": 5001,
        "ipv4_source": "10.0.1.1",
        "ipv4_destination": "10.0.2.1",
    }
    others = OTHERS
    send_flow(switch, 60, **first)
    for field, value in others.items():
        name = field.replace("_", ".", 1)
        expect_light(
            send_flow(switch, 60, **{**first, field: value}), f"it differs from an earlier flow in {name}, and has sent 60,000 bytes"
        )
    last = send_flow(switch, 60, **first, ipv4_protocol=6)
    expect_light(last, "it differs from an earlier flow in ipv4.protocol, and has sent 60,000 bytes")
    for field in ("udp_source_port", "udp_destination_port"):
        of_tcp: dict[str, Any] = {**first, "ipv4_protocol": 6, field: others[field]}
        why = f"it differs from an earlier flow of TCP in its {field[4:].replace('_', ' ')}, and has sent 60,000 bytes"
        expect_light(send_flow(switch, 60, **of_tcp), why)
    expect_heavy(send_flow(switch, 60, **first), "the first flow has sent 120,000 bytes by now, with packets of others in between")
    portless: dict[str, Any] = {"ipv4_source": "10.0.1.3", "udp_source_port": 0, "udp_destination_port": 0}
    send_flow(switch, 60, **portless)
    why = "a fragment has no ports, which count as 0: with those of ports 0 and 0 before it, its flow has sent 120,000 bytes"
    expect_heavy(send_flow(switch, 60, **portless, ipv4_fragment_offset=1), why)


@check(points=2)
def rows_are_whole(switch: Switch) -> None:
    """There are three rows of 1024 cells, and each counts every packet by all that names its flow."""
    switch.at(1.5 * WINDOW_S)
    rows = [name for name, size in switch.registers().items() if not name.endswith("port_bytes")]
    sizes = [switch.registers()[name] for name in rows]
    if sizes != [CELLS] * ROWS:
        raise Failed(
            f"beside port_bytes there are registers of {', '.join(map(str, sizes)) or 'no'} cells, expected {ROWS} of {CELLS}: the rows"
        )
    # Sizes are powers of two, so that the sum in a cell says which flows are in it.
    flows: list[dict[str, Any]] = [{}, *({field: value} for field, value in {**OTHERS, "ipv4_protocol": 6}.items())]
    switch.send_many(1, [packet(LEAST_BYTES << number, **flow) for number, flow in enumerate(flows)])
    sent = sum(LEAST_BYTES << number for number in range(len(flows)))
    for name in rows:
        contents = _bytes_in(switch, name)
        for number, flow in enumerate(flows[1:], start=1):
            if any(content & LEAST_BYTES and content & LEAST_BYTES << number for content in contents):
                field = next(iter(flow)).replace("_", ".", 1)
                raise Failed(
                    f"two flows that differ in {field} are in one cell of {name}: the hash of each row covers all that names a flow"
                )
        _expect_all(name, contents, sent)
    switch.send_many(1, [packet(LEAST_BYTES, ipv4_source=f"10.1.{number >> 8}.{number & 255}") for number in range(MANY)])
    for name in rows:
        _expect_all(name, _bytes_in(switch, name), sent + MANY * LEAST_BYTES)


def _bytes_in(switch: Switch, name: str) -> list[int]:
    """The half of each cell that is not the window, which is 1."""
    halves = [(content >> 32, content & 0xFFFFFFFF) for content in switch.cells(name)]
    is_first = all(first == 1 for first, second in halves if (first, second) != (0, 0))
    return [second if is_first else first for first, second in halves]


def _expect_all(name: str, contents: list[int], sent: int) -> None:
    if sum(contents) != sent:
        hint = "is each packet added once, to what is there or to 0, and is its cell one of the 1024, from 0 on?"
        raise Failed(f"the cells of {name} have {sum(contents)} bytes together, expected {sent}, which were sent: {hint}")


@check(points=2)
def forgets(switch: Switch) -> None:
    """With a new window of 2^20 µs counting begins anew, for every flow."""
    switch.at(0.9 * WINDOW_S)
    expect_heavy(send_flow(switch, 101), "it has sent 101,000 bytes in the first window")
    switch.at(1.01 * WINDOW_S)
    expect_light(send_flow(switch, 60), "a new window has begun, and it has sent 60,000 bytes in it")
    switch.at(1.99 * WINDOW_S)
    expect_heavy(send_flow(switch, 60), "it is the same window still, and the flow has sent 120,000 bytes in it")
    switch.at(7.5 * WINDOW_S)
    expect_light(send_flow(switch, 60), "several windows have passed, and it has sent 60,000 bytes in this one")


@check(points=3)
def collides_seldom(switch: Switch) -> None:
    """Of 400 flows that send 80,000 bytes each, hardly one is taken for a heavy one: in one of three rows nobody shares its cell."""
    switch.at(0.1)
    sources = [f"10.0.1.{number}" for number in range(1, 21)]
    flows: list[dict[str, Any]] = [
        {"ipv4_source": source, "udp_source_port": 20_000 + 977 * number, "udp_destination_port": 443}
        for source, number in product(sources, range(20))
    ]
    frames_of_flows = [packet(40_000, **flow) for flow in flows]
    for _ in range(2):
        out = switch.send_many(1, frames_of_flows)
    wrong = sum(is_marked(frames[0]) for frames in out if frames) / len(flows)
    if wrong > FEW:
        raise Failed(
            f"{wrong:.0%} of 400 light flows are taken for heavy ones, expected at most {FEW:.0%}: what a row says is never too little, "
            "so the least of three rows counts; and the rows must differ in their hashes"
        )
    heavy = [packet(40_000, ipv4_source="10.0.1.99") for _ in range(3)]
    last = switch.send_many(1, heavy)[-1]
    if not last or not is_marked(last[0]):
        raise Failed("among 400 light flows, one that has sent 120,000 bytes is not found")


@check(points=3, scenario="run.toml")
def short_ones_go_first(run: Measured) -> None:
    """Short transmissions are no longer held up by a long one, which hardly notices."""
    for number in (1, 2, 3):
        run.at_most(f"took_ms.short{number}", 120, "a short transmission waits behind the long one's packets")
    run.at_least("mean_mbps.long", 8.0, "the long one has the rest of 10 Mbit/s")
