"""Exercises in p4lang's layout: the content read from them, and the messages about mistakes, before anything starts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from scenario.data_plane import with_paths
from scenario.scenario import Scenario
from testbed.tutorial.exercise import read_exercise
from testbed.tutorial.makefile import defines, variables
from tests.harness.switches import REPOSITORY
from topo.layout import plan_network

EXERCISE = REPOSITORY / "tests" / "own_programs" / "exercise"


@pytest.fixture
def exercise(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXERCISE, tmp_path / "exercise"))


def topology(exercise: Path, **changes: Any) -> None:
    file = exercise / "pod" / "topology.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def scenario(exercise: Path) -> Scenario:
    content = dict(read_exercise(exercise).content)
    with_paths(content, exercise)
    return Scenario.model_validate(content)


def test_its_network_is_the_files(exercise: Path) -> None:
    plan = plan_network(scenario(exercise))
    assert {name: (str(host.address), host.mac, host.interface) for name, host in plan.hosts.items()} == {
        "h1": ("10.0.1.1/24", "08:00:00:00:01:11", "eth0"),
        "h2": ("10.0.2.2/24", "08:00:00:00:02:22", "eth0"),
        "h3": ("10.0.3.3/24", "08:00:00:00:03:33", "eth0"),
    }
    assert {name: sorted((port.number, port.peer) for port in switch.ports) for name, switch in plan.switches.items()} == {
        "s1": [(1, "h1"), (2, "h2"), (3, "s2")],
        "s2": [(1, "h3"), (3, "s1")],
    }
    assert [switch.device_id for switch in plan.switches.values()] == [0, 1]
    trunk = plan.direction("s1", "s2")
    assert (trunk.rate_mbps, trunk.delay_ms) == (10, 5)


def test_each_switch_runs_what_its_entries_are_for(exercise: Path) -> None:
    (exercise / "other.p4").write_text((exercise / "basic.p4").read_text())
    runtime = exercise / "pod" / "s2-runtime.json"
    runtime.write_text(runtime.read_text().replace("build/basic.json", "build/other.json"))
    programs = {name: one.p4 and one.p4.name for name, one in scenario(exercise).switches.items()}
    assert programs == {"s1": "basic.p4", "s2": "other.p4"}


def test_the_solution_takes_the_place_of_what_is_to_be_done(exercise: Path) -> None:
    (exercise / "solution").mkdir()
    shutil.copy(exercise / "basic.p4", exercise / "solution" / "basic.p4")
    assert read_exercise(exercise, solution=True).content["switches"]["s1"]["p4"] == str(exercise / "solution" / "basic.p4")
    assert read_exercise(exercise).content["switches"]["s1"]["p4"] == str(exercise / "basic.p4")


def test_what_a_makefile_says_is_read_and_not_carried_out(tmp_path: Path) -> None:
    text = (
        "TOPO := pod/t.json # here\nP4C_ARGS += -DONE -DTWO=2 \\\n  -I lib\n  NO_P4=true\nX = $(shell touch made)\nall:\n\techo no = yes\n"
    )
    (tmp_path / "Makefile").write_text(text)
    found = variables(tmp_path)
    assert (found["TOPO"], found["NO_P4"], defines(found["P4C_ARGS"])) == ("pod/t.json", "true", ("ONE", "TWO=2"))
    assert "X" not in found
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"switches": []}, "switches is an object of names and values, not list"),
        ({"switches": {"s1": {"runtime_json": "pod/none.json"}}}, "none.json: No such file or directory"),
        ({"switches": {"s1": {"cli_input": "none.txt"}}}, "switches.s1.cli_input: there is no "),
        ({"switches": {"s1": {"program": "build/none.json"}}}, "it names build/none.json, and there is no none.p4"),
        ({"hosts": {"h1": 1}}, "hosts.h1 is an object of names and values, not int"),
    ],
)
def test_files_of_another_shape(changes: dict[str, Any], told: str, exercise: Path) -> None:
    topology(exercise, **changes)
    with pytest.raises(UserError) as raised:
        read_exercise(exercise)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"links": [["h1", "s1-p1"], ["h2", "s1-p1"], ["h3", "s2-p1"]]}, "port 1 of s1 has two links"),
        ({"links": [["h1", "s1-p1"], ["h2", "s1-p2"]]}, "h3 has none"),
        ({"links": [["h1", "s9-p1"]]}, "'s9-p1' is neither a host nor a port of a switch"),
        ({"links": [["h1", "h2"], ["h3", "s1-p1"]]}, "a host is joined to a switch"),
        ({"links": [["h1"]]}, "a link is [END, END]"),
        ({"links": [["h1", "s1-p1", "soon"]]}, "'soon' is no delay"),
        ({"hosts": {"h1": {"ip": "10.0.1", "mac": "08:00:00:00:01:11"}}}, "is no IPv4 address with a prefix length"),
    ],
)
def test_impossible_networks(changes: dict[str, Any], told: str, exercise: Path) -> None:
    topology(exercise, **changes)
    with pytest.raises(ValueError, match=r"(?s).*") as raised:
        scenario(exercise)
    assert told in str(raised.value)


def test_no_folder_and_no_topology(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        read_exercise(tmp_path / "none")
    with pytest.raises(UserError, match=r"there is no topology\.json"):
        read_exercise(tmp_path)
    (tmp_path / "topology.json").write_text("{\n]")
    with pytest.raises(UserError, match=r"topology\.json:2: not valid JSON"):
        read_exercise(tmp_path)
