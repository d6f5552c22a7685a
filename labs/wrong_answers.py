"""Typical wrong answers, made from the solution."""

from __future__ import annotations

import shutil
from pathlib import Path

from common.errors import UserError
from labs.catalogue import WRONG, Files, Lab, WrongAnswer


def make_wrong_answer(lab: Lab, answer: WrongAnswer, target: Path) -> Files:
    """Write the files of a wrong answer into a new folder; returns them as :attr:`Lab.solution` does.

    Raises:
        UserError: the solution does not have the text that is to be replaced, or has it more than once.
    """
    target.mkdir(parents=True)
    for name, solution in lab.solution.items():
        shutil.copyfile(solution, target / name)
    file = target / (answer.file or next(iter(lab.solution)))
    text = file.read_text(encoding="utf-8")
    found = text.count(answer.find)
    if found != 1:
        raise UserError(f"{lab.folder / WRONG}: {answer.name!r}: the solution has this text {found} times, not once: {answer.find!r}")
    file.write_text(text.replace(answer.find, answer.put), encoding="utf-8")
    return {name: target / name for name in lab.solution}
