"""``python -m tests.labs.mutation``: how many mutants of each lab there are, and which of them no check finds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from labs.catalogue import lab_numbered, labs
from labs.checking import solution_files
from labs.run_options import quiet_run_options
from tests.labs.mutation.of_lab import mutants_of_lab
from tests.labs.mutation.trial import Trial, Trials


def main(
    number: Annotated[list[int] | None, typer.Option("--lab", help="only these labs")] = None,
    match: Annotated[str, typer.Option(help="only mutants whose line has this text")] = "",
    messages: Annotated[bool, typer.Option(help="what is said of each mutant as well")] = False,
    workers: Annotated[int, typer.Option(help="that check side by side")] = 2,
    run: Annotated[bool, typer.Option(help="with runs in virtual time where answers follow from one")] = True,
) -> None:
    """Try all mutants; a table, and the survivors."""
    for lab in labs() if not number else [lab_numbered(one) for one in number]:
        needs_run = bool(lab.declaration.computed)
        if needs_run and not run:
            continue
        with tempfile.TemporaryDirectory() as folder:
            options = quiet_run_options() if needs_run else None
            solution = solution_files(lab, lab.solution, options, Path(folder) / "kept", Path(folder) / "computed")
            mutants = [one for one in mutants_of_lab(lab, solution) if match in one.line_text]
            done = list(Trials(lab, solution, Path(folder) / "kept", needs_run).of_all(mutants, workers))
        _tell(lab.name, done, messages=messages)


def _tell(name: str, done: list[Trial], *, messages: bool) -> None:
    refused = sum(one.is_refused for one in done)
    same = sum(one.same_program for one in done)
    left = [one for one in done if one.has_passed and not one.same_program]
    failed = len(done) - refused - same - len(left)
    print(
        f"{name}: {len(done)} mutants, {refused} refused by the compiler, {failed} fail a check, {same} the same program, {len(left)} left"
    )
    for one in done if messages else left:
        print(f"  {one.mutant}   in: {one.mutant.line_text}")
        if one.message:
            print(f"      {one.message[:240]}")
    sys.stdout.flush()


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: typer.run(main))
