"""A whole testbed whose parts die: those that should not are named; a controller that is killed on purpose takes over when it is back."""

from __future__ import annotations

import csv
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError
from scenario.run_request import EMBEDDED
from tests.faults.staggered import BOTTLENECK, GRPC_BASE_PORT, StaggeredRun, staggered_testbed
from tests.harness.long_tests import only_long
from tests.harness.separate_switches import KINDS, command_of
from tests.harness.waiting import LIMIT_S
from topo.preflight import check_all, check_machine
from topo.testbed import Testbed
from topo.toolchain import Toolchain
from topo.watch import PartEndedError

EQUAL = {"A": 12.0, "B": 12.0, "C": 12.0}
RIGHT_WITHIN_S = 6.0
"""From when the new controller is connected: one refresh interval, and time for the messages."""
END_S = 26.0


@pytest.fixture(scope="module", autouse=True)
def machine_can_run() -> None:
    """Skip, with the reason, where the machine cannot run a testbed; fail where only something is not built, installed or free."""
    try:
        check_machine(needs_bpf=True)
    except UserError as error:
        pytest.skip(f"the testbed cannot run here: {error}")
    check_all(Toolchain(), range(GRPC_BASE_PORT, GRPC_BASE_PORT + 2), needs_bpf=True)


def toolchain_of(kind: str, folder: Path) -> Toolchain:
    """The embedded one, or each switch a process of its own with P4Runtime alone."""
    return Toolchain() if kind == EMBEDDED else Toolchain(bmv2=command_of(kind, folder))


def problem(testbed: Testbed, run_start_s: float) -> PartEndedError:
    """The first problem that the checks of the next seconds find."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        try:
            testbed.check(run_start_s)
        except PartEndedError as error:
            return error
        time.sleep(0.05)
    raise AssertionError("nothing was noticed")


def test_parts_that_die_or_stop_are_named(tmp_path: Path) -> None:
    with staggered_testbed(tmp_path, Toolchain(), with_nodectl=False) as testbed:
        assert {"controller", "switch", "standstill watcher"} <= testbed.parts.keys()
        assert testbed.switches.request("ping") == {"ok": True}
        began_s = time.monotonic()
        while time.monotonic() < began_s + 2.0:
            testbed.check(began_s)
            time.sleep(0.1)

        os.kill(testbed.controller.process.pid, signal.SIGKILL)
        error = problem(testbed, time.monotonic() - 7.0)
        assert error.part == "controller"
        assert error.what.startswith("the controller ended early: killed by signal 9 (SIGKILL), 7.")
        assert "s into the run; the run has no result\n" in error.what
        assert "s1 connected: pipeline loaded" in error.what
        assert error.remedy == f"its log: {tmp_path / 'controller.log'}"

        switch = testbed.parts["switch"].process.pid
        os.kill(switch, signal.SIGSTOP)
        try:
            error = problem_of(testbed, "switch")
            assert error.what.startswith("the switch was stopped (SIGSTOP)")
        finally:
            os.kill(switch, signal.SIGCONT)


def problem_of(testbed: Testbed, part: str) -> PartEndedError:
    """The checks find that part as well; of several they name the first."""
    deadline = time.monotonic() + LIMIT_S
    while (error := problem(testbed, time.monotonic())).part != part:
        assert time.monotonic() < deadline, f"{part} was not noticed: {error}"
    return error


def allocated_mbps(samples: Path, at_s: Callable[[float], bool]) -> list[float]:
    """The rates that a sender had at these times (CLOCK_MONOTONIC), in order."""
    with samples.open() as file:
        return [int(row["allocated_rate_bps"]) / 1e6 for row in csv.DictReader(file) if at_s(int(row["time_ns"]) / 1e9)]


@pytest.mark.real_time
@pytest.mark.parametrize("kind", [EMBEDDED, *(pytest.param(kind, marks=only_long) for kind in KINDS)])
def test_a_controller_that_is_back_puts_the_shares_right(kind: str, tmp_path: Path) -> None:
    with staggered_testbed(tmp_path, toolchain_of(kind, tmp_path)) as testbed:
        run = StaggeredRun(testbed, tmp_path, duration_s=END_S + 1.0)
        run.go_on_until(7.0)
        assert run.shares[-1][1] == {"A": 18.0, "B": 18.0}
        testbed.kill("controller")
        run.go_on_until(12.0)
        testbed.restart("controller")
        restarted_s = time.monotonic()
        run.go_on_until(END_S)
        events = testbed.take_events()
        run.go_on_until(END_S + 1.5)
        for sender in run.senders:
            assert sender.wait(LIMIT_S) == 0
        testbed.check(run.start_s)

    names = [event["event"] for event in events if event["part"] == "controller"]
    assert names.index("killed") < names.index("restarted") < names.index("ready") < names.index("took_over")
    (took_over,) = [
        event for event in events if event["event"] == "took_over" and event["switch"] == BOTTLENECK[0] and event["at_s"] > restarted_s
    ]
    assert (took_over["records"], took_over["reduced"], took_over["offered"]) == (3, 2, 0)
    took_s = took_over["shares_right_at_s"] - restarted_s
    after_connecting_s = took_over["shares_right_at_s"] - took_over["connected_at_s"]
    print(f"{kind}: shares right {took_s:.2f} s after the restart, {after_connecting_s:.2f} s after connecting")
    assert after_connecting_s < RIGHT_WITHIN_S

    # C came while nobody was in charge: nobody was reduced for it until the controller was back, and then everybody to the same share.
    for name, before_mbps in (("A", 18.0), ("B", 18.0), ("C", 12.0)):
        meanwhile = allocated_mbps(run.samples(name), lambda at_s: run.start_s + 11.0 < at_s < run.start_s + 12.0)
        assert set(meanwhile) == {before_mbps}
        afterwards = allocated_mbps(run.samples(name), lambda at_s: took_over["shares_right_at_s"] + 1.0 < at_s < run.start_s + END_S)
        assert set(afterwards) == {12.0}
    assert [shares for at_s, shares in run.shares if at_s < END_S][-1] == EQUAL
    log = (tmp_path / "controller.log").read_text()
    assert log.count("s1 connected: pipeline loaded") == 1
    assert log.count("s1 connected: pipeline kept") == 1
    summaries = [json.loads((tmp_path / f"{name}.json").read_text()) for name in "ABC"]
    assert [summary["negotiation"] for summary in summaries] == ["allocated"] * 3
