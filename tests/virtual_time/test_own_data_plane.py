"""Somebody's P4 program with entries in all formats and a controller: real TCP over it in virtual time, and the messages about mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import testbed
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time

pytestmark = needs_virtual_time

OWN = REPOSITORY / "tests" / "own_programs" / "forwarder"
LINK_MBPS = 20.0
PAYLOAD_SHARE = 1448 / 1514


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OWN, tmp_path / "own"))


def throughput(result: testbed.Result) -> float:
    (record,) = result.records
    assert record.is_result, record.failure
    return float(record.values["mean_mbps.A"] or 0)


def failure(scenario: Path, folder: Path) -> str:
    with pytest.raises(testbed.TestbedError) as raised:
        testbed.run(scenario, time="virtual", folder=folder)
    return str(raised.value)


def altered(own: Path, name: str, old: str, new: str) -> Path:
    text = (own / name).read_text()
    assert old in text
    (own / name).write_text(text.replace(old, new))
    return own / name


def test_entries_as_toml_and_as_runtime_json(own: Path, tmp_path: Path) -> None:
    result = testbed.run(own / "run.toml", time="virtual", folder=tmp_path / "results")
    assert throughput(result) == pytest.approx(LINK_MBPS * PAYLOAD_SHARE, rel=0.01)


@only_long
def test_entries_as_commands(own: Path, tmp_path: Path) -> None:
    altered(own, "run.toml", 's1.toml"', 's1.txt"')
    assert throughput(testbed.run(own / "run.toml", time="virtual", folder=tmp_path / "results")) == pytest.approx(
        LINK_MBPS * PAYLOAD_SHARE, rel=0.01
    )


def test_a_controller_that_loads_the_program_itself(own: Path, tmp_path: Path) -> None:
    result = testbed.run(own / "own_controller.toml", time="virtual", folder=tmp_path / "results")
    assert throughput(result) == pytest.approx(LINK_MBPS * PAYLOAD_SHARE, rel=0.01)
    (log,) = (tmp_path / "results").rglob("controller.log")
    assert log.read_text().splitlines() == ["switch 1 is configured", "switch 2 is configured"]


@only_long
def test_routes_are_offered_where_there_are_no_entries(own: Path, tmp_path: Path) -> None:
    altered(own, "run.toml", '[switches.s1]\nentries = "s1.toml"\n\n[switches.s2]\nentries = "s2-runtime.json"\n', "")
    assert throughput(testbed.run(own / "run.toml", time="virtual", folder=tmp_path / "results")) > 0.9 * LINK_MBPS


@only_long
def test_a_command_that_the_switch_refuses(own: Path, tmp_path: Path) -> None:
    altered(own, "run.toml", 's1.toml"', 's1.txt"')
    altered(own, "s1.txt", "table_add ipv4_lpm ipv4_forward 10.0.0.1/32", "table_add ipv4_lpm ipv4_forward 10.0.0.1/40")
    assert "/own/s1.txt:4: table_add ipv4_lpm ipv4_forward 10.0.0.1/40" in failure(own / "run.toml", tmp_path / "results")


def test_an_entry_that_the_switch_refuses(own: Path, tmp_path: Path) -> None:
    altered(own, "s1.toml", '"10.0.0.1"', '"10.0.0.2"')
    said = failure(own / "run.toml", tmp_path / "results")
    assert "s1.toml:6: s1 refuses it" in said


def test_a_controller_that_crashes(own: Path, tmp_path: Path) -> None:
    altered(own, "controller.py", "def main() -> None:\n", "def main() -> None:\n    raise RuntimeError('gone')\n")
    said = failure(own / "own_controller.toml", tmp_path / "results")
    assert "the controller ended: exit code 1" in said
    assert "RuntimeError: gone" in said


@only_long
def test_a_controller_that_does_nothing(own: Path, tmp_path: Path) -> None:
    altered(own, "controller.py", "    for switch in options.switches:\n", "    for switch in ():\n")
    altered(own, "own_controller.toml", "[controller]\n", "[controller]\nready_s = 2\n")
    said = failure(own / "own_controller.toml", tmp_path / "results")
    assert "the controller gave s1 no pipeline within 2 s" in said


@only_long
def test_a_program_that_drops_everything_is_a_run_without_data(own: Path, tmp_path: Path) -> None:
    altered(own, "s1.toml", 'action = "ipv4_forward"\nwith = { dstAddr = "02:00:00:00:00:02", port = 2 }', 'action = "drop"')
    (record,) = testbed.run(own / "run.toml", time="virtual", folder=tmp_path / "results").records
    assert not record.values.get("mean_mbps.A")


BEFORE = {
    "an entry": (
        "s1.toml",
        'with = { dstAddr = "02:00:00:00:00:02", port = 2 }',
        "with = { port = 2 }",
        "s1.toml:1: MyIngress.ipv4_forward",
    ),
    "no program": ("run.toml", 'p4 = "forwarder.p4"', 'p4 = "forward.p4"', "p4: there is no "),
    "a program": ("forwarder.p4", "packet.emit(hdr.ipv4);", "packet.emit(hdr.ipv6);", "forwarder.p4"),
    "no switch": ("run.toml", "[switches.s2]", "[switches.s3]", "there is no switch 's3'; this topology has s1, s2"),
    "no file": ("run.toml", '"s1.toml"', '"s3.toml"', "s3.toml: No such file"),
    "another format": ("run.toml", '"s1.toml"', '"forwarder.p4"', "forwarder.p4: .p4 is no format of entries"),
    "a key": ("run.toml", 'entries = "s1.toml"', 'entry = "s1.toml"', "unknown key"),
    "no neighbour": ("run.toml", "[switches.s1]", '[switches.s1]\nmirror = { 5 = "h2" }', "s1 has no neighbour 'h2'; it has h1, s2"),
}


@pytest.mark.parametrize("mistake", BEFORE)
def test_mistakes_are_said_before_the_run(mistake: str, own: Path, tmp_path: Path) -> None:
    name, old, new, told = BEFORE[mistake]
    altered(own, name, old, new)
    with pytest.raises(testbed.TestbedError) as raised:
        testbed.run(own / "run.toml", time="virtual", folder=tmp_path / "results")
    assert told in str(raised.value)
    assert not (tmp_path / "results").exists()
