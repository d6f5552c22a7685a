"""The shares that an ideal network gives: on the scenarios that we ship, with limits, other routes, links that change."""

from __future__ import annotations

import pytest

from common.installation import PROJECT
from engine.plan.ideal import capacity_changes
from protocol.frames import payload_share
from reports.summary.table import fair_shares_mbps
from scenario.events import Event
from scenario.scenario import Scenario
from tests.harness.scenario_file import load_scenario
from topo.layout import plan_network

PAYLOAD = payload_share(1052)


def scenario(name: str) -> Scenario:
    return load_scenario(PROJECT / "scenario" / "examples" / f"{name}.toml")


def test_three_staggered_transmissions_have_a_third_each() -> None:
    assert fair_shares_mbps(scenario("staggered")) == {name: pytest.approx(12 * PAYLOAD) for name in "ABC"}


def test_who_can_send_less_gets_less_and_the_others_more() -> None:
    wanted = scenario("staggered")
    first, *others = wanted.transmissions
    limited = wanted.model_copy(update={"transmissions": [first.model_copy(update={"max_rate_mbps": 6.0}), *others]})
    assert fair_shares_mbps(limited) == {name: pytest.approx(rate * PAYLOAD) for name, rate in {"A": 6, "B": 15, "C": 15}.items()}


def test_disjoint_paths_add_up_and_subflows_of_one_path_do_not() -> None:
    assert fair_shares_mbps(scenario("two_paths"))["D"] == pytest.approx(30 * PAYLOAD)
    assert fair_shares_mbps(scenario("shared_bottleneck")) == {name: pytest.approx(3 * PAYLOAD) for name in "AD"}


def test_who_has_gone_leaves_the_link_to_the_others() -> None:
    assert fair_shares_mbps(scenario("departure")) == {"A": 0, "B": pytest.approx(20 * payload_share(1500))}


def test_events_change_what_there_is() -> None:
    wanted = scenario("staggered")
    half_s = (wanted.run.measure_from_s + wanted.run.measured_to_s) / 2
    slower = Event.model_validate({"at_s": half_s, "set_link": ["s1", "s2"], "rate_mbps": 18})
    cut = Event.model_validate({"at_s": half_s, "link_down": ["s1", "s2"]})
    assert fair_shares_mbps(wanted.model_copy(update={"events": [slower]}))["A"] == pytest.approx(9 * PAYLOAD)
    assert fair_shares_mbps(wanted.model_copy(update={"events": [cut]}))["A"] == pytest.approx(6 * PAYLOAD)


def test_a_controller_may_not_be_told_what_traces_do() -> None:
    plain = scenario("departure").model_dump()
    link = {"rate_mbps": 20, "delay_ms": 10, "trace": [{"at_s": 0, "rate_mbps": 20}, {"at_s": 1, "rate_mbps": 4}], "reverse": {"trace": []}}
    event = {"at_s": 2, "set_link": ["s1", "s2"], "rate_mbps": 8, "both_ways": False}
    wanted = Scenario.model_validate(plain | {"topology": plain["topology"] | {"bottleneck": link}, "events": [event]})
    plan, bottleneck = plan_network(wanted), ("s1", "s2")
    assert wanted.tells_traces, "unless the file says otherwise"
    assert capacity_changes(wanted, plan) == [(0, bottleneck, 20e6), (1, bottleneck, 4e6), (2, bottleneck, 8e6)]
    assert capacity_changes(wanted, plan, traces=False) == [(2, bottleneck, 8e6)]
