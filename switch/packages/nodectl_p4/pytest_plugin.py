"""Packet tests as test items of pytest: each `.stf` file is one.

Its first line may name its program (`# program: PATH`, relative to the file). Else the program is the `.p4` or BMv2 `.json` of the same
name beside it, or the one that the ini option `stf_program` names (relative to the root folder).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .binaries import binary

PROGRAM_LINE = re.compile(r"#\s*program:\s*(\S+)")
TIMEOUT_S = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ini option."""
    parser.addini("stf_program", "the P4 program of STF files that have none of their own", default="")


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> PacketTestFile | None:
    """Take `.stf` files, if a program for them can be found."""
    if file_path.suffix == ".stf" and program_of(file_path, parent.config) is not None:
        collected: PacketTestFile = PacketTestFile.from_parent(parent, path=file_path)
        return collected
    return None


def program_of(test: Path, config: pytest.Config) -> Path | None:
    """The program of a packet test; None if there is none."""
    with test.open(errors="replace") as lines:
        named = PROGRAM_LINE.match(lines.readline())
    if named:
        return test.parent / named[1]
    for beside in (test.with_suffix(".p4"), test.with_suffix(".json")):
        if beside.exists():
            return beside
    common = config.getini("stf_program")
    return config.rootpath / common if common else None


class PacketTestFile(pytest.File):
    """A `.stf` file."""

    def collect(self) -> Iterator[PacketTest]:
        """The one test that it is."""
        yield PacketTest.from_parent(self, name=self.path.stem)


class PacketTestError(Exception):
    """The packet test failed; the text is p4test's messages."""


class PacketTest(pytest.Item):
    """A packet test, run by p4test."""

    def runtest(self) -> None:
        """Run it. Raises PacketTestError."""
        program = program_of(self.path, self.config)
        command = [str(binary("p4test")), "--quiet", str(program), str(self.path)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if result.returncode != 0:
            raise PacketTestError((result.stderr or result.stdout).strip())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # noqa: ARG002 (pytest's)
        """Say it without a trace of Python's."""
        if isinstance(excinfo.value, PacketTestError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, 0, f"packet test {self.name}"
