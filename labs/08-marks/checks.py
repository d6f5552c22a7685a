"""Lab 8: does the switch mark the right packets, and does it know how many?"""

from typing import Any

from labs.check import Failed, but, check, field_of, ipv4
from labs.check.measured import Measured
from labs.check.switch import Queue, Sent, Switch

OWN, NEXT = "02:00:00:00:00:99", "02:00:00:00:00:88"
THRESHOLD = 20
NOT_ECT, ECT_1, ECT_0, CE = range(4)
WINDOW = 64
ONE = 65536
SHORT, LONG = Queue(before=THRESHOLD), Queue(before=THRESHOLD + 1)
"""The longest queue in which nothing is marked, and the shortest in which something is."""

NAMES = ("not ECT", "ECT(1)", "ECT(0)", "CE")


def set_up(switch: Switch) -> None:
    """Two prefixes."""
    switch.route("10.0.2.0/24", 2, OWN, NEXT)
    switch.route("10.0.3.0/24", 3, OWN, NEXT)


def send(switch: Switch, ecn: int, queue: Queue, **fields: Any) -> Sent:
    """Send a packet with an ECN field into a queue."""
    return switch.send(1, ipv4(**{"ipv4_dscp_ecn": ecn} | fields), queue)


def expect_ecn(sent: Sent, expected: int, why: str) -> None:
    """The packet leaves with this ECN field."""
    got = field_of(sent.leaves(2), "ipv4.dscp_ecn") & 3
    if got != expected:
        raise sent.failed(f"the packet leaves as {NAMES[got]}, expected {NAMES[expected]}: {why}")


def send_window(switch: Switch, packets: int, marked: int, destination: str = "10.0.2.1") -> None:
    """Send so many ECT packets to a host, the first ones of which find a long queue."""
    frame = ipv4(ipv4_dscp_ecn=ECT_0, ipv4_destination=destination)
    switch.send_many(1, [frame] * marked, LONG)
    switch.send_many(1, [frame] * (packets - marked))


@check(points=4)
def marks_above_the_threshold(switch: Switch) -> None:
    """A packet that finds more than 20 packets waiting leaves with CE; one that finds 20 does not."""
    for ecn in (ECT_0, ECT_1):
        expect_ecn(send(switch, ecn, LONG), CE, f"{THRESHOLD + 1} packets waited when it came")
        expect_ecn(send(switch, ecn, Queue(before=400)), CE, "400 packets waited when it came")
        expect_ecn(send(switch, ecn, SHORT), ecn, f"{THRESHOLD} packets waited when it came, which is not more than {THRESHOLD}")
        expect_ecn(send(switch, ecn, Queue()), ecn, "nothing waited when it came")


@check(points=2)
def goes_by_arrival(switch: Switch) -> None:
    """The queue that the packet found when it came counts, not the queue that it leaves behind, nor the time that it waited."""
    expect_ecn(send(switch, ECT_0, Queue(before=100)), CE, "100 packets waited when it came, and nobody when it left")
    sent = send(switch, ECT_0, Queue(before=1, behind=100))
    expect_ecn(sent, ECT_0, "one packet waited when it came, and 100 when it left: it is those that have to be marked")
    expect_ecn(send(switch, ECT_0, Queue(before=1, waited_us=50_000)), ECT_0, "it has waited for long, but behind one packet only")


@check(points=2)
def leaves_others_alone(switch: Switch) -> None:
    """Packets whose senders do not know of ECN are never marked: nobody would hear of it."""
    expect_ecn(send(switch, ECT_0, LONG), CE, "its sender knows of ECN")
    expect_ecn(send(switch, NOT_ECT, Queue(before=400)), NOT_ECT, "its sender does not know of ECN")


@check(points=2)
def marks_two_bits(switch: Switch) -> None:
    """Only the ECN field changes: the DSCP stays, the checksum is right, and a packet that came with a wrong one is dropped."""
    for dscp in (0, 46):
        sent = send(switch, dscp << 2 | ECT_0, LONG)
        expected = but(sent.frame, ethernet_source=OWN, ethernet_destination=NEXT, ipv4_ttl=63, ipv4_dscp_ecn=dscp << 2 | CE)
        sent.leaves_as(2, expected, "dscp_ecn is the DSCP, 6 bits, then ECN, 2 bits")
    damaged = send(switch, ECT_0, LONG, ipv4_checksum=0x1234)
    damaged.is_dropped("its checksum is wrong when it comes: a new one must not hide that")


@check(points=3)
def counts_marks(switch: Switch) -> None:
    """Counter `marked` has, for each port, the packets that this switch has marked."""
    for number in range(7):
        send(switch, ECT_0, LONG)
        if number % 2:
            send(switch, ECT_0, LONG, ipv4_destination="10.0.3.1")
    found = (7, 3)
    _compare_counts(switch, found, "")
    send(switch, CE, LONG)
    _compare_counts(switch, found, "a packet that came with a mark was marked by somebody before")
    send(switch, ECT_0, SHORT)
    send(switch, NOT_ECT, LONG)
    _compare_counts(switch, found, "a packet that was not marked is counted")


def _compare_counts(switch: Switch, expected: tuple[int, int], why: str) -> None:
    got = tuple(switch.counter("marked", port) for port in (2, 3))
    if got != expected:
        hint = why or ("nothing was counted" if got == (0, 0) else "one cell for each port, that of egress_port")
        raise Failed(f"marked[2] and marked[3] are {got[0]} and {got[1]}, expected {expected[0]} and {expected[1]}: {hint}")


@check(points=4)
def averages(switch: Switch) -> None:
    """Every 64 packets, register `alpha` of a port becomes 15/16 of itself plus 1/16 of the share that is marked, in 1/65536."""
    expected = 0
    history: list[str] = []
    for marked in (0, WINDOW, WINDOW, 16, 0):
        send_window(switch, WINDOW - 1, min(marked, WINDOW - 1))
        _compare_alpha(switch, expected, history, f"{WINDOW - 1} packets of this window have gone, and the average is due with the 64th")
        send(switch, ECT_0, LONG if marked == WINDOW else Queue())
        expected = expected - expected // 16 + marked * ONE // WINDOW // 16
        history.append(f"64 packets, {marked} of them marked: {expected}")
        _compare_alpha(switch, expected, history, _why_alpha(switch, marked))
    for _ in range(WINDOW):
        send(switch, NOT_ECT, LONG)
    _compare_alpha(switch, expected, history, "packets that cannot be marked say nothing")
    frame = ipv4(ipv4_dscp_ecn=CE)
    switch.send_many(1, [frame] * WINDOW)
    expected = expected - expected // 16 + ONE // 16
    _compare_alpha(switch, expected, history, "64 packets came with a mark: the receiver sees it, whoever made it")
    send_window(switch, WINDOW, WINDOW, "10.0.3.1")
    if (got := switch.register("alpha", 3)) != ONE // 16:
        raise Failed(f"alpha[3] is {got}, expected {ONE // 16}: each port has a window and an average of its own")
    _compare_alpha(switch, expected, history, "these went by port 3")


def _why_alpha(switch: Switch, marked: int) -> str:
    got = switch.register("alpha", 2)
    if got == 0:
        return "nothing was written, or the share came to 0: 64 is a power of two, so marks / 64 / 16 in 1/65536 is a shift to the left"
    if got == marked * ONE // WINDOW:
        return "that is the share of the last window alone"
    if got == marked:
        return "that is the number of marks"
    return "the average keeps 15/16 of itself, and both counts begin anew after 64 packets"


def _compare_alpha(switch: Switch, expected: int, history: list[str], why: str) -> None:
    got = switch.register("alpha", 2)
    if got != expected:
        raise Failed(f"alpha[2] is {got}, expected {expected}: {why}", ["expected, window by window:", *history])


@check(points=3, scenario="run.toml")
def keeps_the_queue_short(run: Measured) -> None:
    """Three connections with DCTCP share the link evenly, the queue stays short, and the link is used."""
    run.at_most("smoothed_rtt_ms", 15, "8 ms is the way itself; the queue alone would make it 105")
    run.at_least("total_mbps", 45, "so few packets wait that the link runs dry: what is marked, and when?")
    run.at_least("jain", 0.97, "the last of them has had two seconds by then, and marks tell whoever sends more to slow down more")
