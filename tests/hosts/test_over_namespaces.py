"""Sender and receiver as they are run, with the BPF congestion control, over an emulated path. Root only."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import program, rate_bps, samples, send, wait_ready
from bench.tools import PROJECT
from hosts.cca import loader
from hosts.cca.loader import explain_missing_support
from tests.hosts.emulated_path import repeated_if_unfaithful, skip_without_namespaces

RATE_BPS = 12_000_000
ONE_WAY_S = 0.01
PAYLOAD_SHARE = 1000 / 1066
TOLERANCE = 0.03


@pytest.fixture(scope="module")
def nodectl() -> Iterator[None]:
    skip_without_namespaces()
    if explain_missing_support():
        pytest.skip(f"{explain_missing_support()}: the congestion control nodectl is NOT tested")
    added = loader.register(["nodectl"])
    yield
    loader.unregister(added)


@pytest.fixture
def receiver_words(tmp_path: Path) -> list[str]:
    return [
        "-m", "hosts", "receive", "--bind", EmulatedPath.B, "--max-rate-bps", str(RATE_BPS),
        "--samples", str(tmp_path / "receiver.csv"),
    ]  # fmt: skip


@repeated_if_unfaithful
def test_the_granted_rate_is_kept_from_the_first_round_trip(nodectl: None, tmp_path: Path, receiver_words: list[str]) -> None:
    with EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        with program(path, "b", *receiver_words) as receiver:
            wait_ready(receiver)
            summary = send(path, tmp_path, 3.0)
        assert summary["negotiation"] == "allocated"
        assert summary["congestion_control_source"] in ("BPF", "module")
        assert [rate for _, rate in summary["rates"]] == [RATE_BPS]
        assert summary["handshake_rtt_s"] == pytest.approx(2 * ONE_WAY_S, abs=0.01)
        assert summary["retransmits"] == 0
        rows = samples(tmp_path)
        assert rate_bps(rows, "bytes_sent", 0.0, 0.2) == pytest.approx(RATE_BPS * PAYLOAD_SHARE, rel=0.15)
        assert rate_bps(rows, "bytes_acked", 0.5, 2.9) == pytest.approx(RATE_BPS * PAYLOAD_SHARE, rel=TOLERANCE)
        sending_s = summary["end_s"] - summary["first_data_s"]
        assert path.forward.arrived_bytes * 8 / sending_s == pytest.approx(RATE_BPS, rel=TOLERANCE)
        assert len(rows) > 200
    with (tmp_path / "receiver.csv").open() as file:
        received = [int(row["bytes_received"]) for row in csv.DictReader(file)]
    assert received == sorted(received)
    assert received[-1] >= summary["bytes_acked"] - 1
    assert len(received) > 200


@repeated_if_unfaithful
def test_random_loss_takes_no_more_than_what_is_lost(nodectl: None, tmp_path: Path, receiver_words: list[str]) -> None:
    loss = 0.01
    with EmulatedPath(Direction(delay_s=ONE_WAY_S, loss=loss), Direction(delay_s=ONE_WAY_S)) as path:
        with program(path, "b", *receiver_words) as receiver:
            wait_ready(receiver)
            summary = send(path, tmp_path, 4.0)
        assert path.forward.lost > 20
    rows = samples(tmp_path)
    payload_bps = RATE_BPS * PAYLOAD_SHARE
    assert summary["retransmits"] > 20
    assert rate_bps(rows, "bytes_sent", 0.5, 3.9) == pytest.approx(payload_bps, rel=TOLERANCE)
    assert rate_bps(rows, "bytes_acked", 0.5, 3.9) >= payload_bps * (1 - loss) * (1 - TOLERANCE)


@repeated_if_unfaithful
def test_a_path_narrower_than_agreed_gets_a_bounded_queue(nodectl: None, tmp_path: Path, receiver_words: list[str]) -> None:
    with EmulatedPath(Direction(rate_bps=8e6, delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        with program(path, "b", *receiver_words) as receiver:
            wait_ready(receiver)
            summary = send(path, tmp_path, 3.0)
        assert path.forward.dropped == 0
    rows = samples(tmp_path)
    assert summary["retransmits"] == 0
    window_packets = RATE_BPS * PAYLOAD_SHARE / 8 * (summary["min_rtt_s"] * 1.25 + 0.002) / 1000 + 6
    assert max(row["unacked_packets"] for row in rows) <= max(window_packets, 10)
    assert rate_bps(rows, "bytes_acked", 0.5, 2.9) == pytest.approx(8e6 * PAYLOAD_SHARE, rel=TOLERANCE)


@repeated_if_unfaithful
def test_adjustments_are_followed(nodectl: None, tmp_path: Path) -> None:
    script = ["1.0:reduce:6000", "2.0:increase:9000", "2.5:reduce:11000"]
    with (
        EmulatedPath(Direction(delay_s=3 * ONE_WAY_S), Direction(delay_s=3 * ONE_WAY_S)) as path,
        program(path, "b", "tests/hosts/scripted_receiver.py", path.B, "12000", *script) as receiver,
    ):
        wait_ready(receiver)
        summary = send(path, tmp_path, 3.5)
    assert [rate for _, rate in summary["rates"]] == [12_000_000, 6_000_000, 9_000_000]
    counted = summary["messages"]
    assert (counted["reduces"], counted["increases"], counted["renegotiations"]) == (2, 1, 1)
    assert counted["refreshes"] >= 2
    rows = samples(tmp_path)
    for after_s, until_s, rate in ((0.3, 0.9, 12e6), (1.2, 1.9, 6e6), (2.2, 3.3, 9e6)):
        assert rate_bps(rows, "bytes_sent", after_s, until_s) == pytest.approx(rate * PAYLOAD_SHARE, rel=0.05)
    reduced_s = summary["rates"][1][0] - summary["first_data_s"]
    just_after = rate_bps(rows, "bytes_sent", reduced_s + 0.002, reduced_s + 0.032)
    assert just_after > 0.7 * 6e6 * PAYLOAD_SHARE, "it goes on at the lower rate at once, and does not stop for half an RTT"


def test_no_answer_falls_back_to_the_systems_congestion_control(nodectl: None, tmp_path: Path) -> None:
    with (
        EmulatedPath(Direction(), Direction()) as path,
        program(path, "b", "tests/hosts/scripted_receiver.py", path.B, "0") as receiver,
    ):
        wait_ready(receiver)
        summary = send(path, tmp_path, 20.0, "--bytes", "200000")
    assert summary["outcome"] == "complete"
    assert summary["negotiation"] == "unanswered"
    assert summary["congestion_control_at_end"] != "nodectl"
    assert "no switch on the path answers" in summary["stderr"]


def test_wrong_use_gives_one_clear_line(nodectl: None, tmp_path: Path, receiver_words: list[str]) -> None:
    with EmulatedPath(Direction(), Direction()) as path, program(path, "b", *receiver_words) as receiver:
        wait_ready(receiver)
        cases = {
            ("b", *receiver_words): "UDP port 4747 on 10.9.0.2 is taken",
            ("a", "-m", "hosts", "receive", "--bind", "10.9.9.9"): "10.9.9.9 is no address of this host",
            ("a", "-m", "hosts", "send", "--to", path.B, "--bytes", "1", "--cc", "nosuch"): "there is no scheme nosuch",
            ("a", "-m", "hosts", "send", "--to", "192.0.2.1", "--bytes", "1"): "there is no way to 192.0.2.1",
        }
        for (host, *words), message in cases.items():
            result = subprocess.run(path.command(host, sys.executable, *words), cwd=PROJECT, capture_output=True, text=True, check=False)
            assert result.returncode == 2, words
            assert message in result.stderr
            assert "Traceback" not in result.stderr
        nobody = subprocess.run(
            path.command("b", sys.executable, "-m", "hosts", "send", "--to", path.A, "--bytes", "1", "--cc", "reno"),
            cwd=PROJECT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert nobody.returncode == 1
        assert "cannot connect to 10.9.0.1 port 5001" in nobody.stderr
