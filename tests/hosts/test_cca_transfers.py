"""The window of each congestion control in a real transfer, against its defining property. Root only.

The tests measure the window over the packets acknowledged wherever that will do: it does not depend on the machine's speed.
"""

from __future__ import annotations

import math
import statistics
import threading
from pathlib import Path

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.measures import (
    PAYLOAD_SHARE,
    after_recovery,
    deep,
    growth_per_window,
    losing,
    queued_packets,
    rtt_ratio,
    transfer,
    window_at_loss,
    windows_acknowledged,
)
from bench.studies.emulated_transfers.transfer import LEAD_S
from tests.harness.long_tests import LONG, only_long
from tests.hosts.emulated_path import LIMIT_S, repeated_if_unfaithful

pytestmark = pytest.mark.timeout(LIMIT_S)


@repeated_if_unfaithful
def test_vegas_keeps_two_to_four_packets_in_the_queue(tmp_path: Path) -> None:
    rows = transfer(tmp_path, "vegas", 12.0 if LONG else 4.0, deep())
    queued = statistics.median(queued_packets(row) for row in rows if row["since_ms"] > 2800)
    assert (2 - 0.2 if LONG else 1.5) < queued < (4 + 0.5 if LONG else 5)


@pytest.mark.parametrize("alpha", [pytest.param("1.2", marks=only_long), "1.5"])
@repeated_if_unfaithful
def test_qtcol_steers_to_its_target_rtt(tmp_path: Path, alpha: str) -> None:
    """One packet is 0.053 of the smallest RTT here, and the paper rounds up twice and never leaves the window as it is."""
    rows = transfer(tmp_path, f"qtcol(alpha={alpha})", 10.0 if LONG else 3.5, deep())
    assert rtt_ratio(rows, 2000) == pytest.approx(float(alpha), abs=0.1 if LONG else 0.15)


@only_long
@repeated_if_unfaithful
def test_standard_tcp_fills_the_queue_that_qtcol_leaves_empty(tmp_path: Path) -> None:
    """The contrast: on the same link the RTT goes far beyond any target."""
    assert rtt_ratio(transfer(tmp_path, "reno", 10.0, deep()), 4000) > 3


@only_long
@repeated_if_unfaithful
def test_qtcolfair_probes_and_comes_back(tmp_path: Path) -> None:
    interval_s = 10.0
    rows = transfer(tmp_path, "qtcolfair", interval_s + 1.5, deep())
    probing = [row["since_ms"] for row in rows if row["cwnd_packets"] == 4 and row["since_ms"] > 1000]
    assert probing[0] == pytest.approx(interval_s * 1000, abs=300)
    assert 150 < probing[-1] - probing[0] < 500
    settled = [row for row in rows if 1800 < row["since_ms"] < interval_s * 1000 - 200]
    before = statistics.median(row["cwnd_packets"] for row in settled)
    after = statistics.median(row["cwnd_packets"] for row in rows if row["since_ms"] > probing[-1] + 300)
    assert after == pytest.approx(before, rel=0.25)
    assert rtt_ratio(settled, 0) == pytest.approx(1.2, abs=0.1)


@pytest.mark.parametrize("name", ["qtcolfair(probe_interval=2.5)", pytest.param("qtcol", marks=only_long)])
@repeated_if_unfaithful
def test_qtcolfair_notices_a_path_that_has_become_longer(tmp_path: Path, name: str) -> None:
    """From 40 to 160 ms after a probe: detected without waiting for the next one; qtcol keeps aiming at the old path."""
    longer_at_s, until_s = 3.0, 7.0

    def lengthen(path: EmulatedPath) -> None:
        def change() -> None:
            path.forward.delay_s = path.back.delay_s = 0.08

        threading.Timer(LEAD_S + longer_at_s, change).start()

    rows = transfer(tmp_path, name, until_s, deep(), lengthen)
    changed_ms = next(row["since_ms"] for row in rows if row["srtt_us"] > 100_000)
    probes = [row["since_ms"] for row in rows if row["cwnd_packets"] == 4 and row["since_ms"] > 1000]
    end = statistics.median(row["bytes_in_flight"] for row in rows if row["since_ms"] > until_s * 1000 - 700)
    if name == "qtcol":
        assert end < 0.5 * 80_000, "it takes the longer path for a queue and sends less than the path holds"
        return
    assert 2300 < probes[0] < 2900, "the regular one"
    detected = [since_ms for since_ms in probes if since_ms > changed_ms - 200]
    assert detected
    assert detected[0] < probes[0] + 2400, "before the next regular one"
    assert end > 0.8 * 80_000, "4 Mbit/s over 160 ms are 80 kB: the longer path is full again"


@repeated_if_unfaithful
def test_hybla_grows_sixteen_packets_at_four_times_the_reference_rtt(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "hybla", 1.6, losing(100)))
    assert growth_per_window(rows) == pytest.approx(16, rel=0.1)


@repeated_if_unfaithful
def test_msstcp_grows_by_the_square_root_of_mss_and_rtts(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "msstcp", 1.4, losing(120)))
    assert growth_per_window(rows) == pytest.approx(math.sqrt(1000 * 2), rel=0.1)


@repeated_if_unfaithful
def test_highspeed_grows_as_the_rfc_says(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "highspeed", 3.0, losing(550)))
    assert rows[0]["cwnd_packets"] > 118, "above the second row of the table, or the test shows nothing"

    def a(window: float) -> float:
        b = -0.4 * (math.log(window) - math.log(38)) / (math.log(83000) - math.log(38)) + 0.5
        return math.floor(0.078 * math.pow(window, 0.8) * 2 * b / (2 - b))

    expected = sum(a(row["cwnd_packets"]) * windows for row, windows in windows_acknowledged(rows))
    assert rows[-1]["cwnd_packets"] - rows[0]["cwnd_packets"] == pytest.approx(expected, rel=0.1, abs=2)


@repeated_if_unfaithful
def test_highspeed_keeps_the_part_of_the_window_that_the_rfc_says(tmp_path: Path) -> None:
    rows = after_recovery(transfer(tmp_path, "highspeed", 1.6, losing(550)))
    before = window_at_loss(550)
    b = -0.4 * (math.log(before) - math.log(38)) / (math.log(83000) - math.log(38)) + 0.5
    assert rows[0]["cwnd_packets"] == pytest.approx(before * (1 - b), rel=0.06)


@repeated_if_unfaithful
def test_bic_searches_towards_the_last_maximum(tmp_path: Path) -> None:
    """Each window acknowledged, it goes half of the way to its aim."""
    rows = after_recovery(transfer(tmp_path, "bic", 2.2, losing(300)))
    maximum = window_at_loss(300)
    aim = (maximum + maximum * 7 / 8) / 2  # the first loss: less room than "unknown", so the middle is looked for
    expected = float(rows[0]["cwnd_packets"])
    assert expected >= maximum * 0.85
    for row, windows in windows_acknowledged(rows):
        expected = aim - (aim - expected) * math.exp(-windows / 2)
        if expected > aim - 3:
            break  # there it begins to look beyond
        assert row["cwnd_packets"] == pytest.approx(expected, abs=4)
    assert rows[-1]["cwnd_packets"] >= aim - 3


@only_long
@pytest.mark.parametrize("name", ["nodectl", "reno"])
@repeated_if_unfaithful
def test_nodectl_keeps_its_rate_where_standard_tcp_does_not(tmp_path: Path, name: str) -> None:
    """5 % of the packets are lost by chance. 6 Mbit/s is what the receiver grants; standard TCP comes to 1 or so."""
    rate_bps, loss = 6e6, 0.05
    rows = transfer(tmp_path, name, 8.0, Direction(delay_s=0.02, loss=loss), grant_bps=rate_bps)
    rows = [row for row in rows if row["since_ms"] > 1000]
    acked_bps = (rows[-1]["bytes_acked"] - rows[0]["bytes_acked"]) * 8000 / (rows[-1]["since_ms"] - rows[0]["since_ms"])
    if name == "nodectl":
        assert acked_bps > 0.97 * (1 - loss) * rate_bps * PAYLOAD_SHARE
    else:
        assert acked_bps < 0.3 * rate_bps
