"""Prints the results of checks for a student."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from labs.lab_result import FAILED, LEFT_OUT, PASSED, CheckResult, LabResult

MARKS = {PASSED: "ok    ", FAILED: "FAILED", LEFT_OUT: "-     "}
COLOURS = {PASSED: "32", FAILED: "31", LEFT_OUT: "33"}
WIDTH = 120
MOST_DETAILS = 30
SHORT = 60
"""Letters of a message that was said in full before."""


class Reporter:
    """Prints results as they come; everything about the first failure, and one line about the others.

    Args:
        everything: about all failures.
    """

    def __init__(self, *, everything: bool = False) -> None:
        self._everything = everything
        self._has_failed = False
        self._said: set[str] = set()
        self._colours = sys.stdout.isatty()

    def tell(self, result: CheckResult) -> None:
        """One check is done."""
        points = f"{result.earned:>3}/{result.points}"
        mark = MARKS[result.state]
        if self._colours:
            mark = f"\x1b[{COLOURS[result.state]}m{mark}\x1b[0m"
        print(f"{mark} {points}  {result.title}", flush=True)
        if result.message:
            message = f"{result.message[:SHORT]}… (as above)" if result.message in self._said else result.message
            self._said.add(result.message)
            print(textwrap.indent(textwrap.fill(message, WIDTH - 12), " " * 12))
        if result.state == FAILED and (self._everything or not self._has_failed):
            self._details(result)
            self._has_failed = True
        for picture in result.pictures:
            if picture not in self._said:
                print(f"{' ' * 12}picture: {short(Path(picture))}")
            self._said.add(picture)
        for name, score in result.scores.items():
            print(f"{' ' * 12}score {name}: {score:.3f}")

    def end(self, result: LabResult, file: Path) -> None:
        """All are done."""
        failed = sum(one.state == FAILED for one in result.checks)
        print(f"\nlab {result.lab}, {result.title}: {result.earned} of {result.points} points")
        if failed > 1 and not self._everything:
            print("the first failure is told in full; ALL=1 tells the others too")
        print(f"for graders: {short(file)}")

    def _details(self, result: CheckResult) -> None:
        for line in result.details[:MOST_DETAILS]:
            print(f"{' ' * 12}{line}")
        if result.trace:
            print(f"{' ' * 12}how your program handled it:")
            for line in result.trace:
                print(f"{' ' * 14}{line}")


def short(path: Path) -> str:
    """A path as short as it goes."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
