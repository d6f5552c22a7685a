"""Lab 11: does each packet wait in the right queue, and does each queue tell its senders as much as the other?"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from labs.check import Failed, but, check, field_of, ipv4
from labs.check.measured import Measured
from labs.check.switch import Queue, Switch

OWN, NEXT = "02:00:00:00:00:99", "02:00:00:00:00:88"
NOT_ECT, ECT_1, ECT_0, CE = range(4)
NAMES = ("not ECT", "ECT(1)", "ECT(0)", "CE")
LOW_LATENCY, CLASSIC = range(2)
QUEUES = ("the low-latency queue", "the classic queue")
TIME_SHIFT_US = 30_000
STEP_US = 1000
ONE = 1 << 48
NEVER = (1 << 48) - 1
NOW_S = 5.0
BEHIND = Queue(behind_bytes=1514)
"""A queue that is not empty when the packet leaves, which has not waited."""


def set_up(switch: Switch) -> None:
    """Two prefixes."""
    switch.route("10.0.2.0/24", 2, OWN, NEXT)
    switch.route("10.0.3.0/24", 3, OWN, NEXT)
    switch.at(NOW_S)


def packet(ecn: int, **fields: Any) -> bytes:
    """A frame with an ECN field."""
    return ipv4(**{"ipv4_dscp_ecn": ecn} | fields)


def set_probability(switch: Switch, p: float, port: int = 2) -> None:
    """Let p' be this, and stay so: the next tick never comes."""
    switch.write_register("next_ticks", port, NEVER)
    switch.write_register("probabilities", port, round(p * ONE))


def fates(switch: Switch, ecn: int, packets: int, queue: Queue = BEHIND, **fields: Any) -> list[bool]:
    """Whether each of so many packets was marked or dropped."""
    sent = switch.send_many(1, [packet(ecn, **fields)] * packets, queue)
    return [not frames or (ecn != CE and field_of(frames[0], "ipv4.dscp_ecn") & 3 == CE) for frames in sent]


def expect_share(told: Sequence[bool], expected: int, what: str, why: str) -> None:
    """So many of the packets were told, give or take one."""
    if abs(sum(told) - expected) > 1:
        raise Failed(f"{sum(told)} of {len(told)} packets of {what} were marked or dropped, expected {expected}: {why}")


@check(points=3)
def chooses_the_queue(switch: Switch) -> None:
    """ECT(1) and CE wait in queue 0, the low-latency one; ECT(0) and Not-ECT in queue 1, the classic one."""
    for ecn, expected in ((ECT_1, LOW_LATENCY), (CE, LOW_LATENCY), (ECT_0, CLASSIC), (NOT_ECT, CLASSIC)):
        for dscp in (0, 46):
            got = switch.place_of(1, packet(dscp << 2 | ecn)).queue
            if got != expected:
                raise Failed(f"a packet with {NAMES[ecn]} waits in queue {got}, expected {expected}: that is {QUEUES[expected]}")


@check(points=2)
def shifts_by_time(switch: Switch) -> None:
    """A packet's rank is the time when it came, in µs; 30,000 more in the classic queue."""
    for time_s in (NOW_S, 7.25):
        switch.at(time_s)
        now_us = round(time_s * 1e6)
        for ecn, expected in ((ECT_1, now_us), (CE, now_us), (ECT_0, now_us + TIME_SHIFT_US), (NOT_ECT, now_us + TIME_SHIFT_US)):
            got = switch.place_of(1, packet(ecn)).rank
            if got != expected:
                hint = "the smallest rank goes first" if got == 0 else "which of the two has to wait for the other, and for how long?"
                raise Failed(f"a packet with {NAMES[ecn]} that comes at {now_us} us has rank {got}, expected {expected}: {hint}")


@check(points=3)
def couples(switch: Switch) -> None:
    """Of low-latency packets, k p' are marked, with k = 2: of 64, 16 where p' is 1/8; all where p' is more than a half."""
    for p, expected in ((0.0, 0), (1 / 8, 16), (1 / 64, 2), (0.3, 38), (1 / 2, 64), (0.7, 64), (1.0, 64)):
        set_probability(switch, p)
        expect_share(fates(switch, ECT_1, 64), expected, "the low-latency queue", f"p' is {p:.3g}, so k p' is {min(1.0, 2 * p):.3g}")
    set_probability(switch, 0.0)
    told = fates(switch, ECT_1, 64)
    expect_share(told, 0, "the low-latency queue", "p' was 1 and is 0 now: a probability above 1 leaves something in the sum")


@check(points=3)
def squares(switch: Switch) -> None:
    """Of classic packets, p' squared are told: of 64, one where p' is 1/8, and 16 where it is a half."""
    for p, expected in ((0.0, 0), (1 / 8, 1), (1 / 2, 16), (0.3, 6), (0.7, 31), (1.0, 64)):
        set_probability(switch, p)
        why = f"p' is {p:.3g}, so its square is {p * p:.3g}: how large is a product of two numbers of 48 bits?"
        expect_share(fates(switch, ECT_0, 64), expected, "the classic queue", why)


@check(points=2)
def tells_evenly(switch: Switch) -> None:
    """Where one packet in four is due, every fourth one is told; each queue of each port counts for itself."""
    for p, ecn, what in ((1 / 8, ECT_1, LOW_LATENCY), (1 / 2, ECT_0, CLASSIC)):
        for port in (2, 3):
            set_probability(switch, p, port)
        told = fates(switch, ecn, 32)
        gaps = {later - earlier for earlier, later in pairwise(number for number, one in enumerate(told) if one)}
        if gaps != {4}:
            shown = "".join("x" if one else "." for one in told)
            raise Failed(f"in {QUEUES[what]}, every fourth packet is due, and these were told: {shown}")
        mixed = [fates(switch, one, 1, ipv4_destination=to)[0] for _ in range(16) for one, to in ((ecn, "10.0.2.1"), (ecn, "10.0.3.1"))]
        if abs(sum(mixed[::2]) - 4) > 1 or abs(sum(mixed[1::2]) - 4) > 1:
            raise Failed(f"of 16 packets each, {sum(mixed[::2])} by port 2 and {sum(mixed[1::2])} by port 3 were told, expected 4 each")


@check(points=2)
def tells_those_who_hear(switch: Switch) -> None:
    """A packet whose sender knows ECN leaves with CE, DSCP and checksum right; another one is dropped. Both are counted, for each queue."""
    set_probability(switch, 1.0)
    for ecn in (ECT_1, ECT_0):
        for dscp in (0, 46):
            sent = switch.send(1, packet(dscp << 2 | ecn), BEHIND)
            expected = but(sent.frame, ethernet_source=OWN, ethernet_destination=NEXT, ipv4_ttl=63, ipv4_dscp_ecn=dscp << 2 | CE)
            sent.leaves_as(2, expected, f"p' is 1, and its sender knows of ECN: it came with {NAMES[ecn]}")
    switch.send(1, packet(NOT_ECT), BEHIND).is_dropped("p' is 1, and only a loss tells its sender")
    set_probability(switch, 0.0)
    switch.send(1, packet(NOT_ECT), BEHIND).leaves(2, "p' is 0: nobody is to be told")
    damaged = switch.send(1, packet(ECT_1, ipv4_checksum=0x1234), BEHIND)
    damaged.is_dropped("its checksum is wrong when it comes: a new one must not hide that")
    _compare_counts(switch, "marked", (2, 2))
    _compare_counts(switch, "dropped", (0, 1))


def _compare_counts(switch: Switch, counter: str, expected: tuple[int, int]) -> None:
    got = tuple(switch.counter(counter, queue) for queue in (LOW_LATENCY, CLASSIC))
    if got != expected:
        raise Failed(f"{counter}[0] and {counter}[1] are {got[0]} and {got[1]}, expected {expected[0]} and {expected[1]}")


@check(points=2)
def marks_above_the_step(switch: Switch) -> None:
    """A low-latency packet that has waited more than 1 ms is marked whatever p' is, but for the last one of its queue."""
    set_probability(switch, 0.0)
    for waited_us, ecn, behind, expected, why in (
        (STEP_US + 1, ECT_1, 1514, True, f"it has waited {STEP_US + 1} us"),
        (STEP_US, ECT_1, 1514, False, f"it has waited {STEP_US} us, which is not more than that"),
        (50_000, ECT_1, 0, False, "it leaves an empty queue behind: delay_ns is 0 then"),
        (50_000, ECT_0, 1514, False, "the step is the low-latency queue's alone"),
    ):
        if fates(switch, ecn, 1, Queue(waited_us=waited_us, behind_bytes=behind)) != [expected]:
            raise Failed(f"a packet with {NAMES[ecn]} is {'not ' if expected else ''}marked, expected otherwise: {why}")
    switch.write_register("probabilities", 2, 0)


@check(points=3, scenario="run.toml")
def shares_the_link(run: Measured) -> None:
    """Prague and cubic get about the same rate, the link is used, and Prague's packets hardly wait."""
    run.at_least("jain", 0.98, "one of them has less than three quarters of the other: which is told too often?")
    run.at_least("total_mbps", 36, "both are told too often")
    run.at_most("queue_wait_p99_ms.s1-s2.0", 1.5, "99 % of the low-latency queue's packets wait no longer than that")
