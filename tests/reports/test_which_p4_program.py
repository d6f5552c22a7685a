"""A run says which P4 programs its switches ran: whoever has several wants to know which of them made the numbers."""

from __future__ import annotations

from dataclasses import replace

from common.installation import PROJECT
from engine.collect.record import CellRecord
from engine.plan.experiment import Effort
from reports.experiment import ReportedExperiment
from reports.results import Results
from reports.summary.notes import notes
from scenario.file import merged, read_scenario_file
from topo.toolchain import Toolchain

STAGGERED = PROJECT / "scenario" / "examples" / "staggered.toml"
BEGINS = "P4 program of all switches: "


def told(schemes: str, keys: dict[str, object] | None = None) -> list[str]:
    file = read_scenario_file(STAGGERED)
    experiment = ReportedExperiment.of(replace(file, content=merged(file.content, keys or {})), Effort(schemes=schemes))
    records = [CellRecord.of(cell, values={"total_mbps": 1.0}) for cell in experiment.cells()]
    return [line.removeprefix(BEGINS) for line in notes(experiment, Results(records), Toolchain()) if line.startswith(BEGINS)]


def test_the_testbeds_own() -> None:
    assert told("reno,cubic") == ["p4src/nodectl.p4"]


def test_one_for_each_scheme_that_brings_its_own() -> None:
    assert told("nodectl,cubic,dctcp,rcp") == ["p4src/nodectl.p4 (nodectl, cubic), p4src/ecn.p4 (dctcp), p4src/rcp.p4 (rcp)"]


def test_each_variants_own() -> None:
    schemes = "nodectl,nodectl(variant=deployable),nodectl(variant=fair_level)"
    assert told(schemes) == [
        "p4src/nodectl.p4 (nodectl), p4src/nodectl_deployable.p4 (nodectl(variant=deployable)), "
        "p4src/nodectl_fair_level.p4 (nodectl(variant=fair_level))"
    ]


def test_somebodys() -> None:
    assert told("cubic", {"p4": "/tmp/heavy.p4"}) == ["/tmp/heavy.p4"]
