"""Which labs there are: folders ``labs/NN-name`` with a ``lab.toml``."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from common.errors import UserError
from common.installation import PROJECT
from scenario.schema_errors import schema_errors

LABS = Path(__file__).resolve().parent
FOLDER_PATTERN = re.compile(r"(\d\d)-[a-z0-9-]+")
SOLUTION, WRONG = "solution", "wrong.toml"
DECLARATION, CHECKS, README = "lab.toml", "checks.py", "README.md"


T = TypeVar("T", bound=BaseModel)


Files = Mapping[str, Path]
"""Where the files are that are handed in, by their names."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Declaration(_Strict):
    """A lab's ``lab.toml``."""

    title: str
    minutes: int = Field(ge=10, le=600)
    """The time that it takes."""
    teaches: str
    files: list[str] = Field(min_length=1)
    """The files that the student writes; all of them are handed in."""
    given: list[str] = []
    """Files of the project that stand beside them when it is compiled, as patterns from the project's folder."""
    elsewhere: dict[str, str] = {}
    """The ``files`` whose solution is a file of the project, and that file; a handout goes without it."""
    computed: dict[str, str] = {}
    """The ``files`` that a program of the solution prints, and that program; it is given the folder of the lab's run. So no number of a
    run is written down that another version of the testbed would change."""
    p4: str | None = None
    """The program that is compiled: one of ``files`` or of those given; None: the testbed's, as `make` has compiled it."""
    controller: str | None = None
    """The Python program in the controller's place, in runs."""
    answers: str | None = None
    """The one of ``files`` with the student's measurements, in TOML."""


class WrongAnswer(_Strict):
    """A typical wrong answer: the solution with one text replaced."""

    name: str
    """The mistake, as a teacher would name it."""
    file: str | None = None
    """The file with ``find``; None: the first of the solution."""
    find: str
    put: str = ""
    says: str
    """Text that the message of a check must contain."""


class _WrongAnswers(_Strict):
    wrong: list[WrongAnswer] = Field(min_length=1)


@dataclass(frozen=True)
class Lab:
    """One lab."""

    number: int
    folder: Path

    @property
    def name(self) -> str:
        """The name of its folder: ``01-forwarding``."""
        return self.folder.name

    @cached_property
    def declaration(self) -> Declaration:
        """The content of its ``lab.toml``.

        Raises:
            UserError: it says something impossible.
        """
        return _read(self.folder / DECLARATION, Declaration)

    @cached_property
    def wrong_answers(self) -> list[WrongAnswer]:
        """The typical ones; none in a handout."""
        file = self.folder / WRONG
        return _read(file, _WrongAnswers).wrong if file.exists() else []

    def files_in(self, folder: Path) -> Files:
        """The files to hand in, if they are in this folder."""
        return {name: folder / name for name in self.declaration.files}

    @property
    def skeleton(self) -> Files:
        """The files that the student begins with, and then changes."""
        return self.files_in(self.folder)

    @property
    def solution(self) -> Files:
        """The solution: files to hand in, and programs that print such files; a handout has none of them."""
        declared = self.declaration
        elsewhere = {name: PROJECT / file for name, file in declared.elsewhere.items()}
        names = [declared.computed.get(name, name) for name in declared.files]
        return {name: self.folder / SOLUTION / name for name in names} | elsewhere

    def stage(self, files: Files, target: Path) -> None:
        """Put together the files to check: those given, and those handed in.

        Args:
            files: those handed in.
            target: a folder; emptied.

        Raises:
            UserError: a file is missing, or is no file; the target cannot be emptied.
        """
        for file in files.values():
            if not file.is_file():
                raise UserError(f"lab {self.number}: {file} is missing", f"it is what you hand in; {self.name}/{README} says how it begins")
        self._empty(target)
        for pattern in self.declaration.given:
            for file in sorted(PROJECT.glob(pattern)):
                shutil.copyfile(file, target / file.name)
        for name, file in files.items():
            try:
                shutil.copyfile(file, target / name)
            except OSError as error:
                raise UserError(f"lab {self.number}: {file} cannot be read: {error.strerror}") from None

    def _empty(self, folder: Path) -> None:
        try:
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
        except OSError as error:
            what = f"lab {self.number}: {folder} cannot be emptied: {error.strerror}"
            raise UserError(what, "it is where the check works; does it belong to another user?") from None


def labs(folder: Path = LABS) -> list[Lab]:
    """All labs, in their order."""
    return sorted(_found(folder), key=lambda lab: lab.number)


def lab_numbered(number: int) -> Lab:
    """One lab.

    Raises:
        UserError: there is none with this number.
    """
    known = labs()
    for lab in known:
        if lab.number == number:
            return lab
    raise UserError(f"there is no lab {number}", f"there are {', '.join(str(lab.number) for lab in known)}: `make labs` lists them")


def _found(folder: Path) -> Iterator[Lab]:
    for one in folder.iterdir():
        match = FOLDER_PATTERN.fullmatch(one.name)
        if match and (one / DECLARATION).is_file():
            yield Lab(int(match[1]), one)


def _read(file: Path, kind: type[T]) -> T:
    try:
        return kind.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{file}: {error}") from None
    except ValidationError as error:
        raise UserError("\n".join(schema_errors(file, error, kind))) from None
