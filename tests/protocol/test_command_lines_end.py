"""Every command line of the project ends quietly when the reader of its output has gone, as ``| head`` does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "bench", "controller", "distribution", "experiments", "hosts", "kernel", "labs", "live", "protocol", "recording", "scenario", "topo",
    "virtual_time", "wireshark",
)  # fmt: skip
GUARD = re.compile(r'^if __name__ == "__main__":\n((?:    .*\n|\n)+)', re.MULTILINE)
OF_PARTS = ("bench/validation/arrivals.py", "bench/validation/datagrams.py", "bench/validation/paced.py")
"""Programs that a run starts for itself: their output is a file."""

HANDED_IN = re.compile(r"labs/\d\d-")
"""What students write, and programs that print a file of a solution."""

WITHOUT_HELP = (
    "topo.toolchain", "topo.janitor", "kernel", "experiments.run.inside", "bench.validation.inside", "labs.check.controller_host",
    "labs.check.window_host", "distribution.platform_check",
)  # fmt: skip


INSIDE = ("controller", "hosts", "hosts.service", "hosts.attacks", "experiments.run.inside", "topo.janitor", "bench.validation.inside",
          "labs.check.controller_host", "labs.check.window_host")  # fmt: skip
"""Parts of a run: what they write is read by the testbed that has started them, and they end with it."""


def command_lines() -> dict[str, str]:
    """What each module does as a program."""
    found = {}
    for folder in FOLDERS:
        for file in sorted((PROJECT / folder).rglob("*.py")):
            name = str(file.relative_to(PROJECT))
            guard = GUARD.search(file.read_text(encoding="utf-8"))
            if guard and name not in OF_PARTS and not HANDED_IN.match(name):
                module = name.removesuffix(".py").replace("/", ".").removesuffix(".__main__")
                found[module] = guard[1]
    return found


def test_all_of_them_end_by_the_one_helper() -> None:
    found = command_lines()
    assert len(found) >= 28
    assert set(INSIDE) <= set(found)
    assert [module for module, body in found.items() if "end_with(" not in body and module not in INSIDE] == []


def without_reader(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """What a command says whose output nobody reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, *arguments], cwd=PROJECT, stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=120
        )  # fmt: skip
    finally:
        os.close(write)


@pytest.mark.parametrize("module", sorted(set(command_lines()) - {*WITHOUT_HELP, *INSIDE}))
def test_help_that_nobody_reads(module: str) -> None:
    done = without_reader(["-m", module, "--help"])
    assert not re.search("Traceback|BrokenPipe|Exception ignored", done.stderr), done.stderr
    assert done.returncode in (0, 1, 128 + signal.SIGPIPE)  # 1: as typer and rich have it


@pytest.mark.parametrize("arguments", [["-m", "hosts.cca", "list"], ["-m", "labs", "list"], ["-m", "hosts.cca", "build", "--help"]])
def test_a_list_that_nobody_reads(arguments: list[str]) -> None:
    done = without_reader(arguments)
    assert not re.search("Traceback|BrokenPipe|Exception ignored", done.stderr), done.stderr


def test_a_program_that_writes_more_than_a_pipe_holds_is_ended_by_its_reader() -> None:
    program = "from protocol.command_end import end_with; end_with(lambda: [print('line') for _ in range(100_000)])"
    done = without_reader(["-c", program])
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        ("end_with(lambda: 3)", 3, ""),
        ("end_with(lambda: None)", 0, ""),
        ("end_with(lambda: sys.exit('why'))", 1, "why\n"),
        ("end_with(lambda: sys.exit(4))", 4, ""),
    ],
)
def test_exit_codes_are_as_they_were(program: str, status: int, said: str) -> None:
    code = f"import sys; from protocol.command_end import end_with; print('kept'); {program}"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "kept\n", said)


def test_another_pipe_that_breaks_is_an_error_still() -> None:
    code = "import os; from protocol.command_end import end_with; r, w = os.pipe(); os.close(r); end_with(lambda: os.write(w, b'x'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "BrokenPipeError" in done.stderr
