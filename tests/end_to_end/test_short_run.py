"""The whole path, for a few seconds: P4 program, switches, controller, hosts with real TCP, table, picture."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from common.installation import PROJECT
from engine.collect.store import ResultStore
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from reports.scenario_run import run_experiment
from scenario.run_request import RunRequest
from tests.end_to_end.conftest import GRPC_BASE_PORT, environment
from tests.harness.precision import SHARE, assert_on_time, within

TOLERANCE = within(SHARE, real=0.02)


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_two_nodectl_transmissions_share_the_bottleneck(scenario_file: Path, tmp_path: Path) -> None:
    experiment, folder = ReportedExperiment.read(scenario_file), tmp_path / "results"
    folder.mkdir()
    console = Console(record=True, width=140, quiet=False)
    assert run_experiment(experiment, folder, RunOptions(RunRequest(grpc_base_port=GRPC_BASE_PORT), console)), console.export_text()
    record = ResultStore(folder).load(experiment.cells()[0])
    assert record is not None
    assert_on_time(record)
    for name in ("A", "B"):
        assert record.facts[f"negotiation.{name}"] == "allocated"
        assert record.values[f"retransmits.{name}"] == 0
        assert record.values[f"mean_mbps.{name}"] == pytest.approx(record.values[f"fair_mbps.{name}"], rel=TOLERANCE)
    assert record.values["queue_drops"] == 0
    assert (record.values["lead_ms.A.B"] or 0) > 0, "A must be reduced before B's first data arrives"
    assert record.values["jain"] == pytest.approx(1, abs=within(1e-6, real=0.001))
    table = (folder / "table.md").read_text()
    assert "max-min fair" in table
    assert "in brackets" not in table
    assert (folder / "throughput.png").stat().st_size > 10_000


@pytest.mark.usefixtures("nothing_left_behind")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere"], "there is no scenario 'nowhere'"),
        (["run", "--switch", "ovs"], "SWITCH=ovs is not known"),
        (["run", "--grpc-base-port", "80"], "grpc-base-port"),
        (["run", "--schemes", "nodectl,nodectl"], "each name once"),
        (["run", "--schemes", "tahoe"], "there is no scheme tahoe"),
        (["run", "--schemes", "qtcolfair(gamma=1)"], "gamma"),
        (["dance"], "dance"),
    ],
)
def test_mistakes_on_the_command_line(arguments: list[str], message: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "testbed", *arguments], cwd=PROJECT, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
