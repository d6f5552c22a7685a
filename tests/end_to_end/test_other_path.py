"""A full path and a free one: a transmission that is refused on the first goes by another path, if the scenario lets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.installation import PROJECT
from engine.collect.record import CellRecord
from engine.plan.experiment import Effort
from protocol.frames import payload_share
from tests.end_to_end.conftest import measured
from tests.harness.long_tests import only_long
from tests.harness.precision import assert_on_time, within

SCENARIO = PROJECT / "scenario" / "examples" / "other_path.toml"
FULL_MBPS, FREE_MBPS = 10, 20
PAYLOAD = payload_share(1052)
CLOSE = within(0.01, real=0.05)

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("nothing_left_behind")]


def run(folder: Path, scheme: str, changed: dict[str, str] | None = None) -> CellRecord:
    text = SCENARIO.read_text()
    for old, new in {"duration_s = 8": "duration_s = 6\nattempts = 5", **(changed or {})}.items():
        assert old in text
        text = text.replace(old, new)
    file = folder / "other_path.toml"
    file.write_text(text)
    (record,) = measured(file, folder / "results", effort=Effort(schemes=scheme))
    assert_on_time(record)
    assert record.values["queue_drops"] == 0
    assert record.values["mean_mbps.A"] == pytest.approx(FULL_MBPS * PAYLOAD, rel=CLOSE)
    return record


@pytest.mark.parametrize("scheme", ["nodectl", pytest.param("nodectl(variant=deployable)", marks=only_long)])
def test_it_has_all_of_the_free_path_and_the_other_one_keeps_its_own(tmp_path: Path, scheme: str) -> None:
    record = run(tmp_path, scheme)
    assert record.values["mean_mbps.D"] == pytest.approx(FREE_MBPS * PAYLOAD, rel=CLOSE)
    assert record.facts["negotiation.D"] == "allocated"


def test_without_other_paths_it_waits(tmp_path: Path) -> None:
    record = run(tmp_path, "nodectl", {"other_paths = true": "other_paths = false"})
    assert record.values["mean_mbps.D"] == 0
    assert record.facts["negotiation.D"] == "refused"
