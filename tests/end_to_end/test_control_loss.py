"""Nodectl's messages get lost on the real links: everybody still gets a rate, and nothing else is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.conftest import measured, short_scenario
from tests.harness.precision import SHARE, assert_on_time, within

TOLERANCE = within(SHARE, real=0.03)
PLAIN = "delay_ms = 5, queue_packets = 100 }"
LOSSY = 'delay_ms = 5, queue_packets = 100, filtered_loss = [{ filter = "udp port 4747", loss_percent = 20 }] }'
"""So much that some are lost for certain: 9 messages at least cross the bottleneck."""


@pytest.mark.real_time
@pytest.mark.usefixtures("nothing_left_behind")
def test_everybody_gets_its_share_though_messages_are_lost(tmp_path: Path) -> None:
    text = short_scenario(duration_s=8)
    assert PLAIN in text
    file = tmp_path / "lossy.toml"
    file.write_text(text.replace(PLAIN, LOSSY))
    (record,) = measured(file, tmp_path)
    assert_on_time(record)
    for name in ("A", "B"):
        assert record.facts[f"negotiation.{name}"] == "allocated"
        assert record.values[f"mean_mbps.{name}"] == pytest.approx(record.values[f"fair_mbps.{name}"], rel=TOLERANCE)
        assert record.values[f"retransmits.{name}"] == 0, "data is not to be lost"
    assert (record.values["loss_drops"] or 0) > 0
