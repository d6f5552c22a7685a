"""Runs the packet tests of a folder: STF files by p4test, Python files by pytest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.built_program import built_program
from common.installation import PROJECT
from testbed.checking.finding import Finding, Verdict

PROGRAM_LINE = re.compile(r"#\s*program:\s*(\S+)")
"""The first line of an STF file may name its program."""

SUFFIX = ".stf"
PYTEST_FILES = ("test_*.py", "*_test.py")
PACKAGES = PROJECT / "switch" / "packages"
"""``nodectl_p4``, where it is not installed."""

PROGRAM_VARIABLE = "NODECTL_P4_PROGRAM"
LIMIT_S = 300
EXIT_NO_TESTS = 5
LAST_LINES = 20


def packet_tests_in(folder: Path) -> list[Path]:
    """The STF files of a folder."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def pytest_files_in(folder: Path) -> list[Path]:
    """The files of a folder that pytest would take."""
    return sorted({file for pattern in PYTEST_FILES for file in folder.glob(pattern)})


def program_of(test: Path, programs: Sequence[Path]) -> Path | None:
    """The program of an STF file: the one that its first line names, that of the same name, or the only one; None: it is not plain which.

    Args:
        test: the file.
        programs: of its folder.
    """
    named = PROGRAM_LINE.match(test.read_text(encoding="utf-8", errors="replace"))
    if named:
        return test.parent / named[1]
    same = [program for program in programs if program.stem == test.stem]
    return same[0] if same else programs[0] if len(programs) == 1 else None


def check_packet_test(test: Path, programs: Mapping[Path, Path | None]) -> Finding:
    """Run an STF file.

    Args:
        test: the STF file.
        programs: the compiled file of each program; None: it does not compile.
    """
    program = program_of(test, list(programs))
    if program is None:
        return Finding(Verdict.FAILED, test.name, "which program it is for is not known; its first line may say: # program: NAME.p4")
    if not program.is_file():
        return Finding(Verdict.FAILED, test.name, f"its first line names {program.name}, and there is no such file")
    compiled = programs.get(program, program)
    if compiled is None:
        return Finding(Verdict.LEFT_OUT, test.name, f"{program.name} does not compile")
    try:
        done = subprocess.run(
            [built_program("p4test"), compiled, test.name], cwd=test.parent, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return _too_long(test)
    said = (done.stdout if done.returncode == 0 else f"{done.stderr}{done.stdout}").strip()
    return Finding(Verdict.PASSED if done.returncode == 0 else Verdict.FAILED, test.name, said.removeprefix(f"{test.name}: "))


def check_by_pytest(file: Path, program: Path | None = None) -> Finding:
    """Run a file of pytest's, in its own folder.

    Args:
        file: the file.
        program: the one under test, in its environment as :data:`PROGRAM_VARIABLE`; None: the file names its own.
    """
    configured = [] if (file.parent / "pytest.ini").is_file() else ["-c", os.devnull]
    shown = ["-q", "--tb=short", "--no-header", "--show-capture=stdout"]  # Scapy logs a lot on a machine without a default route
    command = [sys.executable, "-m", "pytest", *shown, "-p", "no:cacheprovider", *configured, "--rootdir", "."]
    known = [str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(known),
        "NODECTL_P4_BINARIES": str(built_program("p4test").parent),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment |= {} if program is None else {PROGRAM_VARIABLE: str(program.resolve())}
    try:
        done = subprocess.run(
            [*command, file.name], cwd=file.parent, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return _too_long(file)
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""]
    if done.returncode in (0, EXIT_NO_TESTS):
        return Finding(Verdict.PASSED, file.name, lines[-1])
    return Finding(Verdict.FAILED, file.name, "\n".join([lines[-1], *lines[:-1][-LAST_LINES:]]))


def _too_long(test: Path) -> Finding:
    return Finding(Verdict.FAILED, test.name, f"it has not ended within {LIMIT_S} s")
