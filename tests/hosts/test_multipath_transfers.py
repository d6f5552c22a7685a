"""The multipath sender on real MPTCP connections with two subflows over an emulated link. Root only."""

from __future__ import annotations

import csv
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from emulated_path import Direction, EmulatedPath, repeated_if_unfaithful
from transfer import LEAD_S, program, registered, wait_ready

from hosts import mptcp
from hosts.cca.libbpf import Libbpf
from hosts.cca.subflow_rates import MAP_NAME

ONE_WAY_S = 0.01
RATE_BPS = 4_000_000
LATE_START_S = 0.2


@pytest.fixture(autouse=True)
def _needs_mptcp() -> None:
    reason = mptcp.explain_missing()
    if reason is not None:
        pytest.skip(f"{reason}: sending over several paths is NOT tested")


def send(
    path: EmulatedPath, folder: Path, *options: str, receive: tuple[str, ...] = ("--multipath",), seconds: float = 2.5
) -> dict[str, Any]:
    """Sends from a to b, whose receiver grants each subflow RATE_BPS; the summary, with what the sender said."""
    start_s = time.monotonic() + LEAD_S
    summary = folder / "summary.json"
    with program(path, "b", "-m", "hosts", "receive", "--bind", path.B, "--max-rate-bps", str(RATE_BPS), *receive) as receiver:
        wait_ready(receiver)
        words = ["-m", "hosts", "send", "--to", path.B, "--multipath", "--start-at", str(start_s), "--summary", str(summary)]
        words += ["--samples", str(folder / "sender.csv"), *options]
        if "--bytes" not in options:
            words += ["--stop-at", str(start_s + seconds)]
        with program(path, "a", *words) as sender:
            wait_ready(sender)
            _, errors = sender.communicate(timeout=30)
    result: dict[str, Any] = json.loads(summary.read_text())
    path.held_up |= result["start_s"] > start_s + LATE_START_S
    return result | {"said": errors}


def acked(file: Path) -> list[tuple[float, int]]:
    with file.open(newline="") as stream:
        return [(int(row["time_ns"]) / 1e9, int(row["bytes_acked"])) for row in csv.DictReader(stream)]


@repeated_if_unfaithful
def test_each_subflow_negotiates_and_keeps_its_rate(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        result = send(path, tmp_path)
        assert result["outcome"] == "stopped"
        assert result["negotiation"] == "allocated"
        assert len(result["subflows"]) == 2
        assert {flow["messages"]["successes"] for flow in result["subflows"]} == {1}
        for number in range(2):
            rows = acked(tmp_path / f"sender.{number}.csv")
            late = [row for row in rows if row[0] > rows[0][0] + 1.0]
            assert late[-1][0] > late[0][0] + 1.0
            rate_bps = (late[-1][1] - late[0][1]) * 8 / (late[-1][0] - late[0][0])
            assert rate_bps == pytest.approx(RATE_BPS * 1000 / 1066, rel=0.08)
        assert result["rates"][-1][1] == 2 * RATE_BPS
        assert acked(tmp_path / "sender.csv")[-1][1] == sum(acked(tmp_path / f"sender.{n}.csv")[-1][1] for n in range(2))
        assert Libbpf().entry_count(MAP_NAME) == 0


@pytest.mark.real_time
def test_a_subflow_that_goes_is_terminated_and_the_others_go_on(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        with subprocess.Popen(["sh", "-c", f"sleep 2.5; {' '.join(path.command('a', 'ip', 'mptcp', 'endpoint', 'del', 'id', '9'))}"]):
            result = send(path, tmp_path, seconds=4.0)
        assert len(result["subflows"]) == 2
        assert "is gone" in result["said"]
        assert result["rates"][-1][1] == RATE_BPS
        assert result["bytes_acked"] > 0


def test_all_bytes_arrive(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        result = send(path, tmp_path, "--bytes", "1000000")
        assert result["outcome"] == "complete"


def test_without_mptcp_at_the_receiver_it_says_so_and_sends_plain_tcp(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        result = send(path, tmp_path, "--bytes", "100000", receive=())
        assert "takes no MPTCP; going on over one path with plain TCP" in result["said"]
        assert (result["outcome"], result["negotiation"], result["subflows"]) == ("complete", "allocated", [])


def test_without_mptcp_at_the_sender_it_says_so_and_sends_plain_tcp(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        subprocess.run(path.command("a", "sysctl", "-q", "-w", "net.mptcp.enabled=0"), check=True)
        result = send(path, tmp_path, "--bytes", "100000")
        assert "MPTCP is switched off here" in result["said"]
        assert result["outcome"] == "complete"


def test_other_schemes_just_run_over_all_subflows(tmp_path: Path) -> None:
    with EmulatedPath(Direction(rate_bps=8e6, delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        result = send(path, tmp_path, "--cc", "reno")
        assert (result["outcome"], result["negotiation"], len(result["subflows"])) == ("stopped", "none", 2)
