"""The times of controller and switches: a scenario's values, the values where it has none, and the programs that are told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from common.errors import UserError
from common.time_mode import VARIABLE, VIRTUAL, is_virtual_time
from engine.execute.network import RunningNetwork
from engine.plan.network_key import network_key
from protocol.variant import COMPLETE
from scenario.computing import Computing
from scenario.file import ScenarioFile, read_scenario_file
from topo.computing import MEASURED, NOTHING_ADDED, ComputingTimes, times_of
from topo.controller_process import ControllerProcess
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.switch_files import switch_network
from topo.testbed import Testbed
from topo.toolchain import Toolchain

SCENARIO = """
schema = 2
title = "Two hosts behind two switches"
transmissions = [{ name = "A", sender = "h1", receiver = "h2" }]
run = { schemes = ["nodectl"], duration_s = 5 }

[topology]
kind = "dumbbell"
pairs = 1
access = { rate_mbps = 100, delay_ms = 1 }
bottleneck = { rate_mbps = 20, delay_ms = 5, trace = [{ at_s = 0, delay_ms = 3 }, { at_s = 1, rate_mbps = 5 }] }

[[events]]
at_s = 2
set_link = ["s1", "s2"]
delay_ms = 7
"""


@pytest.fixture
def virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, VIRTUAL)


@pytest.fixture(autouse=True)
def _real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def file_with(folder: Path, computing: str = "", more: str = "") -> ScenarioFile:
    file = folder / "scenario.toml"
    file.write_text(SCENARIO + (f"\n[computing]\n{computing}\n" if computing else "") + more)
    return read_scenario_file(file)


def plan_with(folder: Path, computing: str = "") -> NetworkPlan:
    return plan_network(file_with(folder, computing).scenario({}))


def test_time_is_real_unless_somebody_says_that_it_is_virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_virtual_time()
    monkeypatch.setenv(VARIABLE, "real")
    assert not is_virtual_time()
    monkeypatch.setenv(VARIABLE, VIRTUAL)
    assert is_virtual_time()


def test_in_real_time_nothing_is_added_but_what_is_given() -> None:
    assert times_of(Computing()) == NOTHING_ADDED == ComputingTimes(0, 0, 0, 0)
    assert times_of(Computing(controller_event_ms=10, pipeline_us=3)) == ComputingTimes(controller_event_ms=10, pipeline_us=3)


@pytest.mark.usefixtures("virtual")
def test_in_virtual_time_what_is_not_given_is_as_measured() -> None:
    assert times_of(Computing()) == MEASURED
    assert min(MEASURED.controller_event_ms, MEASURED.controller_record_us, MEASURED.controller_channel_ms, MEASURED.pipeline_us) > 0
    some = times_of(Computing(controller_event_ms=0, controller_channel_ms=2.5))
    assert some == ComputingTimes(0, MEASURED.controller_record_us, 2.5, MEASURED.pipeline_us)


def test_a_file_says_it_and_a_grid_varies_it(tmp_path: Path) -> None:
    text = 'controller_event_ms = "= slow_ms"\ncontroller_record_us = "= 10 * slow_ms"\ncontroller_channel_ms = 0.5\npipeline_us = 2'
    file = file_with(tmp_path, text, "[grid]\nslow_ms = [0, 100]\n")
    plans = [plan_network(file.scenario(point)) for point in file.points()]
    assert [plan.computing.controller_event_ms for plan in plans] == [0, 100]
    assert [plan.computing.controller_record_us for plan in plans] == [0, 1000]
    assert {(plan.computing.controller_channel_ms, plan.computing.pipeline_us) for plan in plans} == {(0.5, 2)}
    assert file.scenario({"slow_ms": 1}).with_seed(7).computing == file.scenario({"slow_ms": 1}).computing


def test_another_controller_is_another_network(tmp_path: Path) -> None:
    keys = set()
    for text in ("", "controller_event_ms = 0", "controller_event_ms = 1", "pipeline_us = 1"):
        scenario = file_with(tmp_path, text).scenario({})
        keys.add(network_key(scenario, plan_network(scenario)))
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "controller_event_ms = -1",
            r"\[computing\], key `controller_event_ms`: -1 .*0 or more, at most 1000",
        ),
        ("controller_event_ms = 1001", r"key `controller_event_ms`: 1001 .*at most 1000"),
        ("controller_record_us = nan", r"key `controller_record_us`: nan is not allowed"),
        ("controller_channel_ms = 5000", r"key `controller_channel_ms`: 5000 .*at most 500"),
        ('pipeline_us = "fast"', r"key `pipeline_us`: .*number"),
        ('pipeline_us = "= nothing"', r"computing\.pipeline_us: .*'nothing' is not defined"),
        ("pipeline_ms = 1", r"key `pipeline_ms`: unknown key; is `pipeline_us` meant"),
    ],
)
def test_impossible_times_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        file_with(tmp_path, text).scenario({})


def delays_us(plan: NetworkPlan) -> dict[str, float]:
    """By direction, of everything that the switch process is told."""
    described = switch_network(plan, dict.fromkeys(plan.hosts, 1), None, Path("/s"), Path("/tmp"))
    found = {}
    for switch in described["switches"]:
        for port in switch["ports"]:
            here, there = port["name"].split("-")
            found[f"{here}>{there}"] = port["egress"]["delay_us"]
            if "ingress" in port:
                found[f"{there}>{here}"] = port["ingress"]["delay_us"]
    return found


def test_a_pipelines_time_is_on_every_way_into_a_switch_and_no_other(tmp_path: Path) -> None:
    without, with_it = delays_us(plan_with(tmp_path)), delays_us(plan_with(tmp_path, "pipeline_us = 250"))
    assert without == {"s1>h1": 1000, "h1>s1": 1000, "s1>s2": 5000, "s2>s1": 5000, "s2>h2": 1000, "h2>s2": 1000}
    assert {way: with_it[way] - without[way] for way in without} == {
        "s1>h1": 0, "h1>s1": 250, "s1>s2": 250, "s2>s1": 250, "s2>h2": 0, "h2>s2": 250,
    }  # fmt: skip


@pytest.mark.usefixtures("virtual")
def test_in_virtual_time_a_pipeline_takes_what_was_measured(tmp_path: Path) -> None:
    found = delays_us(plan_with(tmp_path))
    assert found["h1>s1"] == 1000 + MEASURED.pipeline_us
    assert found["s1>h1"] == 1000


class Switches:
    """Of a testbed that is not there: writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, str, dict[str, Any]]] = []

    def set_link(self, switch: str, port: int, side: str, **fields: Any) -> None:
        self.told.append((switch, port, side, fields))


def running(plan: NetworkPlan) -> tuple[RunningNetwork, Switches]:
    switches = Switches()
    return RunningNetwork(cast("Testbed", SimpleNamespace(plan=plan, switches=switches))), switches


def test_it_stays_when_links_change(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, "pipeline_us = 250")
    network, switches = running(plan)
    trunk, access = plan.direction("s1", "s2"), plan.direction("s2", "h2")
    network.set_direction("s1", "s2", trunk, seed=1)
    network.change_direction("s1", "s2", trunk, trunk.model_copy(update={"delay_ms": 7.0}))
    network.change_direction("s2", "h2", access, access.model_copy(update={"delay_ms": 7.0}))
    assert switches.told[0][3]["delay_us"] == 5250
    assert switches.told[0][3]["trace"] == [{"at_s": 0, "delay_us": 3250}, {"at_s": 1, "rate_bps": 5_000_000}]
    assert switches.told[1:] == [("s1", 2, "egress", {"delay_us": 7250}), ("s2", 1, "egress", {"delay_us": 7000})]


def test_waiting_for_the_last_packet_waits_for_the_pipelines_too(tmp_path: Path) -> None:
    for text, way_s in (("", 0.007), ("pipeline_us = 250", 0.0075)):
        network, _ = running(plan_with(tmp_path, text))
        assert network.path_delay_s("h1", "h2") == pytest.approx(way_s)  # into s1 and s2, and out to the host


class Compiled:
    """A toolchain that has compiled already."""

    bmv2 = None

    def compile(self, *_arguments: object) -> tuple[Path, Path]:
        return Path("program.json"), Path("p4info.txt")


def controller_options(plan: NetworkPlan, folder: Path) -> list[str]:
    process = ControllerProcess(plan, {}, folder, folder / "s", cast("Toolchain", Compiled()), COMPLETE)
    return [word for word in process._command if word.startswith(("--event", "--record", "--channel"))]


def test_the_controller_is_told_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "controller_event_ms = 1.5\ncontroller_record_us = 20\ncontroller_channel_ms = 0"
    assert controller_options(plan_with(tmp_path), tmp_path) == []
    assert controller_options(plan_with(tmp_path, text), tmp_path) == ["--event-ms=1.5", "--record-us=20"]
    monkeypatch.setenv(VARIABLE, VIRTUAL)
    assert controller_options(plan_with(tmp_path), tmp_path) == [
        f"--event-ms={MEASURED.controller_event_ms:g}",
        f"--record-us={MEASURED.controller_record_us:g}",
        f"--channel-ms={MEASURED.controller_channel_ms:g}",
    ]
