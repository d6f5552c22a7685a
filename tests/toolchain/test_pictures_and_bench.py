"""`p4graph` on the data plane, and `make bench` in short."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.input_output import METHODS
from bench.tools import PROJECT, RELEASE


def test_pictures_of_the_data_plane(tmp_path: Path) -> None:
    command: list[str | Path] = [RELEASE / "p4graph", PROJECT / "p4src" / "nodectl.p4", "-o", tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    parser = (tmp_path / "parser.dot").read_text()
    assert '"parse_ethernet" -> "parse_ipv4" [label="0x0800"];' in parser
    ingress = (tmp_path / "ingress.mmd").read_text()
    assert ingress.startswith("flowchart TD\n")
    assert "NodectlIngress.ipv4_lpm<br>hdr.ipv4.destination: lpm<br>forward(), drop()" in ingress


def test_programs_that_do_not_compile_have_no_picture(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("control {")
    result = subprocess.run([RELEASE / "p4graph", wrong, "-o", tmp_path], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 3
    assert "wrong.p4" in result.stderr


def test_bench_measures(tmp_path: Path) -> None:
    figures = tmp_path / "bench.json"
    short = ["--runs", "1", "--rounds", "1", "--seconds", "0.2", "--no-latency", "--entries", "1000"]
    options = [*short, "--grpc-port", "51111", "--output", str(figures)]
    result = subprocess.run(
        [sys.executable, "-m", "bench", *options], cwd=PROJECT, capture_output=True, text=True, timeout=240, check=False
    )
    assert result.returncode == 0, result.stderr
    measured = json.loads(figures.read_text())
    assert {row["program"] for row in measured["compile"]} == {"router.p4", "nodectl.p4"}
    assert all(row["wall_s"] > 0 for row in measured["compile"])
    if os.geteuid() == 0 and shutil.which("cargo") is not None:
        rows = {(row["owner"], row["program"], row["frame_bytes"]): row for row in measured["forward"]}
        for size in (64, 1052):
            assert rows["bare forwarder", "—", size]["of_bare"] == 1
            for program in ("ipv4", "nodectl"):
                assert rows["embedded", program, size]["packets_per_cpu_s"] > 0
        methods = {(row["method"], row["frame_bytes"]): row for row in measured["input_output"]}
        for size in (64, 1052):
            assert methods["recvmmsg", size]["of_switch"] == 1
        assert len(methods) + sum(line.startswith("input and output") for line in measured["skipped"]) == 2 * len(METHODS)
        assert all(row["packets_per_cpu_s"] > 0 for row in methods.values())
        tables = {(row["kind"], row["entries"]) for row in measured["tables"]}
        assert tables == {(kind, entries) for kind in ("exact", "lpm", "ternary", "range") for entries in (10, 1000)}
        assert all(row["packets_per_cpu_s"] > 0 and row["entries_per_s"] > 0 for row in measured["tables"])
    elif os.geteuid() == 0:
        assert any("cargo" in line for line in measured["skipped"])
    else:
        assert any("root" in line for line in measured["skipped"])
