"""Somebody's P4 program with `SWITCH=bmv2`: entries in each format, a controller, an exercise. A stand-in runs beside BMv2."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import testbed
from tests.harness.long_tests import only_long
from tests.harness.separate_switches import KINDS, command_of
from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, pytest.mark.timeout(600)]

OWN = REPOSITORY / "tests" / "own_programs"
PAYLOAD_SHARE = 1448 / 1514
LINK_MBPS = 20.0
RATE = re.compile(r"([0-9.]+) Mbits/sec")


@pytest.fixture(params=KINDS)
def switch(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of the switch that stands on PATH as BMv2."""
    command = command_of(request.param, tmp_path)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    return str(request.param)


def throughput(scenario: Path) -> float:
    result = testbed.run(scenario, time="virtual", switch="bmv2", compiler="embedded", folder=scenario.parent / "results")
    (record,) = result.records
    assert record.is_result, record.failure
    return float(record.values["mean_mbps.A"] or 0)


def tutorial(exercise: Path, script: Path) -> str:
    words = ["tutorial", str(exercise), "--script", str(script), "--switch", "bmv2", "--compiler", "embedded"]
    done = subprocess.run([sys.executable, "-m", "testbed", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@only_long
@pytest.mark.parametrize("entries", ["s1.toml", "s1.txt"])
@pytest.mark.usefixtures("switch")
def test_entries_in_each_format(entries: str, tmp_path: Path) -> None:
    own = Path(shutil.copytree(OWN / "forwarder", tmp_path / "own"))
    text = (own / "run.toml").read_text()
    (own / "run.toml").write_text(text.replace('"s1.toml"', f'"{entries}"'))
    assert throughput(own / "run.toml") == pytest.approx(LINK_MBPS * PAYLOAD_SHARE, rel=0.01)


@pytest.mark.usefixtures("switch")
def test_a_controller_that_loads_the_program_itself(tmp_path: Path) -> None:
    own = Path(shutil.copytree(OWN / "forwarder", tmp_path / "own"))
    assert throughput(own / "own_controller.toml") == pytest.approx(LINK_MBPS * PAYLOAD_SHARE, rel=0.01)


@only_long
@pytest.mark.usefixtures("switch")
def test_an_exercise_has_its_links_rates() -> None:
    said = tutorial(OWN / "exercise", OWN / "exercise" / "script.txt")
    assert "*** Results: 0% dropped (6/6 received)" in said
    assert "got 'hello' with ttl 62, from port 5000" in said
    assert "0x0a000303/32 -> MyIngress.ipv4_forward(dstAddr=0x080000000333, port=0x03)" in said, "show s1 table ipv4_lpm"
    (found,) = RATE.findall(said)
    assert float(found) == pytest.approx(10 * PAYLOAD_SHARE, rel=0.01)


@only_long
@pytest.mark.usefixtures("switch")
def test_packet_ins_reach_a_controller_of_an_exercise() -> None:
    said = tutorial(OWN / "cache", OWN / "cache" / "script.txt")
    assert re.findall(r"1\.0 s: (asked for .*)", said) == ["asked for 10.0.1.1 to 10.0.1.2", "asked for 10.0.1.2 to 10.0.1.1"]


LISTEN = """import socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as cpu:
    cpu.bind(("s1-cpu-eth1", 3))
    cpu.settimeout(5)
    frame = cpu.recv(2000)
    print("from the switch to", socket.inet_ntoa(frame[30:34]), flush=True)
"""


@only_long
@pytest.mark.usefixtures("switch")
def test_a_cpu_port_leads_to_an_interface(tmp_path: Path) -> None:
    app = Path(shutil.copytree(OWN / "learning", tmp_path / "exercises" / "learning"))
    (app / "p4app.json").write_text((app / "p4app.json").read_text().replace('"learning.p4"', '"main.p4"'))
    shutil.copy(OWN / "forwarder" / "forwarder.p4", app / "main.p4")
    (app / "learning.p4").unlink()
    text = (app / "p4app.json").read_text()
    (app / "p4app.json").write_text(text.replace('"cpu_port": true', '"cpu_port": true, "cli_input": "commands.txt"'))
    (app / "commands.txt").write_text("register_write none 0 1\ntable_set_default ipv4_lpm ipv4_forward 02:00:00:00:00:99 4\n")
    (app / "listen.py").write_text(LISTEN)
    (tmp_path / "script").write_text("sh python3 listen.py &\nrun 1s\nh1 ping -c 1 -W 2 10.0.0.2\n")
    said = tutorial(app, tmp_path / "script")
    assert re.search(r"passed over: .*commands\.txt:1: register_write none 0 1: P4Runtime has no such command", said)
    assert "from the switch to 10.0.0.2" in said
