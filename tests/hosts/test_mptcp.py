"""Parts of the multipath sender that can be tested without a network: the map's key, and samples put together."""

from __future__ import annotations

import csv
from pathlib import Path

from hosts.cca.subflow_rates import _KEY
from hosts.sample_row import COLUMNS
from hosts.subflow_samples import SubflowSamples
from hosts.tcp_info import TcpInfo

KEY_BYTES_IN_C = 24
"""sizeof(struct subflow_key) of hosts/cca/subflow_rates.h."""


def info(acked: int, rtt_us: int) -> TcpInfo:
    return TcpInfo(0, 1000, 2, 0, 0, 0, rtt_us, 10, 1, 125_000, acked, 0, rtt_us, 0, acked, 0)


def test_the_key_is_as_long_as_in_c() -> None:
    assert _KEY.size == KEY_BYTES_IN_C


def test_samples_of_the_whole_are_sums(tmp_path: Path) -> None:
    samples = SubflowSamples(tmp_path / "d.csv")
    samples.take(1, {0: (info(100, 20), 8)})
    samples.take(2, {0: (info(200, 20), 8), 1: (info(50, 10), 4)})
    samples.write()
    with (tmp_path / "d.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["bytes_acked"], row["srtt_us"], row["allocated_rate_bps"]) for row in rows] == [("100", "20", "8"), ("250", "10", "12")]
    assert (tmp_path / "d.0.csv").exists()
    with (tmp_path / "d.1.csv").open(newline="") as stream:
        assert [row["time_ns"] for row in csv.DictReader(stream)] == ["2"]
