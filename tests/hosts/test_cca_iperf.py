"""Any program can choose our congestion controls: iperf3, in the hosts' namespaces. Root only."""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import ExitStack
from typing import Any

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import registered
from hosts.cca import sources
from hosts.cca.scheme_names import parse_scheme, socket_name
from tests.harness.long_tests import only_long
from tests.harness.waiting import LIMIT_S
from tests.hosts.emulated_path import repeated_if_unfaithful

pytestmark = pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed (apt-get install iperf3): it is NOT tested")

RATE_BPS = 20e6
SENDING_S = 1
WINDOW = "16K"
"""Small, so that little is left when the time is over: while the rest leaves, iperf3 asks `select` without a pause."""


@only_long  # half a minute for each in virtual time
@repeated_if_unfaithful
def test_iperf3_sends_with_our_schemes() -> None:
    schemes = [parse_scheme(name) for name in (sources.available())]
    slow = Direction(rate_bps=RATE_BPS, delay_s=0.002)
    with ExitStack() as stack:
        for scheme in schemes:
            stack.enter_context(registered(scheme.text))
        path = stack.enter_context(EmulatedPath(slow, Direction(delay_s=0.002)))
        server = subprocess.Popen(path.command("b", "iperf3", "-s", "--forceflush", "-B", path.B), stdout=subprocess.PIPE, text=True)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        assert server.stdout is not None
        while "listening" not in server.stdout.readline():
            assert server.poll() is None, "the iperf3 server did not start"
        for name in map(socket_name, schemes):
            sent, used = iperf3(path, "-C", name, "-w", WINDOW, "-t", str(SENDING_S))
            assert used == name
            assert sent["bytes"] >= SENDING_S * RATE_BPS / 8 / 2, name


def iperf3(path: EmulatedPath, *options: str) -> tuple[dict[str, float], str]:
    """iperf3's report of a transfer from a to b, and the congestion control that the kernel says it had."""
    report: dict[str, Any] = {"end": {}}
    for _ in range(3):  # a transfer this short ends now and then before iperf3's two sides have exchanged their results
        command = path.command("a", "iperf3", "-c", path.B, "-J", *options)
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S).stdout)
        if "sender_tcp_congestion" in report["end"]:
            break
    assert "sender_tcp_congestion" in report["end"], report.get("error")
    return report["end"]["sum_sent"], report["end"]["sender_tcp_congestion"]
