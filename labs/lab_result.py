"""The result of checking a lab, as a file for graders and as lines for people."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict

PASSED, FAILED, LEFT_OUT = "passed", "failed", "left out"


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")


class CheckResult(_Result):
    """The result of one check."""

    name: str
    title: str
    state: str
    """``passed``, ``failed``, ``left out``."""
    points: int
    """The points that it gives when it passes."""
    message: str = ""
    """The mistake, one sentence; of a check that was left out: the reason."""
    details: list[str] = []
    trace: list[str] = []
    pictures: list[str] = []
    scores: dict[str, float] = {}
    """Of a contest, by their names; they give no points."""

    @property
    def earned(self) -> int:
        """The points that were earned."""
        return self.points if self.state == PASSED else 0


class LabResult(_Result):
    """The results of all checks of a lab."""

    lab: int
    title: str
    handed_in: str
    """Checksum of the files that were checked."""
    is_solution: bool = False
    checks: list[CheckResult] = []

    @property
    def points(self) -> int:
        """The sum of the points that all checks give."""
        return sum(one.points for one in self.checks)

    @property
    def earned(self) -> int:
        """The sum of the points that were earned."""
        return sum(one.earned for one in self.checks)

    @property
    def has_passed(self) -> bool:
        """Every check passed."""
        return all(one.state == PASSED for one in self.checks)

    @property
    def scores(self) -> dict[str, float]:
        """The scores of all contests, by their names."""
        return {name: score for one in self.checks for name, score in one.scores.items()}

    def messages(self) -> str:
        """The titles and messages of all checks that failed."""
        return "\n".join(f"{one.title}: {one.message}" for one in self.checks if one.state == FAILED)

    def write(self, file: Path) -> None:
        """As JSON, with the sums."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """As JSON, with the sums."""
        whole = self.model_dump() | {"points": self.points, "earned": self.earned, "passed": self.has_passed, "scores": self.scores}
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
