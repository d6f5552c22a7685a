"""Real MPTCP through the testbed: one share for the subflows of a transmission on one bottleneck, the sum on disjoint paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.installation import PROJECT
from engine.collect.record import CellRecord
from engine.plan.experiment import Effort
from hosts import mptcp
from tests.end_to_end.conftest import measured
from tests.harness.precision import assert_on_time, within

FAIR_WITHIN = within(0.03, real=0.1)
"""Over four seconds: MPTCP's scheduler leaves a subflow idle now and then. Table 8 is held to half of it over a minute."""

pytestmark = pytest.mark.real_time


@pytest.fixture(autouse=True)
def _needs_mptcp() -> None:
    reason = mptcp.explain_missing()
    if reason is not None:
        pytest.skip(f"{reason}: transmissions over several paths are NOT tested")


def run_short(scenario: str, folder: Path, changes: str) -> CellRecord:
    """A scenario of the project with Nodectl alone, and a few changes."""
    file = folder / f"short-{scenario}.toml"
    base = PROJECT / "scenario" / "examples" / f"{scenario}.toml"
    file.write_text(f'schema = 2\nbase = "{base}"\n{changes}\nattempts = 5\n')
    (record,) = measured(file, folder, effort=Effort(schemes="nodectl"))
    return record


@pytest.mark.usefixtures("nothing_left_behind")
def test_two_subflows_have_one_share_of_the_bottleneck(tmp_path: Path) -> None:
    record = run_short("shared_bottleneck", tmp_path, "[run]\nduration_s = 12\nmeasure_from_s = 8")
    assert_on_time(record)
    assert record.values["mean_mbps.D"] == pytest.approx(record.values["mean_mbps.A"], rel=FAIR_WITHIN)
    assert record.values["queue_drops"] == 0
    assert {record.facts[f"negotiation.{name}"] for name in ("A", "D")} == {"allocated"}


@pytest.mark.usefixtures("nothing_left_behind")
def test_disjoint_paths_add_up(tmp_path: Path) -> None:
    record = run_short("two_paths", tmp_path, "[run]\nduration_s = 7\nmeasure_from_s = 3")
    assert_on_time(record)
    assert record.values["queue_drops"] == 0
    assert record.values["mean_mbps"] == pytest.approx(record.values["fair_mbps"], rel=FAIR_WITHIN)
