"""The window of each congestion control in a real transfer, against its defining property. Root only."""

from __future__ import annotations

import math
import statistics
from contextlib import nullcontext
from pathlib import Path

import pytest
from emulated_path import Direction, EmulatedPath, repeated_if_unfaithful
from transfer import LONG, program, rate_bps, registered, samples, send, send_together, wait_ready

Rows = list[dict[str, int]]
PAYLOAD_SHARE = 1000 / 1066

only_long = pytest.mark.skipif(not LONG, reason="long: only with NODECTL_LONG_TESTS=1")
# Rates over a few seconds scatter too much to decide anything: a short run misses its bound now and then.
pytestmark = pytest.mark.skipif(not LONG, reason="measures rates of real transfers: only with NODECTL_LONG_TESTS=1")


def transfer(folder: Path, name: str, duration_s: float, forward: Direction, **constants: str) -> Rows:
    """Samples of a transfer with congestion control ``name``; each row gets `since_ms`, from the first data on."""
    back = Direction(delay_s=forward.delay_s)
    with registered(name, **constants), EmulatedPath(forward, back) as path:
        with program(path, "b", "-m", "hosts", "receive", "--bind", path.B) as receiver:
            wait_ready(receiver)
            summary = send(path, folder, duration_s, "--cc", name)
        assert summary["congestion_control_at_end"] == name
    rows = [row for row in samples(folder) if row["bytes_sent"] > 0]
    return [{**row, "since_ms": (row["time_ns"] - rows[0]["time_ns"]) // 1_000_000} for row in rows]


def after_recovery(rows: Rows) -> Rows:
    """From two RTTs after the retransmission on, when the window is the congestion control's again."""
    lost_ms = next(row["since_ms"] for row in rows if row["total_retrans"] > 0)
    rest = [row for row in rows if row["since_ms"] > lost_ms + 2.2 * row["min_rtt_us"] / 1000]
    assert rest, "the transfer goes on after the loss"
    return rest


def growth_per_rtt(rows: Rows) -> float:
    """Packets by which the window grows in one RTT, on average."""
    rtt_ms = statistics.fmean(row["srtt_us"] for row in rows) / 1000
    return (rows[-1]["cwnd_packets"] - rows[0]["cwnd_packets"]) / ((rows[-1]["since_ms"] - rows[0]["since_ms"]) / rtt_ms)


def losing(frame: int) -> Direction:
    """A path of 100 ms RTT without a bottleneck that loses the given packet."""
    return Direction(delay_s=0.05, lose_full_frame=frame)


@repeated_if_unfaithful
def test_vegas_keeps_two_to_four_packets_in_the_queue(tmp_path: Path) -> None:
    rows = transfer(tmp_path, "vegas", 4.0, Direction(rate_bps=4e6, delay_s=0.02, queue_packets=300))
    late = [row for row in rows if row["since_ms"] > 2800]
    queued = [row["cwnd_packets"] * (row["srtt_us"] - row["min_rtt_us"]) / row["srtt_us"] for row in late]
    assert 1.5 < statistics.median(queued) < 5


@pytest.mark.parametrize("alpha", [pytest.param("1.2", marks=only_long), "1.5"])
@repeated_if_unfaithful
def test_qtcol_steers_to_its_target_rtt(tmp_path: Path, alpha: str) -> None:
    rows = transfer(tmp_path, "qtcol", 3.5, Direction(rate_bps=4e6, delay_s=0.02, queue_packets=300), alpha=alpha)
    late = [row for row in rows if row["since_ms"] > 2000]
    assert statistics.median(row["srtt_us"] / row["min_rtt_us"] for row in late) == pytest.approx(float(alpha), abs=0.1)


@only_long
@repeated_if_unfaithful
def test_qtcolfair_probes_and_comes_back(tmp_path: Path) -> None:
    interval_s = 10.0
    path = Direction(rate_bps=4e6, delay_s=0.02, queue_packets=300)
    rows = transfer(tmp_path, "qtcolfair", interval_s + 1.5, path, probe_interval=str(interval_s))
    probing = [row["since_ms"] for row in rows if row["cwnd_packets"] == 4 and row["since_ms"] > 1000]
    assert probing[0] == pytest.approx(interval_s * 1000, abs=300)
    assert 150 < probing[-1] - probing[0] < 500
    settled = [row for row in rows if 1800 < row["since_ms"] < interval_s * 1000 - 200]
    before = statistics.median(row["cwnd_packets"] for row in settled)
    after = statistics.median(row["cwnd_packets"] for row in rows if row["since_ms"] > probing[-1] + 300)
    assert after == pytest.approx(before, rel=0.25)
    assert statistics.median(row["srtt_us"] / row["min_rtt_us"] for row in settled) == pytest.approx(1.2, abs=0.1)


@repeated_if_unfaithful
def test_hybla_grows_sixteen_packets_at_four_times_the_reference_rtt(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "hybla", 1.6, losing(100)))
    assert growth_per_rtt(rows) == pytest.approx(16, rel=0.15)


@repeated_if_unfaithful
def test_msstcp_grows_by_the_square_root_of_mss_and_rtts(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "msstcp", 1.4, losing(120)))
    assert growth_per_rtt(rows) == pytest.approx(math.sqrt(1000 * 2), rel=0.15)


@repeated_if_unfaithful
def test_highspeed_grows_as_the_rfc_says(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "highspeed", 3.0, losing(550)))
    start, end = rows[0]["cwnd_packets"], rows[-1]["cwnd_packets"]
    assert start > 118, "above the second row of the table, or the test shows nothing"

    def a(window: float) -> float:
        b = -0.4 * (math.log(window) - math.log(38)) / (math.log(83000) - math.log(38)) + 0.5
        return math.floor(0.078 * math.pow(window, 0.8) * 2 * b / (2 - b))

    assert a(start) * 0.85 <= growth_per_rtt(rows) <= a(end) * 1.15


@repeated_if_unfaithful
def test_bic_searches_towards_the_last_maximum(tmp_path: Path) -> None:
    everything = transfer(tmp_path, "bic", 2.2, losing(300))
    rows = after_recovery(everything)
    maximum = max(row["cwnd_packets"] for row in everything if row["total_retrans"] == 0)
    aim = (maximum + maximum * 7 / 8) / 2  # the first loss: less room than "unknown", so the middle is looked for
    start = everything[-1]["cwnd_packets"]
    gaps = [(row["since_ms"], aim - row["cwnd_packets"]) for row in rows]
    first_ms, first_gap = gaps[0]
    assert start >= maximum * 0.85
    if first_gap >= 8:  # it halves about every 1.4 RTTs: e^(-t / 2 RTT)
        later = next(gap for since_ms, gap in gaps if since_ms >= first_ms + 200)
        assert later == pytest.approx(first_gap * math.exp(-1), abs=3)
    assert rows[-1]["cwnd_packets"] >= aim - 3


def worst() -> float:
    """Ratio of rates that still passes for equal; standard TCP gives 2.5 to 4, as the long version checks."""
    return 1.3 if LONG else 1.6


def narrow() -> Direction:
    """A link of 4 Mbit/s and 80 ms of queue."""
    return Direction(rate_bps=4e6, delay_s=0.02, queue_packets=40, random_drop=True)


def shares(folder: Path, name: str, duration_s: float, from_s: float, forward: Direction, **constants: str) -> tuple[float, float]:
    """Mean rates in bit/s, from ``from_s`` on, of two transfers over one link, with RTTs of 40 and 160 ms and a queue."""
    back = Direction(delay_s=0.02, delay_from_s={EmulatedPath.B_SECOND: 0.14})
    with nullcontext() if name == "reno" else registered(name, **constants), EmulatedPath(forward, back) as path:
        send_together(path, folder, duration_s, {"near": (path.B, name), "far": (path.B_SECOND, name)})
    rows = [samples(folder / flow) for flow in ("near", "far")]
    assert [round(flow[-1]["min_rtt_us"], -4) for flow in rows] == [40_000, 160_000]
    near, far = (rate_bps(flow, "bytes_acked", from_s, duration_s - 0.1) for flow in rows)
    assert near + far > 0.8 * (forward.rate_bps or 0) * PAYLOAD_SHARE
    return near, far


@repeated_if_unfaithful
def test_libra_gives_equal_rates_at_40_and_160_ms(tmp_path: Path) -> None:
    """k1 = 40 instead of 2: at 4 Mbit/s, a thousandth of the paper's links, the window is to grow as fast as there."""
    near, far = shares(tmp_path, "libra", 30.0 if LONG else 8.5, 4.0, narrow(), k1="40")
    assert 1 / worst() < near / far < worst(), f"{near / 1e6:.2f} and {far / 1e6:.2f} Mbit/s"


@only_long
@repeated_if_unfaithful
def test_standard_tcp_gives_the_nearer_receiver_more(tmp_path: Path) -> None:
    near, far = shares(tmp_path, "reno", 30.0, 5.0, narrow())
    assert near / far > 1.8


@repeated_if_unfaithful
def test_hybla_has_the_same_rate_at_40_and_160_ms(tmp_path: Path) -> None:
    """Losses by chance, no queue: the rate that belongs to a loss ratio does not depend on the RTT."""
    near, far = shares(tmp_path, "hybla", 30.0 if LONG else 6.5, 2.5, Direction(delay_s=0.02, loss=0.005))
    assert 1 / worst() < near / far < worst(), f"{near / 1e6:.2f} and {far / 1e6:.2f} Mbit/s"


def shares_of_a_latecomer(folder: Path, name: str, duration_s: float, from_s: float, **constants: str) -> tuple[float, float]:
    """Mean rates in bit/s, from ``from_s`` on, of two transfers with one RTT, the second of which begins after 2.5 s."""
    with (
        registered(name, **constants),
        EmulatedPath(Direction(rate_bps=4e6, delay_s=0.02, queue_packets=300), Direction(delay_s=0.02)) as path,
    ):
        send_together(path, folder, duration_s, {"first": (path.B, name), "second": (path.B_SECOND, name)}, {"second": 2.5})
    starts_s = {"first": 0.0, "second": 2.5}
    first, second = (
        rate_bps(samples(folder / flow), "bytes_acked", from_s - start_s, duration_s - start_s - 0.1) for flow, start_s in starts_s.items()
    )
    return first, second


@repeated_if_unfaithful
def test_qtcolfair_shares_with_a_latecomer(tmp_path: Path) -> None:
    """Probes every 10 s, in the short version every 2 s."""
    interval_s, duration_s, from_s = (10.0, 45.0, 25.0) if LONG else (2.0, 9.0, 5.0)
    first, second = shares_of_a_latecomer(tmp_path, "qtcolfair", duration_s, from_s, probe_interval=str(interval_s))
    assert second / first == pytest.approx(1, abs=0.25), f"{first / 1e6:.2f} and {second / 1e6:.2f} Mbit/s"


@only_long
@repeated_if_unfaithful
def test_qtcol_gives_a_latecomer_more(tmp_path: Path) -> None:
    """It takes the others' queue for the path: what qtcolfair was made for, and what shows that the test above can see it."""
    first, second = shares_of_a_latecomer(tmp_path, "qtcol", 15.0, 5.0)
    assert second / first > 1.3
