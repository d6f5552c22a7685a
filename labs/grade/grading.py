"""Checks every hand-in, as many side by side as there are processors, and keeps the results."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from common.errors import UserError
from common.installation import CACHE_VARIABLE, INSTALLED, MADE, PROJECT, RESULTS, cache_folder
from hosts.cca.modules import CACHE_FOLDER
from labs.catalogue import SOLUTION, WRONG, Lab
from labs.check.runs import KEPT_RUNS
from labs.check.vocabulary import Failed
from labs.checking import measure_given
from labs.grade import sandbox
from labs.grade.handed_in import HandIn, copy_files
from labs.grade.limits import Limits
from labs.grade.sandbox import Ended, FileSystem
from labs.lab_result import FAILED, LabResult
from labs.run_options import quiet_run_options
from topo.process_state import how_it_ended
from topo.toolchain import OTHERS
from virtual_time.scratch import scratch_folder
from virtual_time.session import Session

CHECKED, NOT_HANDED_IN, ENDED = "checked", "not handed in", "ended"
HANDED_IN = Path("/hand-in")
KEPT = Path("/kept-runs")
"""Inside, the runs that are the same for everybody."""

LINKED = (".venv", "switch/target", "build/kernel")
"""Parts of the project that may be links to somewhere else."""

HIDDEN = (".git", "labs/TEACHING.md", "tests/labs")
WRITTEN = (RESULTS, CACHE_FOLDER, MADE / OTHERS)
"""Folders that a check writes to: its results, modules, and the P4 programs that are handed in, compiled. Inside they are in memory."""

EXIT_CODES = {0, 1}
"""Of a check that came to its end."""

SIGNALS = 128
"""The exit code of a sandboxed command that a signal ended is the signal's number plus this."""


@dataclass(frozen=True)
class Grade:
    """The result of one lab of one hand-in.

    Args:
        hand_in: its name.
        lab: its number.
        state: ``checked``; ``ended``, without a result; ``not handed in``.
        earned, points: of the lab.
        message: title and message of the first check that failed, or why there is no result.
        scores: of a contest.
        took_s: real seconds.
    """

    hand_in: str
    lab: int
    state: str
    earned: int = 0
    points: int = 0
    message: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    took_s: float = 0.0


@dataclass(frozen=True)
class Grading:
    """How hand-ins are checked.

    Args:
        limits: for each check of a hand-in.
        hidden_seed: of a contest; None: there are no hidden traces.
        with_runs: in networks too.
        kept: folder of runs that are the same for everybody, measured before the first hand-in is checked.
        first_user: number of the user whom the first is checked as; the others are those after it.
        on_grade: told of each grade as it is there.
    """

    limits: Limits = field(default_factory=Limits)
    hidden_seed: int | None = None
    with_runs: bool = True
    kept: Path = RESULTS / "labs" / KEPT_RUNS
    first_user: int = sandbox.FIRST_USER
    on_grade: Callable[[Grade], None] = lambda _grade: None

    def grade(self, hand_ins: Sequence[HandIn], labs: Sequence[Lab]) -> list[Grade]:
        """Check all; returns grades in the order of hand-ins and labs.

        Raises:
            UserError: there can be no sandbox here, or no run.
        """
        sandbox.check_usable()
        if self.with_runs:
            self._measure_given([lab for lab in labs if any(hand_in.place_of(lab) for hand_in in hand_ins)])
        for folder in WRITTEN:
            folder.mkdir(parents=True, exist_ok=True)
        processors: queue.SimpleQueue[int] = queue.SimpleQueue()
        for processor in sorted(os.sched_getaffinity(0)):
            processors.put(processor)
        work = [(hand_in, lab) for hand_in in hand_ins for lab in labs]
        found: dict[tuple[str, int], Grade] = {}
        with ThreadPoolExecutor(processors.qsize(), thread_name_prefix="grade") as pool:
            users = (self.first_user + number % sandbox.USERS for number in count())
            futures = [pool.submit(self._grade, hand_in, lab, user, processors) for user, (hand_in, lab) in zip(users, work, strict=False)]
            for future in as_completed(futures):
                grade = future.result()
                found[grade.hand_in, grade.lab] = grade
                self.on_grade(grade)
        return [found[hand_in.name, lab.number] for hand_in, lab in work]

    def _measure_given(self, labs: Sequence[Lab]) -> None:
        """Measure the runs that every check would repeat, and make the files that it could not make itself: it may write nothing here."""
        Session.prepare()
        self.kept.mkdir(parents=True, exist_ok=True)
        for lab in labs:
            try:
                measure_given(lab, quiet_run_options(), self.kept)
            except Failed as failed:
                raise UserError(f"lab {lab.number}: {failed.message}", "\n  ".join(failed.details)) from None

    def _grade(self, hand_in: HandIn, lab: Lab, user: int, processors: queue.SimpleQueue[int]) -> Grade:
        place = hand_in.place_of(lab)
        if place is None:
            return Grade(hand_in.name, lab.number, NOT_HANDED_IN)
        with scratch_folder() as scratch:
            scratch.chmod(0o755)
            files = scratch / "files"
            wrong = copy_files(lab, place, files)
            if wrong:
                return Grade(hand_in.name, lab.number, ENDED, message=wrong)
            processor = processors.get()
            try:
                ended = self._run(lab, files, user, processor)
            finally:
                processors.put(processor)
        return _grade_of(hand_in, lab, ended)

    def _run(self, lab: Lab, files: Path, user: int, processor: int) -> Ended:
        python = sys.executable if INSTALLED is not None else str(PROJECT / ".venv" / "bin" / "python")
        command = [python, "-m", "testbed", "lab", str(lab.number), "--from", str(HANDED_IN), "--json-to", "{result}"]
        command += ["--kept", str(KEPT)] if self.with_runs else ["--no-run"]
        command += [] if self.hidden_seed is None else ["--seed", str(self.hidden_seed)]
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        } | ({} if INSTALLED is None else {"PYTHONPATH": str(PROJECT), CACHE_VARIABLE: str(cache_folder().parent)})  # fmt: skip
        file_system, folder = self._file_system(lab, files), RESULTS.parent
        return sandbox.run(
            command, file_system, self.limits, user=user, processor=processor, environment=environment, folder=folder
        )  # fmt: skip

    def _file_system(self, lab: Lab, files: Path) -> FileSystem:
        # An installed testbed is in an environment of Python's, with its requirements; a checkout has one in it.
        tree = {PROJECT: PROJECT} if INSTALLED is None else {Path(sys.prefix): Path(sys.prefix), PROJECT: PROJECT, MADE: MADE}
        read_only = tree | {HANDED_IN: files} | ({KEPT: self.kept} if self.with_runs else {})
        for name in LINKED:
            real = (PROJECT / name).resolve()
            if real.exists() and not real.is_relative_to(PROJECT):
                read_only[real] = real
        base = Path(sys.base_prefix)
        if not base.is_relative_to("/usr"):
            read_only[base] = base
        hidden = [PROJECT / name for name in HIDDEN if (PROJECT / name).exists()]
        for one in (lab.folder.parent.glob(f"*/{name}") for name in (SOLUTION, WRONG)):
            hidden += sorted(one)
        return FileSystem(read_only, WRITTEN, hidden)


def _grade_of(hand_in: HandIn, lab: Lab, ended: Ended) -> Grade:
    result: LabResult | None = None
    if not ended.why and ended.status in EXIT_CODES:
        with contextlib.suppress(ValidationError):
            result = LabResult.model_validate_json(ended.result)
    if result is None or result.lab != lab.number:
        return Grade(hand_in.name, lab.number, ENDED, message=ended.why or _last_words(ended), took_s=ended.took_s)
    message = next((f"{one.title} {one.message}" for one in result.checks if one.state == FAILED), "")
    return Grade(hand_in.name, lab.number, CHECKED, result.earned, result.points, message, result.scores, ended.took_s)


def _last_words(ended: Ended) -> str:
    if ended.status is not None and ended.status > SIGNALS:
        return f"it ended without a result, {how_it_ended(SIGNALS - ended.status)} from inside"
    said = ended.said.splitlines()
    last = next((line for line in reversed(said) if "Error" in line), said[-1] if said else "")
    return f"it ended with exit code {ended.status} and without a result{f': {last.strip()}' if last else ''}"
