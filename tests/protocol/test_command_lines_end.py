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
    "bench", "common", "controller", "engine", "hosts", "labs", "protocol", "reports", "scenario", "switch/packages", "testbed", "tests",
    "topo", "view", "virtual_time",
)  # fmt: skip
GUARD = re.compile(r'^if __name__ == "__main__":\n((?:    .*\n|\n)+)', re.MULTILINE)
HANDED_IN = re.compile(r"labs/\d\d-|testbed/starting/templates/|tests/own_programs/|testbed/packaging/nodectl_testbed/")
"""Files of students and others, programs that print a file of a solution, and modules that run where the wheel is installed alone."""

WITHOUT_HELP = (
    "labs", "topo.toolchain", "topo.janitor", "virtual_time.kernel", "scenario.run_request",
    "tests.architecture", "topo.slow_channel",
    "engine.execute.inside", "engine.execute.inside_prompt", "bench.validation.inside", "bench.validation.arrivals",
    "bench.validation.datagrams", "bench.validation.paced", "labs.check.controller_host", "labs.check.window_host",
    "switch.packages.platform_check", "tests.in_virtual_time", "bench.studies.cca_pictures", "bench.studies.arrival_study",
    "bench.studies.port_use_study", "bench.studies.store_study", "tests.virtual_time.checksums", "tests.virtual_time.readme_digits",
    "tests.view.live.watched_run", "virtual_time.file_system.bytecode", "virtual_time.prepared",
    "virtual_time.tied_start",
)  # fmt: skip

ALONE = ("labs.check.controller_host", "virtual_time.file_system.bytecode", "virtual_time.prepared", "virtual_time.tied_start")
"""They run without the project's modules: with a student's program, as a part of another program, or to become one. Tests of their own show
their ends."""

OF_TESTS = re.compile(
    r"bench/studies/emulated_transfers/mptcp_peer\.py|tests/(hosts/(modules_inside|plain_program|scripted_receiver|soak|test_\w+)|"
    r"p4runtime/clients/\w+|packages/(inside|clients/\w+)|conformance/p4c_testdata|reports/test_\w+)\.py"
)
"""Programs that tests start for themselves, and scripts that are run without the project's modules."""


def command_lines() -> dict[str, str]:
    """The code that each module runs as a program."""
    found = {}
    for folder in FOLDERS:
        for file in sorted((PROJECT / folder).rglob("*.py")):
            name = str(file.relative_to(PROJECT))
            guard = GUARD.search(file.read_text(encoding="utf-8"))
            if guard and not OF_TESTS.match(name) and not HANDED_IN.match(name):
                module = name.removesuffix(".py").replace("/", ".").removesuffix(".__main__")
                found[module] = guard[1]
    return found


def test_all_of_them_end_by_the_one_helper() -> None:
    found = command_lines()
    assert len(found) >= 43
    assert [module for module, body in found.items() if "end_with(" not in body and module not in ALONE] == []


def without_reader(arguments: list[str], typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command whose output nobody reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=PROJECT,
            stdout=write,
            stderr=subprocess.PIPE,
            input=typed,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(write)


@pytest.mark.parametrize("module", sorted(set(command_lines()) - set(WITHOUT_HELP)))
def test_help_that_nobody_reads(module: str) -> None:
    done = without_reader(["-m", module, "--help"])
    assert not re.search("Traceback|BrokenPipe|Exception ignored", done.stderr), done.stderr
    assert done.returncode in (0, 1, 128 + signal.SIGPIPE)  # 1: as typer and rich have it


@pytest.mark.parametrize("arguments", [["-m", "hosts.cca", "list"], ["-m", "testbed", "labs"], ["-m", "hosts.cca", "build", "--help"]])
def test_a_list_that_nobody_reads(arguments: list[str]) -> None:
    done = without_reader(arguments)
    assert not re.search("Traceback|BrokenPipe|Exception ignored", done.stderr), done.stderr


def test_a_students_controller_whose_grader_has_gone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("async def serve(switch, capacities):\n    await switch.packet_ins()\n")
    host = str(PROJECT / "labs" / "check" / "controller_host.py")
    done = without_reader(["-I", host, str(tmp_path / "mine.py")], '{"op": "start", "capacities": {}}\n')
    assert (done.returncode, done.stderr) == (0, "")


def test_a_part_of_a_run_whose_events_nobody_reads() -> None:
    program = "from controller.app import _print_event; from common.command_end import end_with; end_with(lambda: _print_event({'a': 1}))"
    done = without_reader(["-c", program])
    assert (done.returncode, done.stderr) == (0, ""), "it goes on without its reader"


def test_a_program_that_writes_more_than_a_pipe_holds_is_ended_by_its_reader() -> None:
    program = "from common.command_end import end_with; end_with(lambda: [print('line') for _ in range(100_000)])"
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
    code = f"import sys; from common.command_end import end_with; print('kept'); {program}"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "kept\n", said)


def test_another_pipe_that_breaks_is_an_error_still() -> None:
    code = "import os; from common.command_end import end_with; r, w = os.pipe(); os.close(r); end_with(lambda: os.write(w, b'x'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "BrokenPipeError" in done.stderr
