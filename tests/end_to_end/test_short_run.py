"""The whole path, for a few seconds: P4 program, switches, controller, hosts with real TCP, table, picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from experiments.scenario_run import new_result_folder, run_scenario
from experiments.throughput_figure import draw
from experiments.throughput_table import expected_share_mbps, markdown_table
from scenario.file import load_scenario
from tests.end_to_end.conftest import GRPC_BASE_PORT, assert_accepted, environment
from topo.preflight import PROJECT

TOLERANCE = 0.02


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_two_nodectl_transmissions_share_the_bottleneck(scenario_file: Path, tmp_path: Path) -> None:
    scenario = load_scenario(scenario_file)
    folder = new_result_folder(tmp_path, "short")
    result = run_scenario(scenario, folder, grpc_base_port=GRPC_BASE_PORT, console=Console(quiet=True))
    assert_accepted(result)
    (run,) = result.runs
    assert run.transmissions.keys() == {"A", "B"}
    share_bps = expected_share_mbps(result) * 1e6
    for transmission in run.transmissions.values():
        assert transmission.negotiation == "allocated"
        assert transmission.mean_bps == pytest.approx(share_bps, rel=TOLERANCE)
    assert run.queue_drops == 0
    assert run.transmissions["B"].lead_s["A"] > 0, "A must be reduced before B's first data arrives"
    assert "in brackets" not in markdown_table(result)
    draw(result, folder / "picture.png")
    assert (folder / "picture.png").stat().st_size > 10_000
    record = json.loads((folder / "results.json").read_text())
    assert record["runs"][0]["verdict"]["accepted"] is True


@pytest.mark.usefixtures("nothing_left_behind")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere"], "there is no scenario 'nowhere'"),
        (["run", "--switch", "ovs"], "SWITCH=ovs is not known"),
        (["run", "--grpc-base-port", "80"], "grpc-base-port"),
        (["dance"], "dance"),
    ],
)
def test_mistakes_on_the_command_line(arguments: list[str], message: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "experiments", *arguments], cwd=PROJECT, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
