"""Features of scenario files on a real network: both roles at a host, unlike schemes, workloads, links that change, a part that dies."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console

from engine.collect.store import ResultStore
from engine.execute.event_player import EventPlayer
from engine.execute.runner import Runner
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest
from tests.end_to_end.conftest import GRPC_BASE_PORT, measured
from tests.harness.precision import assert_on_time, within

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("nothing_left_behind")]

TOLERANCE = within(0.005, real=0.03)
"""A short window beside bursts: a packet or two more or less."""
NETWORK = """
schema = 2
title = "For the tests"
packet_bytes = 1052
[topology]
kind = "dumbbell"
pairs = 2
access = {{ rate_mbps = 100, delay_ms = 2 }}
bottleneck = {{ rate_mbps = 12, delay_ms = 5, queue_packets = 100{link} }}
[run]
schemes = ["{scheme}"]
duration_s = {duration_s}
measure_from_s = {measure_from_s}
attempts = 5
"""


def scenario(folder: Path, more: str, *, scheme: str = "nodectl", link: str = "", duration_s: float = 7, measure_from_s: float = 4) -> Path:
    file = folder / "scenario.toml"
    file.write_text(NETWORK.format(link=link, scheme=scheme, duration_s=duration_s, measure_from_s=measure_from_s) + more)
    return file


def one(name: str, sender: str, receiver: str, more: str = "") -> str:
    return f'[[transmissions]]\nname = "{name}"\nsender = "{sender}"\nreceiver = "{receiver}"\n{more}\n'


def test_hosts_send_and_receive_and_a_pair_has_several_transmissions_of_unlike_schemes(tmp_path: Path) -> None:
    back = one("back", "h3", "h1")
    workload = """
[[workloads]]
name = "web"
senders = ["h4"]
receivers = ["h2"]
arrivals = { kind = "poisson", per_s = 4 }
sizes = { kind = "pareto", shape = 1.2, least_bytes = 2000, most_bytes = 20000 }
scheme = "cubic"
stop_s = 5
"""
    file = scenario(tmp_path, one("A", "h1", "h3") + one("A2", "h1", "h3", "start_s = 1") + back + workload)
    (record,) = measured(file, tmp_path)
    # The short transfers have what they need beside back; acknowledgements of A and A2 wait behind them and back.
    for name in ("A", "A2", "back"):
        assert record.facts[f"negotiation.{name}"] == "allocated"
        got_of_fair = (record.values[f"mean_mbps.{name}"] or 0) / (record.values[f"fair_mbps.{name}"] or 1)
        assert 0.7 < got_of_fair < 1 + TOLERANCE, name
    last = sorted(tmp_path.glob("scratch/*/summaries-h4.jsonl"))[-1]  # of the attempts, the one that counts
    web = [json.loads(line) for line in last.read_text().splitlines()]
    assert len(web) > 5
    assert {summary["outcome"] for summary in web} == {"complete"}
    assert {summary["congestion_control"] for summary in web} == {"cubic"}


def test_a_link_that_changes_is_told_to_the_controller_and_nothing_is_lost(tmp_path: Path) -> None:
    event = '[[events]]\nat_s = 3\nset_link = ["s1", "s2"]\nrate_mbps = 6\n'
    (record,) = measured(scenario(tmp_path, one("A", "h1", "h3") + one("B", "h2", "h4") + event), tmp_path)
    assert_on_time(record)
    for name in ("A", "B"):
        assert record.values[f"fair_mbps.{name}"] == pytest.approx(3 * 1000 / 1066)
        assert record.values[f"mean_mbps.{name}"] == pytest.approx(record.values[f"fair_mbps.{name}"], rel=TOLERANCE)
    assert record.values["queue_drops"] == 0
    assert "set link s1–s2 (rate_mbps = 6)" in record.facts["happened"]


def test_a_trace_and_a_cut_cable_take_what_they_take(tmp_path: Path) -> None:
    trace = ", trace = [{ at_s = 2, rate_mbps = 4 }], reverse = { trace = [] }"
    cut = '[[events]]\nat_s = 5\nlink_down = ["s1", "s2"]\n[[events]]\nat_s = 6\nlink_up = ["s1", "s2"]\n'
    file = scenario(tmp_path, one("A", "h1", "h3", "stop_s = 4.5") + one("B", "h2", "h4", "start_s = 4.6") + cut, scheme="reno", link=trace)
    (record,) = measured(file, tmp_path)
    # B has the trace's rate for four tenths of a second before the cut, and for one second after it.
    assert record.values["fair_mbps.B"] == pytest.approx((0.4 + 1.0) / 3 * 4 * 1000 / 1066, rel=0.01)
    assert 0 < (record.values["mean_mbps.B"] or 0) < 1.05 * (record.values["fair_mbps.B"] or 0)
    assert record.values["total_mbps"] == pytest.approx((record.values["mean_mbps.A"] or 0) + (record.values["mean_mbps.B"] or 0))
    assert "link down s1–s2" in record.facts["happened"]


def test_a_host_may_die_if_the_scenario_says_so(tmp_path: Path) -> None:
    fault = '[[events]]\nat_s = 3\nkill = "host h2"\n[[events]]\nat_s = 4\nkill = "host h3"\n'
    file = scenario(tmp_path, one("A", "h1", "h3") + one("B", "h2", "h4") + one("C", "h1", "h4") + fault, measure_from_s=1, duration_s=5)
    (record,) = measured(file, tmp_path)
    assert record.values["mean_mbps.A"] == 0, "what a receiver that died had got is not known"
    assert (record.values["mean_mbps.C"] or 0) > 0
    assert "kill host h2; " in record.facts["happened"]


def test_a_controller_that_dies_leaves_no_result_but_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play = EventPlayer.play

    def kill_it(player: EventPlayer, now_s: float) -> None:
        play(player, now_s)
        if now_s > player.start_s + 1 and player.network.testbed.controller.process.poll() is None:
            os.kill(player.network.testbed.controller.process.pid, signal.SIGKILL)

    monkeypatch.setattr(EventPlayer, "play", kill_it)
    experiment, store = ReportedExperiment.read(scenario(tmp_path, one("A", "h1", "h3"))), ResultStore(tmp_path)
    Runner(store, RunOptions(RunRequest(grpc_base_port=GRPC_BASE_PORT), Console(quiet=True))).run([experiment])
    (record,) = store.records(experiment.cells())
    assert not record.is_result
    assert not record.values
    assert "the controller ended early: killed by signal 9 (SIGKILL)" in (record.failure or "")
    assert "A admitted" in (record.failure or ""), "its last words are told"
