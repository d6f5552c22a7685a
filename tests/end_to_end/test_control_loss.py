"""Nodectl's messages get lost on the real links: everybody still gets a rate, and nothing else is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from experiments.expected_share import expected_shares_mbps
from experiments.scenario_run import new_result_folder, run_scenario
from scenario.file import load_scenario
from tests.end_to_end.conftest import GRPC_BASE_PORT, SHORT_SCENARIO, assert_accepted

TOLERANCE = 0.03
LOSSY = "delay_ms = 5, queue_packets = 100, control_loss_percent = 20 }"
"""So much that some are lost for certain: 9 messages at least cross the bottleneck."""


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_everybody_gets_its_share_though_messages_are_lost(tmp_path: Path) -> None:
    text = SHORT_SCENARIO.format(schemes='"nodectl"', duration_s=8).replace("delay_ms = 5, queue_packets = 100 }", LOSSY)
    assert LOSSY in text
    file = tmp_path / "lossy.toml"
    file.write_text(text)
    scenario = load_scenario(file)
    result = run_scenario(scenario, new_result_folder(tmp_path, "lossy"), grpc_base_port=GRPC_BASE_PORT, console=Console(quiet=True))
    assert_accepted(result)
    (run,) = result.runs
    assert run.transmissions.keys() == {"A", "B"}
    share_bps = expected_shares_mbps(scenario)["A"] * 1e6
    for transmission in run.transmissions.values():
        assert transmission.negotiation == "allocated"
        assert transmission.mean_bps == pytest.approx(share_bps, rel=TOLERANCE)
        assert transmission.retransmitted_packets == 0, "data is not to be lost"
    assert run.link_losses > 0
