"""``python -m bench``: measure, print a table, and write the figures as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from protocol.errors import EXIT_CANNOT_RUN, UserError

from . import compile_time, forwarding
from .tools import PROJECT, embedded, peer

PROGRAMS = (PROJECT / "bench" / "programs" / "router.p4", PROJECT / "p4src" / "nodectl.p4")
WIDTH_WITHOUT_TERMINAL = 120


def main(
    runs: Annotated[int, typer.Option(help="compilations of each program with each compiler", min=1)] = 9,
    rounds: Annotated[int, typer.Option(help="forwarding runs of each switch; 0: leave forwarding out", min=0)] = 3,
    seconds: Annotated[float, typer.Option(help="length of a forwarding run")] = 2.0,
    packets_per_s: Annotated[int, typer.Option(help="packets sent in a second", min=1)] = 10_000,
    grpc_port: Annotated[int, typer.Option(help="P4Runtime port of the switches")] = 50051,
    output: Annotated[Path, typer.Option(help="where the figures go")] = PROJECT / "results" / "bench.json",
) -> None:
    """Compile and forward with the embedded toolchain and, where they are on PATH, with p4c and BMv2."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL)
    skipped: list[str] = []
    try:
        compiled = _compile(console, runs, skipped)
        forwarded = _forward(console, rounds, seconds, packets_per_s, grpc_port, skipped) if rounds else []
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None
    for line in skipped:
        console.print(f"[bold yellow]skipped:[/] {line}")
    figures = {"compile": [asdict(row) for row in compiled], "forward": [asdict(row) for row in forwarded], "skipped": skipped}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(figures, indent=2) + "\n")


def _compile(console: Console, runs: int, skipped: list[str]) -> list[compile_time.CompileTime]:
    tools = [embedded("p4c-bm2-ss")]
    if (real := peer("p4c-bm2-ss", "p4c")) is not None:
        tools.append(real)
    else:
        skipped.append("compiling with p4c: p4c-bm2-ss is not on PATH")
    rows = [row for program in PROGRAMS for row in compile_time.measure(tools, program, runs)]
    table = Table("program", "lines", "compiler", "wall, ms", "processor, ms", "p4c / this, wall", title=f"compile time, median of {runs}")
    slow = {row.program: row.wall_s for row in rows if row.owner == "p4c"}
    for row in rows:
        ratio = f"{slow[row.program] / row.wall_s:.1f}" if row.program in slow else "—"
        table.add_row(row.program, str(row.lines), row.owner, f"{row.wall_s * 1e3:.1f}", f"{row.cpu_s * 1e3:.1f}", ratio)
    console.print(table)
    return rows


def _forward(
    console: Console, rounds: int, seconds: float, packets_per_s: int, port: int, skipped: list[str]
) -> list[forwarding.Forwarding]:
    if os.geteuid() != 0:
        skipped.append("forwarding: veth interfaces need root")
        return []
    tools = [embedded("simple_switch_grpc")]
    if (real := peer("simple_switch_grpc", "bmv2")) is not None:
        tools.append(real)
    else:
        skipped.append("forwarding with BMv2: simple_switch_grpc is not on PATH")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "router.json"
        subprocess.run([embedded("p4c-bm2-ss").command, "-o", program, PROGRAMS[0]], check=True)
        rows = forwarding.measure(tools, program, port, rounds, seconds, packets_per_s)
    table = Table(
        "switch",
        "packets a processor second",
        "worst loss",
        "this / bmv2",
        title=f"forwarding {forwarding.FRAME_BYTES} byte frames, median of {rounds}",
    )
    slow = {row.owner: row.packets_per_cpu_s for row in rows}.get("bmv2")
    for row in rows:
        ratio = "—" if slow is None else f"{row.packets_per_cpu_s / slow:.1f}"
        table.add_row(row.owner, f"{row.packets_per_cpu_s:,.0f}", f"{row.lost_fraction:.2%}", ratio)
    console.print(table)
    return rows


if __name__ == "__main__":
    typer.run(main)
