"""Schemes that the network helps, beside Nodectl: RCP's one rate for all, XCP's changes of each, HPCC's records, and DCTCP's marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.plan.experiment import Effort
from tests.end_to_end.conftest import measured, short_scenario
from tests.harness.precision import assert_on_time, within

MARKED_FROM_PACKETS, ONE_PACKET_MS = 40, 1066 * 8 / 12e3
"""K of p4src/ecn.p4, and a frame at the bottleneck's rate."""

PATH_RTT_MS = 18.13


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_rcp_xcp_and_hpcc_share_the_link_and_dctcp_keeps_the_queue_at_its_threshold(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text(short_scenario(duration_s=10, measure_from_s=6))
    rcp, xcp, hpcc, dctcp = measured(file, tmp_path, effort=Effort(schemes="rcp,xcp,hpcc,dctcp"))
    for record in (rcp, xcp, hpcc, dctcp):
        assert_on_time(record)
    # There is no queue, because RCP leaves a part of the link free.
    assert rcp.values["jain"] == pytest.approx(1, abs=within(1e-6, real=0.001))
    assert 0.97 < (rcp.values["total_mbps"] or 0) / (2 * (rcp.values["fair_mbps.A"] or 1)) < 1
    assert rcp.values["queue_drops"] == 0
    assert rcp.values["smoothed_rtt_ms"] == pytest.approx(PATH_RTT_MS, rel=within(0.15, real=0.5))
    # XCP fills the link, and no queue stays.
    assert xcp.values["jain"] == pytest.approx(1, abs=within(1e-3, real=0.01))
    assert 0.97 < (xcp.values["total_mbps"] or 0) / (2 * (xcp.values["fair_mbps.A"] or 1)) < 1.01
    assert xcp.values["queue_drops"] == 0
    assert xcp.values["smoothed_rtt_ms"] == pytest.approx(PATH_RTT_MS, rel=within(0.15, real=0.5))
    # HPCC leaves a twentieth of the link free, so no queue stays; its shares need some hundred round trips.
    assert hpcc.values["jain"] == pytest.approx(1, abs=0.1)
    assert 0.92 < (hpcc.values["total_mbps"] or 0) / (2 * (hpcc.values["fair_mbps.A"] or 1)) < 1
    assert hpcc.values["smoothed_rtt_ms"] == pytest.approx(PATH_RTT_MS, rel=within(0.15, real=0.5))
    # The whole link, with as many packets waiting as are not marked yet.
    assert dctcp.values["total_mbps"] == pytest.approx(2 * (dctcp.values["fair_mbps.A"] or 0), rel=within(0.002, real=0.03))
    assert dctcp.values["smoothed_rtt_ms"] == pytest.approx(PATH_RTT_MS + MARKED_FROM_PACKETS * ONE_PACKET_MS, rel=within(0.1, real=0.3))
    assert dctcp.values["retransmits.B"] == 0, "only the first slow start is too fast for marks"
