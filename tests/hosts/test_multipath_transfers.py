"""The multipath sender on real MPTCP connections with two subflows over an emulated link. Root only."""

from __future__ import annotations

import csv
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import registered
from engine.collect.samples import ReceiverSamples
from hosts import mptcp
from hosts.cca.libbpf import Libbpf
from hosts.cca.subflow_rates import MAP_NAME
from protocol.constants import TCP_DATA_PORT
from tests.hosts.agent_program import agent, summaries
from tests.hosts.emulated_path import repeated_if_unfaithful

ONE_WAY_S = 0.01
RATE_BPS = 4_000_000
START_IN_S = 0.3
LATE_START_S = 0.2
SUBFLOWS_S = 5.0
POLL_S = 0.05


@pytest.fixture(autouse=True)
def _needs_mptcp() -> None:
    reason = mptcp.explain_missing()
    if reason is not None:
        pytest.skip(f"{reason}: sending over several paths is NOT tested")


def send(
    path: EmulatedPath, folder: Path, receive: tuple[str, ...] = ("--multipath",), seconds: float = 2.5, **plan: object
) -> dict[str, Any]:
    """Sends from a to b, whose receiver grants each subflow RATE_BPS; returns the summary, with the sender's standard error."""
    with (
        agent(path.A, on=path.command("a")) as a,
        agent(path.B, "--max-rate-bps", str(RATE_BPS), *receive, on=path.command("b")),
    ):
        start_s = time.monotonic() + START_IN_S
        limit = {} if "bytes" in plan else {"stop_at": start_s + seconds}
        files = {"samples": str(folder / "sender.csv"), "summary": str(folder / "summary.json")}
        a.send(folder / "plan.json", {"to": path.B, "multipath": True, "start_at": start_s, **limit, **files, **plan})
        assert a.wait_for("sent")["status"] == 0
        assert a.end() == 0
        assert a.process.stderr is not None
        said = a.process.stderr.read()
    result: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    path.held_up |= result["start_s"] > start_s + LATE_START_S
    return result | {"said": said}


def wait_for_subflows(path: EmulatedPath, count: int) -> None:
    """Waits until so many TCP connections to b's data port have sent something."""
    command = path.command("a", "ss", "-Htni", "state", "established", f"( dport = :{TCP_DATA_PORT} )")
    deadline_s = time.monotonic() + SUBFLOWS_S
    while time.monotonic() < deadline_s:
        if subprocess.run(command, capture_output=True, text=True, check=True).stdout.count("bytes_acked:") >= count:
            return
        time.sleep(POLL_S)
    raise AssertionError(f"{count} subflows have not come")


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


def test_a_subflow_that_goes_is_terminated_and_the_others_go_on(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path,
        agent(path.A, on=path.command("a")) as a,
        agent(path.B, "--multipath", "--max-rate-bps", str(RATE_BPS), on=path.command("b")) as b,
    ):
        path.open_a_second_subflow()
        b.record_to(tmp_path / "received.csv")
        plan = {"name": "A", "to": path.B, "multipath": True, "stop_at": time.monotonic() + 6}
        a.send(tmp_path / "plan.json", plan, summaries=str(tmp_path / "s.jsonl"))
        wait_for_subflows(path, 2)
        subprocess.run(path.command("a", "ip", "mptcp", "endpoint", "del", "id", "9"), check=True)
        gone_s = time.monotonic()
        assert a.wait_for("sent")["status"] == 0
        b.record_to(None)
    result = summaries(tmp_path / "s.jsonl")["A"]
    assert len(result["subflows"]) == 2
    assert result["rates"][-1][1] == RATE_BPS
    connection = ReceiverSamples(tmp_path / "received.csv").of(result)
    assert connection is not None
    assert connection.received.increase(gone_s + 1, result["end_s"]) > 0


def test_agents_send_over_several_paths_and_over_one_at_the_same_time(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path,
        agent(path.A, "--multipath", on=path.command("a")) as a,
        agent(path.B, "--multipath", "--max-rate-bps", str(RATE_BPS), on=path.command("b")) as b,
    ):
        path.open_a_second_subflow()
        for host, name in ((a, "a"), (b, "b")):
            host.record_to(tmp_path / f"received-{name}.csv")
        several, alone = {"name": "several", "to": path.B, "multipath": True}, {"name": "alone", "to": path.B, "cc": "cubic"}
        a.send(tmp_path / "a.json", *({**one, "bytes": 1_000_000} for one in (several, alone)), summaries=str(tmp_path / "a.jsonl"))
        b.send(tmp_path / "b.json", {"to": path.A, "bytes": 500_000, "name": "back"}, summaries=str(tmp_path / "b.jsonl"))
        for host in (a, b):
            assert host.wait_for("sent")["status"] == 0
            host.record_to(None)
    results = summaries(tmp_path / "a.jsonl") | summaries(tmp_path / "b.jsonl")
    assert [result["outcome"] for result in results.values()] == ["complete"] * 3
    assert [result["negotiation"] for result in results.values()] == ["allocated", "none", "allocated"]
    assert len(results["several"]["subflows"]) == 2
    assert results["several"]["local_ports"][0] == results["several"]["local_port"]
    assert [len(result["local_ports"]) for result in results.values()] == [2, 1, 1]
    for name, other, count in (("several", "b", 1_000_000), ("alone", "b", 1_000_000), ("back", "a", 500_000)):
        connection = ReceiverSamples(tmp_path / f"received-{other}.csv").of(results[name])
        assert connection is not None
        assert connection.received.value[-1] == count, name


def test_all_bytes_arrive(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        result = send(path, tmp_path, bytes=1_000_000)
        assert result["outcome"] == "complete"


def test_without_mptcp_at_the_receiver_it_says_so_and_sends_plain_tcp(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        result = send(path, tmp_path, receive=(), bytes=100_000)
        assert "takes no MPTCP; going on over one path with plain TCP" in result["said"]
        assert (result["outcome"], result["negotiation"], result["subflows"]) == ("complete", "allocated", [])


def test_without_mptcp_at_the_sender_it_says_so_and_sends_plain_tcp(tmp_path: Path) -> None:
    with registered("nodectl"), EmulatedPath(Direction(delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        subprocess.run(path.command("a", "sysctl", "-q", "-w", "net.mptcp.enabled=0"), check=True)
        result = send(path, tmp_path, bytes=100_000)
        assert "MPTCP is switched off here" in result["said"]
        assert result["outcome"] == "complete"


def test_other_schemes_just_run_over_all_subflows(tmp_path: Path) -> None:
    with EmulatedPath(Direction(rate_bps=8e6, delay_s=ONE_WAY_S), Direction(delay_s=ONE_WAY_S)) as path:
        path.open_a_second_subflow()
        result = send(path, tmp_path, cc="reno")
        assert (result["outcome"], result["negotiation"], len(result["subflows"])) == ("stopped", "none", 2)
