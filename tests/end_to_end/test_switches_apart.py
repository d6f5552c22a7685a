"""Runs whose switches are processes of their own, with the links between their interfaces: `SWITCH=bmv2`.

With BMv2 itself where it is on PATH; and everywhere with the embedded `simple_switch_grpc`, which takes the same command line.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from common.installation import PROJECT
from tests.end_to_end.conftest import (
    DEADLINE_S,
    GRPC_BASE_PORT,
    environment,
    measured,
    traces,
    wait_for_senders,
    wait_until_clean,
)
from tests.harness.precision import SHARE, within
from tests.harness.separate_switches import KINDS, STAND_IN, command_of
from topo.toolchain import BMV2, Toolchain, choose

TOLERANCES = {STAND_IN: within(SHARE, real=0.03), BMV2: within(SHARE, real=0.3)}
"""In real time BMv2 loses packets on a busy machine, and the fidelity verdict does not see it."""


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
@pytest.mark.parametrize("kind", KINDS)
def test_two_transmissions_share_the_bottleneck(kind: str, scenario_file: Path, tmp_path: Path) -> None:
    (record,) = measured(scenario_file, tmp_path, toolchain=Toolchain(bmv2=command_of(kind, tmp_path)))
    for name in ("A", "B"):
        assert record.facts[f"negotiation.{name}"] == "allocated"
        assert record.values[f"mean_mbps.{name}"] == pytest.approx(record.values[f"fair_mbps.{name}"], rel=TOLERANCES[kind])
    for file in ("ports.csv", "flows.csv"):
        (samples,) = tmp_path.glob(f"logs/*/{file}")
        assert samples.stat().st_size > 10_000


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: signal.Signals(number).name)
def test_a_run_that_is_ended_leaves_no_interface_and_no_switch(long_scenario: Path, tmp_path: Path, signal_number: int) -> None:
    before = traces()
    path = f"{command_of(STAND_IN, tmp_path).parent}:{os.environ['PATH']}"
    command = [sys.executable, "-m", "testbed", "run", str(long_scenario), "--time", "real", "--switch", "bmv2", "--compiler", "embedded"]
    run = subprocess.Popen(
        [*command, "--grpc-base-port", str(GRPC_BASE_PORT)], cwd=PROJECT, env=environment() | {"PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        wait_for_senders(run)
        assert any(name.startswith("s1-eth") for name in traces()["interfaces"])
        os.kill(run.pid, signal_number)
        _, errors = run.communicate(timeout=DEADLINE_S)
    finally:
        if run.poll() is None:
            run.kill()
            run.communicate()
    assert "Traceback" not in errors
    wait_until_clean(before)


def test_a_wish_that_cannot_be_met_is_told_by_make(tmp_path: Path) -> None:
    (tmp_path / "simple_switch_grpc").write_text("#!/bin/sh\n")
    (tmp_path / "simple_switch_grpc").chmod(0o755)
    assert choose("bmv2", "embedded", str(tmp_path)).bmv2 is not None
    path = f"{tmp_path}:/usr/bin:/bin"
    make = subprocess.run(
        ["make", "check-run", "SWITCH=bmv2"],
        cwd=PROJECT,
        env=environment() | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert make.returncode == 2
    assert "SWITCH=bmv2: p4c not found on PATH" in make.stderr
    assert "COMPILER=embedded" in make.stderr
