"""The coupled congestion controls on real MPTCP connections with two subflows over an emulated link. Root only."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from emulated_path import Direction, EmulatedPath, repeated_if_unfaithful
from transfer import LONG, program, rate_bps, registered, samples, send_together, wait_ready

from hosts.cca.libbpf import Libbpf

Subflows = list[tuple[int, int, int]]
Samples = list[tuple[float, Subflows]]

only_long = pytest.mark.skipif(not LONG, reason="long: only with NODECTL_LONG_TESTS=1")
# Rates over a few seconds scatter too much to decide anything: a short run misses its bound now and then.
pytestmark = pytest.mark.skipif(not LONG, reason="measures rates of real transfers: only with NODECTL_LONG_TESTS=1")
needs_mptcp = pytest.mark.skipif(not Path("/proc/sys/net/mptcp/enabled").exists(), reason="a kernel without MPTCP: coupling is NOT tested")
PEER = "tests/hosts/mptcp_peer.py"
ONE_WAY_S = 0.02


def transfer(name: str, duration_s: float, forward: Direction, beside: Callable[[EmulatedPath], None] | None = None) -> Samples:
    """Samples of an MPTCP transfer with two subflows; ``beside`` runs at the same time."""
    with nullcontext() if name == "reno" else registered(name), EmulatedPath(forward, Direction(delay_s=ONE_WAY_S)) as path:
        path.allow_two_subflows()
        with program(path, "b", PEER, "receive", "0.0.0.0") as receiver:
            wait_ready(receiver)
            with program(path, "a", PEER, "send", path.B, name, str(duration_s)) as sender:
                if beside:
                    beside(path)
                output, errors = sender.communicate(timeout=duration_s + 20)
        assert sender.returncode == 0, errors
        if name != "reno":
            assert_no_entry_is_left()
    return [(at, [tuple(flow) for flow in flows]) for at, flows in map(json.loads, output.splitlines())]


def assert_no_entry_is_left() -> None:
    """The connection is over: what its subflows shared is gone from the map."""
    deadline = time.monotonic() + 5
    while Libbpf().entry_count("connections") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert Libbpf().entry_count("connections") == 0


def growth_per_rtt(rows: Samples) -> float:
    """Packets by which the windows grow together in one RTT, after one loss on each of two subflows."""
    totals = [(at, sum(window for window, _, _ in flows)) for at, flows in rows if len(flows) == 2]
    peak = max(range(len(totals)), key=lambda index: totals[index][1] * (totals[index][0] < 1.2))
    lowest = min(range(peak, len(totals)), key=lambda index: totals[index][1])
    later = totals[lowest + 5 :]
    rtt_s = statistics.median(rtt for _, flows in rows[lowest:] for _, rtt, _ in flows) / 1e6
    return (later[-1][1] - later[0][1]) / ((later[-1][0] - later[0][0]) / rtt_s)


@needs_mptcp
@repeated_if_unfaithful
@pytest.mark.parametrize(("name", "packets"), [("lia", 0.5), ("coupled", 1.0), pytest.param("reno", 2.0, marks=only_long)])
def test_two_subflows_grow_together(name: str, packets: float) -> None:
    """Two equal subflows: alpha of LIA is 1/2, COUPLED grows by one packet an RTT in all, standard TCP on each by two."""
    rows = transfer(name, 3.0, Direction(delay_s=ONE_WAY_S, lose_full_frame=80))
    assert all(len(flows) == 2 for at, flows in rows if at > 0.5)
    assert growth_per_rtt(rows) == pytest.approx(packets, rel=0.25)


@only_long
@needs_mptcp
@repeated_if_unfaithful
@pytest.mark.parametrize("name", ["lia", "coupled"])
def test_over_one_bottleneck_it_takes_no_more_than_one_connection(name: str, tmp_path: Path) -> None:
    """Two subflows beside one standard TCP connection: about half of the link, where uncoupled ones would take two thirds."""
    duration_s = 24.0

    def plain_tcp(path: EmulatedPath) -> None:
        send_together(path, tmp_path, duration_s, {"tcp": (path.B, "reno")})

    rows = transfer(name, duration_s + 2, Direction(rate_bps=6e6, delay_s=ONE_WAY_S, queue_packets=30, random_drop=True), plain_tcp)
    alone = rate_bps(samples(tmp_path / "tcp"), "bytes_acked", 3.0, duration_s - 0.1)
    inside = [(at, sum(acked for _, _, acked in flows)) for at, flows in rows if 4.5 < at < duration_s + 1]
    coupled = (inside[-1][1] - inside[0][1]) * 8 / (inside[-1][0] - inside[0][0])
    assert coupled / (coupled + alone) < 0.56
    assert coupled + alone > 0.8 * 6e6 * 1000 / 1066
