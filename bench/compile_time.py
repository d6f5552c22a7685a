"""How long compilers take, alternated so that what else the machine does hits all of them."""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError

from .tools import Tool


@dataclass(frozen=True)
class CompileTime:
    """Medians over the runs."""

    owner: str
    program: str
    lines: int
    wall_s: float
    cpu_s: float
    runs: int


def _once(tool: Tool, program: Path, output: Path) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    p4info = output.with_suffix(".p4info.txtpb")
    command = [str(tool.command), "--std", "p4-16", "--arch", "v1model", "-o", str(output), "--p4runtime-files", str(p4info), str(program)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wall_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        raise UserError(f"{tool.command} does not compile {program}:\n{result.stderr}")
    return wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def source_lines(program: Path) -> int:
    """Lines of a program with the files beside it that it includes."""
    text = program.read_text()
    included = [program.parent / line.split('"')[1] for line in text.splitlines() if line.startswith('#include "')]
    return len(text.splitlines()) + sum(len(file.read_text().splitlines()) for file in included)


def measure(tools: Sequence[Tool], program: Path, runs: int) -> list[CompileTime]:
    """Compile a program with every tool in turn, `runs` times, after one run each that does not count.

    Raises:
        UserError: a compiler refuses the program.
    """
    times: dict[str, list[tuple[float, float]]] = {tool.owner: [] for tool in tools}
    with tempfile.TemporaryDirectory() as folder:
        for tool in tools:
            _once(tool, program, Path(folder) / "program.json")
        for _ in range(runs):
            for tool in tools:
                times[tool.owner].append(_once(tool, program, Path(folder) / "program.json"))
    lines = source_lines(program)
    return [
        CompileTime(owner, program.name, lines, statistics.median(w for w, _ in all_), statistics.median(c for _, c in all_), runs)
        for owner, all_ in times.items()
    ]
