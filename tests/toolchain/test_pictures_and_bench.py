"""`p4graph` on the data plane, and `make bench` in short."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from bench import real_time
from bench.forwarding import BARE, RING, WAYS
from bench.input_output import METHODS, SWITCH
from bench.tools import PROJECT, RELEASE
from engine.collect.fidelity import FidelityVerdict
from engine.collect.record import CellRecord
from tests.harness.long_tests import only_long


def test_pictures_of_the_data_plane(tmp_path: Path) -> None:
    command: list[str | Path] = [RELEASE / "p4graph", PROJECT / "p4src" / "nodectl.p4", "-o", tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    parser = (tmp_path / "parser.dot").read_text()
    assert '"parse_ethernet" -> "parse_ipv4" [label="0x0800"];' in parser
    ingress = (tmp_path / "ingress.mmd").read_text()
    assert ingress.startswith("flowchart TD\n")
    assert "NodectlIngress.ipv4_lpm<br>hdr.ipv4.destination: lpm<br>forward(), spread(), drop()" in ingress


def test_programs_that_do_not_compile_have_no_picture(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("control {")
    result = subprocess.run([RELEASE / "p4graph", wrong, "-o", tmp_path], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 3
    assert "wrong.p4" in result.stderr


def test_a_chain_is_tried_up_to_the_first_rate_that_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(count: int, rate_mbps: int, _console: Console) -> CellRecord:
        """As a machine would that carries 100 Mbit/s over four switches."""
        good = count * rate_mbps <= 400
        verdict = FidelityVerdict(accepted=good, late_share=0.0 if good else 0.5, worst_link="s1", p99_us=10.0, max_us=10.0, packets=1000)
        known = {"experiment": "chain", "scheme": "cubic", "repetition": 1, "parameters": {}}
        if good:
            return CellRecord.model_validate({**known, "values": {"total_mbps": rate_mbps * 0.9}, "verdict": verdict})
        return CellRecord.model_validate({**known, "failure": "rejected", "rejected": [verdict]})

    monkeypatch.setattr(real_time, "_run", run)
    rows = real_time.measure(Console(quiet=True), (50, 100, 200, 400), (1, 4))
    assert [(row.switches, row.rate_mbps, row.carried_mbps, row.late_share) for row in rows] == [
        (1, 50, 45.0, 0.0),
        (1, 100, 90.0, 0.0),
        (1, 200, 180.0, 0.0),
        (1, 400, 360.0, 0.0),
        (4, 50, 45.0, 0.0),
        (4, 100, 90.0, 0.0),
        (4, 200, None, 0.5),
    ]


@pytest.mark.this_machine
@pytest.mark.skipif(os.geteuid() != 0, reason="hosts in real time need root")
def test_a_chain_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_time, "SECONDS", 1.0)
    [row] = real_time.measure(Console(quiet=True), (20,), (2,))
    # On a busy machine the run may not count; then it carries nothing.
    assert row.carried_mbps is None or 5 < row.carried_mbps < 20


@only_long
def test_bench_measures(tmp_path: Path) -> None:
    figures = tmp_path / "bench.json"
    short = ["--runs", "1", "--rounds", "1", "--seconds", "0.2", "--no-latency", "--entries", "1000", "--no-testbed"]
    options = [*short, "--grpc-port", "51111", "--output", str(figures)]
    result = subprocess.run(
        [sys.executable, "-m", "bench", *options], cwd=PROJECT, capture_output=True, text=True, timeout=240, check=False
    )
    assert result.returncode == 0, result.stderr
    measured = json.loads(figures.read_text())
    assert {row["program"] for row in measured["compile"]} == {"router.p4", "nodectl.p4"}
    assert all(row["wall_s"] > 0 for row in measured["compile"])
    if os.geteuid() == 0 and shutil.which("cargo") is not None:
        rows = {(row["owner"], row["program"], row["receives_by"], row["frame_bytes"]): row for row in measured["forward"]}
        for way, size in itertools.product(WAYS, (64, 1052)):
            assert rows["bare forwarder", "—", way, size]["of_bare"] == 1
            for program in ("ipv4", "nodectl"):
                assert rows["embedded", program, way, size]["packets_per_cpu_s"] > 0
        connections = {(row["owner"], row["program"], row["receives_by"]): row for row in measured["tcp"]}
        assert set(connections) == {("embedded", program, way) for program in ("ipv4", "nodectl") for way in WAYS} | {(BARE, "—", RING)}
        assert all(row["mbit_per_s"] > 1 for row in connections.values())
        methods = {(row["method"], row["frame_bytes"]): row for row in measured["input_output"]}
        for size in (64, 1052):
            assert methods[SWITCH, size]["of_switch"] == 1
        assert len(methods) + sum(line.startswith("input and output") for line in measured["skipped"]) == 2 * len(METHODS)
        assert all(row["packets_per_cpu_s"] > 0 for row in methods.values())
        tables = {(row["kind"], row["entries"]) for row in measured["tables"]}
        assert tables == {(kind, entries) for kind in ("exact", "lpm", "ternary", "range") for entries in (10, 1000)}
        assert all(row["packets_per_cpu_s"] > 0 and row["entries_per_s"] > 0 for row in measured["tables"])
    elif os.geteuid() == 0:
        assert any("cargo" in line for line in measured["skipped"])
    else:
        assert any("root" in line for line in measured["skipped"])
