"""Agents on an emulated path, with the BPF congestion control: both roles at once, and unlike schemes side by side. Root only."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import LEAD_S, registered
from engine.collect.samples import ReceiverSamples, Series
from tests.hosts.agent_program import agent, summaries
from tests.hosts.emulated_path import repeated_if_unfaithful

ONE_WAY_S = 0.01
LINK_BPS = 12_000_000
GRANTED_BPS = 4_000_000
PAYLOAD_SHARE = 1000 / 1066
GRANT = ("--max-rate-bps", str(GRANTED_BPS))
LATE_START_S = 0.2


SHORT_QUEUE_PACKETS = 12
"""So that the window of nodectl, which is bounded by rate and RTT, is not used up by the queue that cubic fills."""


def link(queue_packets: int = 100) -> Direction:
    return Direction(rate_bps=LINK_BPS, delay_s=ONE_WAY_S, queue_packets=queue_packets)


def of(samples: ReceiverSamples, summary: dict[str, Any]) -> Series:
    connection = samples.of(summary)
    assert connection is not None
    return connection.received


def rate_bps(received: Series, start_s: float, end_s: float) -> float:
    return received.increase(start_s, end_s) * 8 / (end_s - start_s) / PAYLOAD_SHARE


@repeated_if_unfaithful
def test_two_hosts_send_to_each_other_at_their_granted_rates(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(), link()) as path,
        agent(path.A, *GRANT, on=path.command("a")) as a,
        agent(path.B, *GRANT, on=path.command("b")) as b,
    ):
        start_s = time.monotonic() + LEAD_S
        for host, name, other in ((a, "a", path.B), (b, "b", path.A)):
            host.record_to(tmp_path / f"received-{name}.csv")
            plan = {"name": name, "to": other, "start_at": start_s, "stop_at": start_s + 3}
            host.send(tmp_path / f"{name}.json", plan, summaries=str(tmp_path / f"{name}.jsonl"))
        for host in (a, b):
            assert host.wait_for("sent")["status"] == 0
            host.record_to(None)
        results = {name: summaries(tmp_path / f"{name}.jsonl")[name] for name in "ab"}
        path.held_up |= any(result["start_s"] > start_s + LATE_START_S for result in results.values())
    for name, other in (("a", "b"), ("b", "a")):
        assert results[name]["negotiation"] == "allocated"
        received = of(ReceiverSamples(tmp_path / f"received-{other}.csv"), results[name])
        assert rate_bps(received, start_s + 1, start_s + 2.9) == pytest.approx(GRANTED_BPS, rel=0.05)


@repeated_if_unfaithful
def test_nodectl_and_cubic_between_the_same_two_hosts(tmp_path: Path) -> None:
    with (
        registered("nodectl"),
        EmulatedPath(link(SHORT_QUEUE_PACKETS), link()) as path,
        agent(path.A, on=path.command("a")) as a,
        agent(path.B, *GRANT, on=path.command("b")) as b,
    ):
        start_s = time.monotonic() + LEAD_S
        b.record_to(tmp_path / "received.csv")
        common = {"to": path.B, "start_at": start_s, "stop_at": start_s + 3}
        plans = [{"name": "granted", **common}, {"name": "cubic", "cc": "cubic", **common}, {"name": "granted too", **common}]
        a.send(tmp_path / "plan.json", *plans, summaries=str(tmp_path / "s.jsonl"))
        assert a.wait_for("sent")["status"] == 0
        b.record_to(None)
        results = summaries(tmp_path / "s.jsonl")
        path.held_up |= any(result["start_s"] > start_s + LATE_START_S for result in results.values())
    samples = ReceiverSamples(tmp_path / "received.csv")
    rates = {name: rate_bps(of(samples, result), start_s + 1, start_s + 2.9) for name, result in results.items()}
    assert [result["congestion_control_at_end"] for result in results.values()] == ["nodectl", "cubic", "nodectl"]
    assert rates["granted"] == pytest.approx(GRANTED_BPS, rel=0.1)
    assert rates["granted too"] == pytest.approx(GRANTED_BPS, rel=0.1)
    assert 0.5 * GRANTED_BPS < rates["cubic"] < 1.1 * (LINK_BPS - 2 * GRANTED_BPS)
