"""A tree for students: the project without solutions, wrong answers, and files for teachers."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.installation import BROUGHT, INSTALLED, PROJECT
from labs.catalogue import FOLDER_PATTERN, LABS, SOLUTION, WRONG, labs

NOT_COPIED = {
    ".git",
    ".hypothesis",
    ".venv",
    ".venv-clients",
    ".venv-packages",
    "build",
    "node_modules",
    "results",
    "target",
    "__pycache__",
}
CACHES = "_cache"
FOR_TEACHERS = {
    Path("labs/TEACHING.md"),
    Path("labs/wrong_answers.py"),
    Path("tests/labs"),
    Path("switch/crates/fuzz-targets/corpora"),
    Path("switch/crates/fuzz-targets/tests/corpora.rs"),
}
"""The inputs kept for fuzzing have solutions among them."""
PROGRAM = BROUGHT / "nodectl.json"
COMPILED = Path("p4src/compiled")
"""Where `make` finds the testbed's program when a part of its source is for students to write."""


def write_handout(out: Path) -> int:
    """Write the tree; returns how many files it has.

    Raises:
        UserError: the folder is there and not empty, is inside the project's tree where it would copy itself, or cannot be written; or the
            testbed's program is not compiled.
    """
    if INSTALLED is not None:
        raise UserError("a handout is made of a checkout; this testbed was installed", "`testbed init FOLDER` makes a student's folder")
    out = out.resolve()
    if out.is_relative_to(PROJECT) and not any(part in NOT_COPIED for part in out.relative_to(PROJECT).parts):
        raise UserError(f"{out} is inside this tree", "give a folder beside it: make handout OUT=../handout")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there already", "give a folder that is not there yet")
    files = list(_files())
    try:
        for file in files:
            target = out / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / file, target)
        return len(files) + _write_compiled(out / COMPILED)
    except OSError as error:
        raise UserError(f"cannot write {error.filename or out}: {error.strerror}") from None


def _files() -> Iterator[Path]:
    solutions = {Path(file) for lab in labs() for file in lab.declaration.elsewhere.values()}
    for root, folders, names in os.walk(PROJECT):
        here = Path(root).relative_to(PROJECT)
        folders[:] = sorted(name for name in folders if _is_kept(here / name) and not name.endswith(CACHES))
        for name in sorted(names):
            file = here / name
            if _is_kept(file) and file not in solutions and stat.S_ISREG((PROJECT / file).lstat().st_mode):
                yield file


def _is_kept(path: Path) -> bool:
    is_of_a_lab = path.parent.parent == LABS.relative_to(PROJECT) and FOLDER_PATTERN.fullmatch(path.parent.name) is not None
    return path.name not in NOT_COPIED and path not in FOR_TEACHERS and not (is_of_a_lab and path.name in (SOLUTION, WRONG))


def _write_compiled(folder: Path) -> int:
    p4info = PROGRAM.with_suffix(".p4info.txtpb")
    if not PROGRAM.exists() or not p4info.exists():
        raise UserError("the testbed's program is not compiled yet", "run `make setup`")
    folder.mkdir(parents=True)
    (folder / PROGRAM.name).write_text(json.dumps(_without_source(json.loads(PROGRAM.read_text()))))
    shutil.copyfile(p4info, folder / p4info.name)
    return 2


def _without_source(value: Any) -> Any:
    """The compiled program without the lines that it was compiled from."""
    if isinstance(value, dict):
        return {key: _without_source(one) for key, one in value.items() if key != "source_info"}
    return [_without_source(one) for one in value] if isinstance(value, list) else value
