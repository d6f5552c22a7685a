"""``python -m bench``: measure, print a table, and write the figures as JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from common.errors import EXIT_CANNOT_RUN, UserError
from common.terminal import terminal

from . import compile_time, forwarding, input_output, real_time, report, table_size, tcp
from .generator import frames
from .switch_under_test import compile_program
from .tools import PROJECT, Tool, embedded, peer

ROUTER = PROJECT / "bench" / "programs" / "router.p4"
NODECTL = PROJECT / "p4src" / "nodectl.p4"
FORWARDED = ((table_size.PROGRAM, "routes"), (NODECTL, "ipv4_lpm"))
"""Programs that forward, with the tables of their routes."""
FRAME_BYTES = (64, 1052)
SIZES = (10, 1_000, 10_000, 100_000, 1_000_000)


def main(
    runs: Annotated[int, typer.Option(help="compilations of each program with each compiler", min=1)] = 9,
    rounds: Annotated[int, typer.Option(help="forwarding runs of each switch; 0: leave forwarding out", min=0)] = 3,
    seconds: Annotated[float, typer.Option(help="length of a forwarding run")] = 1.0,
    latency: Annotated[bool, typer.Option(help="search the loss-free rate, and time packets at half of it")] = True,
    methods: Annotated[bool, typer.Option(help="compare ways of input and output without a switch")] = True,
    entries: Annotated[int, typer.Option(help="size of the largest table; 0: leave tables out", min=0)] = SIZES[-1],
    testbed: Annotated[bool, typer.Option(help="find how fast the testbed may be in real time")] = True,
    bmv2_build: Annotated[str, typer.Option(help="how the BMv2 on PATH was built, to be told beside its figures")] = "unknown",
    grpc_port: Annotated[int, typer.Option(help="P4Runtime port of the switches")] = 50051,
    output: Annotated[Path, typer.Option(help="where the figures go")] = PROJECT / "results" / "bench.json",
) -> None:
    """Compile, forward and fill tables with the embedded toolchain and, where they are on PATH, with p4c and BMv2."""
    console = terminal()
    skipped: list[str] = []
    figures: dict[str, Any] = {"compile": [], "forward": [], "tcp": [], "latency": [], "input_output": [], "tables": [], "real_time": []}
    try:
        figures["compile"] = _compile(console, runs, skipped)
        if rounds and _can_forward(skipped):
            with tempfile.TemporaryDirectory() as folder:
                _forward(console, Path(folder), figures, rounds, seconds, latency, grpc_port, bmv2_build, skipped)
                if methods:
                    figures["input_output"] = _input_output(console, rounds, seconds, skipped)
                if entries:
                    figures["tables"] = _tables(console, Path(folder), entries, seconds, grpc_port)
            if testbed:
                figures["real_time"] = _real_time(console)
    except UserError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_CANNOT_RUN) from None
    for line in skipped:
        console.print(Text.assemble(("skipped:", "bold yellow"), f" {line}"))
    figures["skipped"] = skipped
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(figures, indent=2) + "\n")


def _compile(console: Console, runs: int, skipped: list[str]) -> list[dict[str, Any]]:
    tools = [embedded("p4c-bm2-ss")]
    if (real := peer("p4c-bm2-ss", "p4c")) is not None:
        tools.append(real)
    else:
        skipped.append("compiling with p4c: p4c-bm2-ss is not on PATH")
    rows = [row for program in (ROUTER, NODECTL) for row in compile_time.measure(tools, program, runs)]
    console.print(report.compile_table(rows, runs))
    return [asdict(row) for row in rows]


def _can_forward(skipped: list[str]) -> bool:
    if os.geteuid() != 0:
        skipped.append("forwarding: veth interfaces need root")
        return False
    if shutil.which("cargo") is None:
        skipped.append("forwarding: the generator and the bare forwarder are compiled by cargo, which is not on PATH")
        return False
    return True


def _forward(
    console: Console,
    folder: Path,
    figures: dict[str, Any],
    rounds: int,
    seconds: float,
    latency: bool,
    port: int,
    bmv2_build: str,
    skipped: list[str],
) -> None:
    tools: list[Tool] = [embedded("simple_switch_grpc")]
    if (real := peer("simple_switch_grpc", "bmv2")) is not None:
        tools.append(real)
        figures["bmv2_build"] = bmv2_build
        console.print(f"BMv2 was built: {bmv2_build}")
    else:
        skipped.append("forwarding with BMv2: simple_switch_grpc is not on PATH")
    programs = [compile_program(source, folder) for source, _ in FORWARDED]
    routed = [(program, forwarding.both_ways(program, table, "forward")) for program, (_, table) in zip(programs, FORWARDED, strict=True)]
    subjects = forwarding.subjects(tools, routed)
    rows = [row for size in FRAME_BYTES for row in forwarding.measure(subjects, port, rounds, seconds, frames(size))]
    console.print(report.forwarding_table(rows))
    figures["forward"] = [asdict(row) for row in rows]
    figures["tcp"] = _tcp(console, [forwarding.bare(forwarding.RING), *subjects], port, rounds, seconds, skipped)
    if latency:
        timed = [forwarding.bare(forwarding.RING), *(subject for subject in subjects if subject.receives_by != forwarding.MESSAGES)]
        times = [forwarding.rate_and_latency(subject, port, size) for size in FRAME_BYTES for subject in timed]
        console.print(report.latency_table(times))
        figures["latency"] = [asdict(row) for row in times]


def _tcp(
    console: Console, subjects: list[forwarding.Subject], port: int, rounds: int, seconds: float, skipped: list[str]
) -> list[dict[str, Any]]:
    if shutil.which("iperf3") is None:
        skipped.append("TCP: iperf3 is not installed")
        return []
    rows = tcp.measure(subjects, port, rounds, seconds)
    console.print(report.tcp_table(rows))
    return [asdict(row) for row in rows]


def _input_output(console: Console, rounds: int, seconds: float, skipped: list[str]) -> list[dict[str, Any]]:
    rows = [row for size in FRAME_BYTES for row in input_output.measure(rounds, seconds, size, skipped)]
    console.print(report.input_output_table(rows))
    return [asdict(row) for row in rows]


def _tables(console: Console, folder: Path, entries: int, seconds: float, port: int) -> list[dict[str, Any]]:
    sizes = [size for size in SIZES if size <= entries]
    tool = embedded("simple_switch_grpc")
    rows = [row for kind in table_size.KINDS for row in table_size.measure(tool, kind, sizes, folder, port, seconds)]
    console.print(report.size_table(rows))
    return [asdict(row) for row in rows]


def _real_time(console: Console) -> list[dict[str, Any]]:
    rows = real_time.measure(console)
    console.print(report.carried_table(rows))
    return [asdict(row) for row in rows]
