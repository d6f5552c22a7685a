"""Command lines, run here, and on BMv2 where it is installed: those of docs/command-lines.md that differ, and those that do not."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.bmv2_switch import bmv2_or_skip
from tests.harness.long_tests import only_long
from tests.harness.switches import binaries
from tests.harness.waiting import LIMIT_S

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-lines.md"
PROGRAM = """#include <core.p4>
#include <v1model.p4>
struct headers_t { } struct meta_t { }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { } }
V1Switch(P(), V(), I(), I(), V(), D()) main;
"""
SAME_HERE = """
| `prog.json more` | runs | runs | |
| `--no-p4 prog.json` | runs | runs | |
| `--pcap prog.json` | error | error | |
| `--pcap --log-flush prog.json` | runs | runs | |
| `prog.json --pcap` | runs | runs | |
| `-i 1@lo 2@lo prog.json` | error | error | |
| `--log prog.json` | error | error | |
| `--log-console --log-file lf prog.json` | error | error | |
| `-L info prog.json` | runs | runs | |
| `--log-flush prog.json` | runs | runs | |
| `--packet-in ipc:///tmp/x prog.json` | error | error | |
| `--no-p4 --cpu-port 510` | error | error | |
| `prog.json -- --cpu-port 510 --cpu-port 509` | runs | runs | |
| `prog.json -- --grpc-server-ssl` | error | error | |
| `prog.json -- --cpu-p 510` | runs | runs | |
| p4c-bm2-ss | `-o=out prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-o x -o out prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--p4v 14 prog.p4` | error | error | |
| p4c-bm2-ss | `--arch psa prog.p4` | error | error | |
| p4c-bm2-ss | `--p4runtime-files a.txt --p4runtime-files b.txt prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-D A -DB=2 -U C prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Wdisable prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Werror=mismatch --Wwarn=no-such-kind prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Winfo --Wwarn prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Wdisable unused prog.p4` | error | error | |
| p4c-bm2-ss | `--maxErrorCount=0 prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--emit-externs=no prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-E prog.p4` | compiles | compiles | |
| p4c | `-o dir prog.p4` | compiles | compiles | |
| p4c | `--p4runtime-f a.txt prog.p4` | error | error | |
| p4c | `--Wdisable unused prog.p4` | compiles | compiles | |
| p4c | `--Wdisable=unused,overflow --Werror mismatch prog.p4` | compiles | compiles | |
| p4c | `--Wdisable prog.p4` | error | error | |
| `prog.json` | runs | runs | |
| `--no-p4` | runs | runs | |
| `--pcap dir prog.json` | runs | runs | |
| `--pcap missing prog.json` | error | error | |
| `--pcap dir --pcap dir prog.json` | error | error | |
| `-i x@lo prog.json` | error | error | |
| `--device-id 3 prog.json` | runs | runs | |
| `--device-id 3 --device-id 4 prog.json` | error | error | |
| `--log-console prog.json` | runs | runs | |
| `--log-file lf prog.json` | runs | runs | |
| `-Linfo prog.json` | runs | runs | |
| `--missing prog.json` | error | error | |
| `prog.json -- --cpu-port 510` | runs | runs | |
| `prog.json -- --priority-queues 8` | runs | runs | |
| p4c-bm2-ss | `-o out prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--std p4-16 prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Wdisable=type-error prog.p4` | error | error | |
| p4c-bm2-ss | `--Werror=type-error prog.p4` | compiles | compiles | |
| (nothing) | error | error | |
| `--pcap=dir prog.json` | runs | runs | |
| `--pcap= prog.json` | error | error | |
| `prog.json --pcap dir` | runs | runs | |
| `-i 1 prog.json` | error | error | |
| `--device-id=3 prog.json` | runs | runs | |
| `--device-i 3 prog.json` | runs | runs | |
| `--device-id x prog.json` | error | error | |
| `prog.json --device-id` | error | error | |
| `--log-con prog.json` | runs | runs | |
| `--log-console --log-console prog.json` | error | error | |
| `--log-file=lf prog.json` | runs | runs | |
| `-q prog.json` | error | error | |
| `prog.json -- --cpu-port=510` | runs | runs | |
| `prog.json -- --cpu-port x` | error | error | |
| p4c-bm2-ss | `-oout prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `prog.p4 -o out` | compiles | compiles | |
| p4c-bm2-ss | `prog.p4 -o` | error | error | |
| p4c-bm2-ss | (nothing) | error | error | |
| p4c-bm2-ss | `prog.p4 prog.p4` | error | error | |
| p4c-bm2-ss | `missing.p4` | error | error | |
| p4c-bm2-ss | `--std=16 prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--p4v 15 prog.p4` | error | error | |
| p4c-bm2-ss | `--p4runtime-files=a.bin, prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--p4runtime-files a.yaml prog.p4` | error | error | |
| p4c-bm2-ss | `--p4runtime-format yaml prog.p4` | error | error | |
| p4c-bm2-ss | `--p4runtime-fil a prog.p4` | error | error | |
| p4c-bm2-ss | `--Wdisable=unused --Wdisable=overflow prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--Winfo=type-error prog.p4` | error | error | |
| p4c-bm2-ss | `--Wwarn=type-error prog.p4` | error | error | |
| p4c-bm2-ss | `--maxErrorCount x prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `prog.p4 --maxErrorCount` | error | error | |
| p4c-bm2-ss | `--missing prog.p4` | error | error | |
| p4c | `--output dir prog.p4` | compiles | compiles | |
| p4c | `--out dir prog.p4` | compiles | compiles | |
| p4c | `--std p4-14 prog.p4` | error | error | |
| p4c | `prog.p4 --Wdisable` | compiles | compiles | |
| p4c | `prog.p4 prog.p4` | error | error | |
| `missing.json prog.json` | error | error | |
| `--log-console=x prog.json` | error | error | |
| `--log-level wrong prog.json` | error | error | |
| `--log-file lf --log-file-max-size 0 prog.json` | error | error | |
| `--log-file-max-size 100 prog.json` | runs | runs | |
| `--log-file-max-files 2 prog.json` | runs | runs | |
| `--max-port-count 4 prog.json` | runs | runs | |
| `--max-port-count -4 prog.json` | error | error | |
| `--dump-packet-data 100 prog.json` | runs | runs | |
| `--nanolog ipc:///tmp/x prog.json` | runs | runs | |
| `--restore-state missing prog.json` | error | error | |
| `prog.json -- --cpu-port 0` | error | error | |
| `prog.json -- --cpu-port 600` | runs | runs | |
| `prog.json -- --drop-port 300` | runs | runs | |
| `prog.json -- --disable-swap` | runs | runs | |
| `prog.json -- --enable-swap` | runs | runs | |
| `prog.json -- --load-modules missing.so` | runs | runs | |
| `prog.json -- --max-mc-groups 10 --max-l1-entries 10 --max-l2-entries=10` | runs | runs | |
| `prog.json -- --grpc-server-cert missing` | runs | runs | |
| `prog.json -- --grpc-server-with-client-auth` | runs | runs | |
| `prog.json -- --missing` | runs | runs | |
| `prog.json -- word` | runs | runs | |
| p4c-bm2-ss | `--p4v 1.2 prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--arch v1model --target bmv2 prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--p4runtime-files a.txt,b.json prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--p4runtime-file a --p4runtime-format text prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-I dir -Idir prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-Wall -O2 -v -T x:1 --top4 a prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--nocpp --ndebug --loopsUnroll --parser-inline-opt prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--toJSON x --pp y --dump dir prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `-MD -MF x.d prog.p4` | compiles | compiles | |
| p4c-bm2-ss | `--fromJSON x` | error | error | |
| p4c | `-b bmv2 -a v1model -x p4-16 prog.p4` | compiles | compiles | |
| p4c | `-Xp4c=--Wwarn=unused prog.p4` | compiles | compiles | |
| p4c | `-Xp4c=--emit-externs -Xpreprocessor -DA=2 prog.p4` | compiles | compiles | |
| p4c | `-c -S -g -e --debug prog.p4` | compiles | compiles | |
"""
"""Rows that the page does not need: both do the same, as the rows beside them let one expect."""
BMV2_RUNS_AFTER_S = 1.5
"""A command that has not ended by then runs: BMv2 reads its command line first."""
OPTIONS_OF_SOME_BUILDS = ("--notifications-addr", "--debugger", "--packet-in")
"""Those that the table's BMv2 was built without."""


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    command: str
    words: str
    theirs: str
    here: str

    def __str__(self) -> str:
        return f"{self.command} {self.words}"


def rows(text: str) -> list[Row]:
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[1] in ("runs", "error"):
            cells.insert(0, "simple_switch_grpc")
        if len(cells) == 5 and cells[2] in ("runs", "compiles", "error"):
            words = "" if cells[1] == "(nothing)" else cells[1].strip("`")
            found.append(Row(cells[0], words, cells[2], cells[3]))
    return found


ROWS = rows(PAGE.read_text() + SAME_HERE)
SWITCH_ROWS = [row for row in ROWS if row.command == "simple_switch_grpc"]
COMPILER_ROWS = [row for row in ROWS if row.command != "simple_switch_grpc"]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "prog.p4").write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", "prog.json", "prog.p4"], cwd=folder, check=True)
    return folder


@pytest.fixture
def folder(compiled: Path, tmp_path: Path) -> Path:
    for name in ("prog.p4", "prog.json"):
        shutil.copy(compiled / name, tmp_path)
    (tmp_path / "dir").mkdir()
    return tmp_path


def switch_words(words: str, address: str) -> list[str]:
    before, separator, target = words.partition(" -- ")
    target = target if separator else ""
    return [*shlex.split(before), "--", "--grpc-server-addr", address, *shlex.split(target)]


def test_there_are_tables() -> None:
    assert len(SWITCH_ROWS) > 60
    assert len(COMPILER_ROWS) > 40


@pytest.mark.parametrize("row", SWITCH_ROWS, ids=str)
def test_the_switch(row: Row, folder: Path) -> None:
    socket = folder / "switch.sock"
    command = [str(binaries() / "simple_switch_grpc"), "--management-socket", str(socket), *switch_words(row.words, "127.0.0.1:0")]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + LIMIT_S
        while process.poll() is None and not socket.exists():
            assert time.monotonic() < deadline, "neither runs nor ends"
            time.sleep(0.005)
        outcome = "runs" if process.poll() is None else "error"
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=LIMIT_S)
    assert outcome == row.here, output
    assert "panicked" not in output
    if outcome == "error":
        assert process.returncode in (1, 2)


@only_long
@pytest.mark.parametrize("row", SWITCH_ROWS, ids=str)
def test_bmv2(row: Row, folder: Path) -> None:
    bmv2_or_skip()
    command = ["simple_switch_grpc", *switch_words(row.words, "127.0.0.1:29559")]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(BMV2_RUNS_AFTER_S)
        outcome = "error"
    except subprocess.TimeoutExpired:
        outcome = "runs"
    finally:
        process.kill()
        process.wait()
    assert outcome == ("runs" if takes_by_its_build(row.words) else row.theirs)


def takes_by_its_build(words: str) -> bool:
    """Whether this BMv2 has an option that the one in the table was built without."""
    told = subprocess.run(["simple_switch_grpc", "--help"], capture_output=True, text=True, check=False).stdout
    return any(option in words and option in told for option in OPTIONS_OF_SOME_BUILDS)


@pytest.mark.parametrize("row", COMPILER_ROWS, ids=str)
def test_the_compiler(row: Row, folder: Path) -> None:
    command = [str(binaries() / row.command), *shlex.split(row.words)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert ("error" if result.returncode else "compiles") == row.here, result.stderr


def test_repeated_options_replace(folder: Path) -> None:
    def made(words: str) -> set[str]:
        before = {path.name for path in folder.iterdir()}
        subprocess.run([str(binaries() / "p4c-bm2-ss"), *shlex.split(words)], cwd=folder, capture_output=True, check=True)
        return {path.name for path in folder.iterdir()} - before

    assert made("-o x -o out prog.p4") == {"out"}
    assert made("-o=out prog.p4") == {"=out"}
    assert made("--p4runtime-files a.txt --p4runtime-files=b.txt, prog.p4") == {"b.txt"}
    assert made("prog.p4") == set()


@pytest.mark.parametrize(
    ("words", "stream", "start"),
    [
        ("simple_switch_grpc --version", "stdout", "1.15.5 ("),
        ("simple_switch_grpc -v", "stdout", "1.15.5 ("),
        ("simple_switch_grpc --json-version", "stdout", "2."),
        ("p4c --version", "stdout", "p4c 1.2.5 ("),
        ("p4c -V", "stdout", "p4c 1.2.5 ("),
        ("p4c-bm2-ss --version", "stderr", "p4c-bm2-ss\nVersion 1.2.5 ("),
    ],
)
def test_versions(words: str, stream: str, start: str) -> None:
    command, *rest = words.split()
    result = subprocess.run([str(binaries() / command), *rest], capture_output=True, text=True, check=True)
    assert getattr(result, stream).startswith(start)
