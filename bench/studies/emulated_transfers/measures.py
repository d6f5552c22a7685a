"""Transfers of one congestion control over an emulated link, and their measures."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import program, rate_bps, registered, samples, send, send_together, wait_ready

Rows = list[dict[str, int]]
PAYLOAD_BYTES = 1000
INITIAL_WINDOW = 10
PAYLOAD_SHARE = 1000 / 1066


def transfer(
    folder: Path,
    name: str,
    duration_s: float,
    forward: Direction,
    during: Callable[[EmulatedPath], None] = lambda _path: None,
    grant_bps: float | None = None,
) -> Rows:
    """Samples of a transfer with the scheme ``name``, as people write it; each row gets `since_ms`, from the first data on.

    ``during`` is called when the path is up; it may start a thread that changes it. ``grant_bps`` is the rate that the receiver grants
    to `nodectl`.
    """
    back = Direction(delay_s=forward.delay_s)
    with registered(name), EmulatedPath(forward, back) as path:
        grant = [] if grant_bps is None else ["--max-rate-bps", f"{grant_bps:.0f}"]
        with program(path, "b", "-m", "hosts", "receive", "--bind", path.B, *grant) as receiver:
            wait_ready(receiver)
            during(path)
            summary = send(path, folder, duration_s, "--cc", name)
        assert summary["congestion_control_at_end"] == name
    return with_time(samples(folder))


def with_time(rows: Rows) -> Rows:
    """The rows from the first data on, with the time since then in `since_ms`."""
    sending = [row for row in rows if row["bytes_sent"] > 0]
    return [{**row, "since_ms": (row["time_ns"] - sending[0]["time_ns"]) // 1_000_000} for row in sending]


def after_recovery(rows: Rows) -> Rows:
    """From two RTTs after the first retransmission on, when the window is the congestion control's again."""
    lost_ms = next(row["since_ms"] for row in rows if row["total_retrans"] > 0)
    rest = [row for row in rows if row["since_ms"] > lost_ms + 2.2 * row["min_rtt_us"] / 1000]
    assert rest, "the transfer goes on after the loss"
    return rest


def windows_acknowledged(rows: Rows) -> Iterator[tuple[dict[str, int], float]]:
    """Each row with the windows of packets that were acknowledged since the one before: the time by which equations per RTT go.

    Unlike seconds over an RTT, it does not depend on how fast and how evenly the machine has carried the packets.
    """
    for before, row in pairwise(rows):
        yield row, (row["bytes_acked"] - before["bytes_acked"]) / PAYLOAD_BYTES / before["cwnd_packets"]


def growth_per_window(rows: Rows) -> float:
    """Packets by which the window grows for every window of them acknowledged."""
    return (rows[-1]["cwnd_packets"] - rows[0]["cwnd_packets"]) / sum(windows for _, windows in windows_acknowledged(rows))


def losing(frame: int) -> Direction:
    """A path of 100 ms RTT without a bottleneck that loses the given packet."""
    return Direction(delay_s=0.05, lose_full_frame=frame)


def window_at_loss(frame: int) -> int:
    """The window when the loss of ``frame``, in slow start, is noticed: one packet more for each that came before."""
    return INITIAL_WINDOW + frame - 1


def deep() -> Direction:
    """A link of 4 Mbit/s, 40 ms RTT and a queue that never overflows."""
    return Direction(rate_bps=4e6, delay_s=0.02, queue_packets=300)


def narrow() -> Direction:
    """A link of 4 Mbit/s, 40 ms RTT and 80 ms of queue."""
    return Direction(rate_bps=4e6, delay_s=0.02, queue_packets=40, random_drop=True)


def queued_packets(row: dict[str, int]) -> float:
    """Packets of the window that stand in a queue, by the RTT."""
    return row["cwnd_packets"] * (row["srtt_us"] - row["min_rtt_us"]) / row["srtt_us"]


def rtt_ratio(rows: Rows, from_ms: int, until_ms: int = 1 << 30) -> float:
    """Median RTT over the smallest one, between two times."""
    return statistics.median(row["srtt_us"] / row["min_rtt_us"] for row in rows if from_ms < row["since_ms"] < until_ms)


def near_and_far(folder: Path, name: str, duration_s: float, forward: Direction) -> tuple[Rows, Rows]:
    """Samples of two transfers over one link, with RTTs of 40 and 160 ms and a queue."""
    back = Direction(delay_s=0.02, delay_from_s={EmulatedPath.B_SECOND: 0.14})
    with registered(name), EmulatedPath(forward, back) as path:
        send_together(path, folder, duration_s, {"near": (path.B, name), "far": (path.B_SECOND, name)})
    near, far = (with_time(samples(folder / flow)) for flow in ("near", "far"))
    assert [round(flow[-1]["min_rtt_us"], -4) for flow in (near, far)] == [40_000, 160_000]
    return near, far


def first_and_second(folder: Path, name: str, duration_s: float, late_s: float = 2.5) -> tuple[Rows, Rows]:
    """Samples of two transfers with one RTT over one link, the second of which begins ``late_s`` later."""
    with registered(name), EmulatedPath(deep(), Direction(delay_s=0.02)) as path:
        send_together(path, folder, duration_s, {"first": (path.B, name), "second": (path.B_SECOND, name)}, {"second": late_s})
    first, second = (with_time(samples(folder / flow)) for flow in ("first", "second"))
    return first, second


def rates_bps(flows: tuple[Rows, Rows], from_s: float, until_s: float, late_s: float = 0.0) -> tuple[float, float]:
    """Mean rates of two transfers between two times since the first one's start; the second one began ``late_s`` later."""
    first, second = flows
    return rate_bps(first, "bytes_acked", from_s, until_s), rate_bps(second, "bytes_acked", from_s - late_s, until_s - late_s)
