"""One spelling: on the page, in frames, in pictures and in CAPTURE=."""

from __future__ import annotations

import pytest

from common.installation import PROJECT
from tests.harness.scenario_file import load_scenario
from topo.frame_capture import check_capture
from topo.layout import plan_network
from view.recording.link_names import link_names
from view.recording.network_view import NetworkView

SCENARIOS = PROJECT / "scenario" / "examples"


@pytest.mark.parametrize("scenario", ["staggered", "two_paths"])
def test_a_direction_is_called_as_the_end_that_it_leaves(scenario: str) -> None:
    loaded = load_scenario(SCENARIOS / f"{scenario}.toml")
    plan = plan_network(loaded)
    names = link_names(plan)
    assert len(set(names.values())) == len(names) == len(plan.directions())
    check_capture(plan, tuple(names.values()))
    view = NetworkView(loaded)
    assert view.by_port == names
    assert [one.name for one in view.directions] == list(names.values())
    assert {link for one in view.transmissions for way in one.ways for link in way} <= set(names.values())
