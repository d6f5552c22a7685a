"""What a student sees of the checks."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from labs.outcome import FAILED, LEFT_OUT, PASSED, CheckOutcome, LabOutcome

MARKS = {PASSED: "ok    ", FAILED: "FAILED", LEFT_OUT: "-     "}
COLOURS = {PASSED: "32", FAILED: "31", LEFT_OUT: "33"}
WIDTH = 120
MOST_DETAILS = 30
SHORT = 60
"""Letters of a message that was said in full before."""


class Reporter:
    """Prints outcomes as they come; everything about the first failure, and one line about the others.

    Args:
        everything: about all failures.
    """

    def __init__(self, *, everything: bool = False) -> None:
        self._everything = everything
        self._has_failed = False
        self._said: set[str] = set()
        self._colours = sys.stdout.isatty()

    def tell(self, outcome: CheckOutcome) -> None:
        """One check is done."""
        points = f"{outcome.earned:>3}/{outcome.points}"
        mark = MARKS[outcome.state]
        if self._colours:
            mark = f"\x1b[{COLOURS[outcome.state]}m{mark}\x1b[0m"
        print(f"{mark} {points}  {outcome.title}", flush=True)
        if outcome.message:
            message = f"{outcome.message[:SHORT]}… (as above)" if outcome.message in self._said else outcome.message
            self._said.add(outcome.message)
            print(textwrap.indent(textwrap.fill(message, WIDTH - 12), " " * 12))
        if outcome.state == FAILED and (self._everything or not self._has_failed):
            self._details(outcome)
            self._has_failed = True
        for picture in outcome.pictures:
            if picture not in self._said:
                print(f"{' ' * 12}picture: {short(Path(picture))}")
            self._said.add(picture)
        for name, score in outcome.scores.items():
            print(f"{' ' * 12}score {name}: {score:.3f}")

    def end(self, outcome: LabOutcome, file: Path) -> None:
        """All are done."""
        failed = sum(one.state == FAILED for one in outcome.checks)
        print(f"\nlab {outcome.lab}, {outcome.title}: {outcome.earned} of {outcome.points} points")
        if failed > 1 and not self._everything:
            print("the first failure is told in full; ALL=1 tells the others too")
        print(f"for graders: {short(file)}")

    def _details(self, outcome: CheckOutcome) -> None:
        for line in outcome.details[:MOST_DETAILS]:
            print(f"{' ' * 12}{line}")
        if outcome.trace:
            print(f"{' ' * 12}what your program did with it:")
            for line in outcome.trace:
                print(f"{' ' * 14}{line}")


def short(path: Path) -> str:
    """A path as short as it goes."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
