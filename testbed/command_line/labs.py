"""``labs``, ``lab``, ``handout`` and ``grade``: the classroom."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from common.errors import UserError
from common.installation import INSTALLED, PROJECT, RESULTS, how
from common.shown_path import shown
from labs.catalogue import README, Files, Lab, lab_numbered, labs
from labs.grade.limits import Limits
from scenario.run_request import LAB, RunRequest
from testbed.command_line.from_request import taking_a_request

OF_LABS = RESULTS / "labs"
GRADES = RESULTS / "grades"
SHORT = 80
"""Letters of a message in one line."""

EXIT_NOT_PASSED = 1


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    app.command("labs")(list_labs)
    app.command(LAB)(check)
    app.command()(handout)
    app.command()(grade)


def list_labs() -> None:
    """List the labs and your progress."""
    from labs.progress import state_of

    width = max(len(lab.declaration.title) for lab in labs())
    for lab in labs():
        declared = lab.declaration
        readme = shown((_own_copy(lab) or lab.folder) / README)
        print(f"{lab.number:>3}  {declared.title:<{width}} {declared.minutes:>4} min  {state_of(lab, OF_LABS):<32} {readme}")


@taking_a_request(LAB)
def check(
    request: RunRequest,
    number: Annotated[int, typer.Argument(help="number of the lab")],
    source: Annotated[Path | None, typer.Option("--from", help="check the files of this folder instead")] = None,
    into: Annotated[Path | None, typer.Option(help="write the lab's first files into this folder, and check nothing")] = None,
    run: Annotated[bool, typer.Option(help="run the network after the packet tests")] = True,
    only_run: Annotated[bool, typer.Option("--only-run", help="only the run, even if checks fail")] = False,
    everything: Annotated[bool, typer.Option("--all", help="packets and traces of every failure, not only the first")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="where the result for graders goes")] = None,
    json_to: Annotated[int | None, typer.Option(help="number of an open file to which the result goes, for `grade`")] = None,
    hidden_seed: Annotated[int | None, typer.Option("--seed", help="seed of a contest's hidden traces")] = None,
    kept: Annotated[Path | None, typer.Option(help="folder of runs that are the same for everybody")] = None,
) -> None:
    """Check one lab; exit code 0 if every check passed, 1 if not, 2 if it could not be checked."""
    from labs.check.runs import KEPT_RUNS
    from labs.checking import Request, check_lab, digest_of, solution_files
    from labs.grade.own_process import keep_to_oneself
    from labs.progress import RESULT_SUFFIX
    from labs.report import Reporter
    from labs.run_options import run_options

    if json_to is not None:
        keep_to_oneself(json_to)
    lab = lab_numbered(number)
    if into is not None:
        from labs.student_folder import write_lab

        place = shown(write_lab(lab, into))
        print(f"begin with {place}/{README}; {how('make lab', 'testbed lab')} LAB={number} FROM={place} checks it")
        return
    options, kept = run_options(request) if run or only_run else None, kept or OF_LABS / KEPT_RUNS
    files = _files(lab, request.solution, source)
    variant = "-solution" if request.solution else f"-{digest_of(files) or 'missing'}" if source is not None else ""
    work = OF_LABS / f"{lab.name}{variant}"
    if request.solution:
        files = solution_files(lab, files, options, kept, work / "computed")
    if only_run:
        from labs.run_alone import show_run

        show_run(Request(lab, files, work, options, kept=kept), Console(highlight=False))
        return
    reporter = Reporter(everything=everything)
    print(f"lab {lab.number}: {lab.declaration.title}\n")
    result = check_lab(Request(lab, files, work, options, reporter.tell, kept, hidden_seed))
    result.is_solution = request.solution
    file = json_file or work.with_suffix(RESULT_SUFFIX)
    try:
        result.write(file)
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}") from None
    if json_to is not None:
        with os.fdopen(json_to, "w", encoding="utf-8") as stream:
            stream.write(result.text())
    reporter.end(result, file)
    if not result.has_passed:
        raise typer.Exit(EXIT_NOT_PASSED)


def handout(out: Annotated[Path, typer.Argument(help="new folder")]) -> None:
    """Write a tree for students, without solutions, wrong answers and teachers' pages."""
    from labs.handout import write_handout

    count = write_handout(out)
    print(f"{count} files in {out}; `make lab LAB=1` works there")


def grade(
    hand_ins: Annotated[Path, typer.Argument(help="folder with a sub-folder for each hand-in")],
    number: Annotated[int | None, typer.Option("--lab", help="only this lab; left out, all")] = None,
    out: Annotated[Path, typer.Option(help="folder for grades.csv and grades.html")] = GRADES,
    hidden_seed: Annotated[int | None, typer.Option("--seed", help="seed of hidden traces: a number that only you know")] = None,
    run: Annotated[bool, typer.Option(help="run the network after the packet tests")] = True,
    time_s: Annotated[float, typer.Option("--limit", min=1, help="real seconds for each lab of each hand-in")] = Limits().time_s,
) -> None:
    """Check every hand-in of a folder, each in a sandbox of its own; a table, a page, and the leader board of lab 7."""
    from labs.grade.grading import CHECKED, NOT_HANDED_IN, Grade, Grading
    from labs.grade.handed_in import hand_ins as found
    from labs.grade.report import write_csv, write_page
    from labs.run_options import run_options

    if hand_ins.resolve() == PROJECT:
        raise UserError("no folder of hand-ins is named", "make grade IN=FOLDER, with a sub-folder for each hand-in")
    if run and not run_options(RunRequest()).virtual:
        raise UserError("hand-ins are checked in virtual time alone, which cannot be had here", "RUN=no checks without networks")
    folders = found(hand_ins)

    def tell(one: Grade) -> None:
        if one.state != NOT_HANDED_IN:
            points = f"{one.earned:>2}/{one.points}" if one.state == CHECKED else one.state
            print(f"{one.hand_in:<24} lab {one.lab:>2}  {points:>6}  {one.took_s:5.0f} s  {one.message[:SHORT]}", flush=True)

    grading = Grading(Limits(time_s=time_s), hidden_seed, run, on_grade=tell)
    grades = grading.grade(folders, labs() if number is None else [lab_numbered(number)])
    kept = grades if number is not None else [one for one in grades if one.state != NOT_HANDED_IN]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}") from None
    write_csv(kept, out / "grades.csv")
    write_page(kept, out / "grades.html")
    print(f"\n{len(folders)} hand-ins: {out / 'grades.csv'}, {out / 'grades.html'}")


def _files(lab: Lab, solution: bool, source: Path | None) -> Files:
    if solution and source is not None:
        raise UserError("--solution and --from exclude each other")
    if solution and not all(file.is_file() for file in lab.solution.values()):
        raise UserError(f"lab {lab.number} has no solution here", "a handout has none")
    if source is not None and not source.is_dir():
        raise UserError(f"there is no folder {source}")
    return lab.solution if solution else lab.files_in(source or _own_folder(lab))


def _own_folder(lab: Lab) -> Path:
    """Where the student writes: in a checkout the lab's own folder, else a copy of it in or below the folder that one is in."""
    if INSTALLED is None:
        return lab.folder
    if (own := _own_copy(lab)) is not None:
        return own
    number = lab.number
    raise UserError(f"there is no folder {lab.name} of yours here", f"testbed lab {number} --into . makes it; --from FOLDER names another")


def _own_copy(lab: Lab) -> Path | None:
    """A copy of a lab's folder in or below the folder that one is in."""
    here = [place for place in (Path("labs", lab.name), Path(lab.name)) if INSTALLED is not None and place.is_dir()]
    return here[0].resolve() if here else None
