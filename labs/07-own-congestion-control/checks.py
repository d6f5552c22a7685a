"""Lab 7: AIMD's arithmetic round trip by round trip, then in a network; then the contest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labs.check import Failed, check
from labs.check.contest import OPEN, Contest, score
from labs.check.measured import Measured
from labs.check.window_program import SLOW_START, WindowProgram, shown

ANSWERS = ("grow", "after_slow_start", "tcp_slow_start", "half_window", "growth_packets", "tcp_reno_cong_avoid", "tcp_reno_ssthresh")
MOST_PACKETS = 20_000
"""No path of the lab holds a hundredth of them."""


@check(points=1, scheme="aimd")
def slow_start(windows: WindowProgram, source: str) -> None:
    """AIMD begins with slow start: a window of 10 is 20, 40, 80 after one, two, three round trips."""
    used = re.search(rf"\b({'|'.join(ANSWERS)})\s*\(", source)
    if used:
        raise Failed(f"aimd.bpf.c uses {used[1]}(), which is the answer: write it yourself")
    got = windows.connection(10, SLOW_START).rounds(3)
    hint = ""
    if got == [10, 10, 10]:
        hint = "the window does not grow: in slow start, a packet for each packet acknowledged"
    elif got[0] == 11:
        hint = "it grows by one packet a round trip, which is congestion avoidance; below the threshold one for each packet acknowledged"
    elif got[0] > 20:
        hint = "a packet acknowledged lets the window grow by one, not by two"
    _expect([20, 40, 80], got, 0, hint or "a packet for each packet acknowledged")


@check(points=1, scheme="aimd")
def threshold(windows: WindowProgram) -> None:
    """Slow start ends at the threshold: from 20 on with a threshold of 32, a round trip later it is 32 (or 33), then one more each."""
    got = windows.connection(20, 32).rounds(3)
    if got[0] > 33:
        raise Failed(f"the windows are {shown(got)}: slow start does not end at the threshold of 32")
    _expect([32, 33, 34], got, 1, "slow start up to the threshold, then additive increase")
    got = windows.connection(2, 9).rounds(3)
    if got[-1] > 9:
        raise Failed(
            f"the windows are {shown(got)}, expected 4 → 8 → 9: packets that slow start has used up do not count once more after it"
        )
    at_once = windows.connection(30, 32).rounds(1, at_once=10)
    if at_once[0] > 33:
        raise Failed(
            f"an acknowledgement of 10 packets at a window of 30 takes it to {at_once[0]}, beyond the threshold of 32: only up to it"
        )


@check(points=2, scheme="aimd")
def additive_increase(windows: WindowProgram) -> None:
    """In congestion avoidance the window grows by one packet a round trip, at 10 packets as at 400."""
    for begin in (10, 400):
        got = windows.connection(begin).rounds(10)
        hint = "one packet for each whole window of packets acknowledged"
        if got[-1] == begin:
            hint = "the window does not grow: 1 / window is 0 in whole numbers; count the packets acknowledged instead"
        elif got[0] >= 2 * begin - 1:
            hint = "that is slow start: at the threshold and above it is one packet a round trip"
        elif got[-1] > begin + 12:
            hint = "it grows faster: is the count taken back when the window grows?"
        _expect([begin + number for number in range(1, 11)], got, 1, hint)
    if windows.connection(20).rounds(1) == [20]:
        raise Failed("20 packets acknowledged at a window of 20 leave it at 20, expected 21: a window's worth of packets is enough")


@check(points=2, scheme="aimd")
def several_at_once(windows: WindowProgram) -> None:
    """It makes no difference whether each acknowledgement acknowledges one packet or four."""
    one, four = (windows.connection(40).rounds(12, at_once=number)[-1] for number in (1, 4))
    if one == 40:
        raise Failed("the window does not grow in 12 round trips with one packet an acknowledgement")
    if abs(one - four) > 1:
        raise Failed(
            f"after 12 round trips the window is {one} with one packet an acknowledgement, and {four} with four: "
            "count packets (ACKED_OF), not acknowledgements, and keep what is left over"
        )


@check(points=1, scheme="aimd")
def two_connections(windows: WindowProgram) -> None:
    """Connections do not know of each other: each keeps its own count."""
    first = windows.connection(500, 900)
    first.rounds(1)
    got = windows.connection(12).rounds(3)
    _expect([13, 14, 15], got, 1, "that is because of another connection: each keeps its count in its own STATE_OF")


@check(points=2, scheme="aimd")
def multiplicative_decrease(windows: WindowProgram) -> None:
    """A loss leaves half the window, and never fewer than 2 packets."""
    for begin, expected in ((100, 50), (51, 25), (3, 2)):
        got, _ = windows.connection(begin).lose()
        if got == expected or (begin == 51 and got == 26):
            continue
        hint = "half of the window"
        if got >= begin:
            hint = "ssthresh returns the window to go on with: half of the present one"
        elif got in (7 * begin // 10, 3 * begin // 4, 7 * begin // 8):
            hint = "that is another scheme's decrease; AIMD with 1/2 halves"
        elif got < expected and begin == 3:
            hint = "below 2 packets a loss can no longer be noticed by acknowledgements: at least 2"
        raise Failed(f"after a loss at a window of {begin} packets ssthresh returns {got}, expected {expected}: {hint}")


@check(points=1, scheme="aimd")
def time_out(windows: WindowProgram) -> None:
    """After a retransmission time-out AIMD begins again with slow start, up to half of the old window."""
    connection = windows.connection(64)
    limit, after, _ = connection.time_out()
    if limit != 32:
        raise Failed(f"the threshold is {limit} after a time-out at 64 packets, expected 32: ssthresh is asked then too")
    got = connection.rounds(7)
    if max(got) < 30 or got[-1] > 40:
        raise Failed(f"after a time-out the windows are {shown([after, *got])}: expected slow start up to 32, then one more a round trip")


@check(points=1, scheme="aimd")
def limited_by_application(windows: WindowProgram) -> None:
    """A window that the application does not fill does not grow, in slow start or after it."""
    for limit, what in ((None, "congestion avoidance"), (SLOW_START, "slow start")):
        if windows.connection(40, limit).rounds(2)[-1] == 40:
            raise Failed(f"in {what} a window that is full does not grow either")
        got = windows.connection(40, limit).rounds(10, packets=5)
        if max(got) > 45:
            raise Failed(
                f"with 5 packets a round trip at a window of 40, in {what}, the windows are {shown(got)}: nobody has tried whether the "
                "path carries that; is_window_limited says whether the window is what limits"
            )


@check(points=1, scheme="aimd")
def undo(windows: WindowProgram) -> None:
    """A loss that was none is undone: the window is at least the old one."""
    connection = windows.connection(100)
    _, reduced = connection.lose()
    if reduced >= 100:
        raise Failed(f"there is nothing to undo: the window is {reduced} after a loss at 100 packets")
    _, window = connection.undo()
    if window < 100:
        raise Failed(f"the window is {window} after a loss at 100 packets was undone, expected 100: undo_cwnd returns prior_cwnd")


@check(points=1, scheme="mine")
def survives(windows: WindowProgram) -> None:
    """Your own one goes on after losses, time-outs and RTTs of any kind, and sends something."""
    for rtt_us in (200, 40_000, 3_000_000):
        connection = windows.connection(10, SLOW_START, rtt_us)
        for number in range(8):
            got = connection.rounds(4, rtt_us=rtt_us * (1 + number), at_once=1 + number % 3)
            if number % 3 == 1:
                connection.lose()
            if number % 3 == 2:
                connection.time_out()
            if not 1 <= got[-1] <= MOST_PACKETS:
                raise Failed(f"at an RTT of {rtt_us * (1 + number)} us the window is {got[-1]} packets")
        connection.rounds(4, rtt_us=rtt_us)


@check(points=4, scenario="run.toml")
def in_a_network(run: Measured) -> None:
    """Two AIMD connections fill a link of 10 Mbit/s and share it."""
    run.at_least("total_mbps", 8.8, "half the window after a loss, and one packet more a round trip, leave the link busy with this queue")
    run.at_least("jain", 0.85, "additive increase and multiplicative decrease lead to equal shares")
    run.between("queue_drops", 2, 400, "it goes on until the queue overflows, and then halves")


@check(points=3, scheme="mine")
def better_than_reno(contest: Contest) -> dict[str, float]:
    """The contest: your mean score over the open traces is above reno's."""
    legs, rival = contest.legs("mine"), contest.rival_legs()
    scores = {name: score(some) for name, some in legs.items()} | {f"{contest.rival} ({OPEN})": score(rival)}
    if scores[OPEN] <= score(rival):
        lines = [*(f"mine  {leg}" for leg in legs[OPEN]), *(f"{contest.rival}  {leg}" for leg in rival)]
        raise Failed(
            f"your score is {scores[OPEN]:.3f}, {contest.rival}'s {score(rival):.3f}: "
            "ln(Mbit/s / s) counts a queue's delay as much as throughput",
            lines,
            scores=scores,
        )
    return scores


def _expect(expected: Sequence[int], got: Sequence[int], tolerance: int, hint: str) -> None:
    if any(abs(wanted - window) > tolerance for wanted, window in zip(expected, got, strict=True)):
        raise Failed(f"the windows are {shown(got)}, expected {shown(expected)}: {hint}")
