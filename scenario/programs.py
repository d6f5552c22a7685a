"""Ordinary programs on the hosts: any command, nothing in it changed; what they send is the host service's matter, or the kernel's."""

from __future__ import annotations

from string import Template
from typing import Annotated

from pydantic import Field, model_validator

from scenario.base import Name, Strict

MAX_COUNT = 1000
FOLDER = "folder"
"""``$folder`` in a command: the folder of the scenario's ``files``."""

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$")]
FileContent = str | Annotated[int, Field(ge=0, le=10**9)]
"""A text, or so many bytes of zeros."""


class Program(Strict):
    """One command, or several of the same at once; times in seconds after the run's start.

    ``$h1`` in a word is the address of host h1, ``$folder`` the folder with the scenario's files, ``$number`` counts several from 1.
    """

    name: Name
    host: Name
    command: list[str] = Field(min_length=1)
    start_s: float = Field(default=0.0, ge=0)
    count: int = Field(default=1, ge=1, le=MAX_COUNT)
    listens_on: int | None = Field(default=None, ge=1, le=65535)
    """It is a server: it runs from before the start, when this TCP port is open, until the end."""

    @model_validator(mode="after")
    def _is_possible(self) -> Program:
        if self.listens_on is not None and (self.count > 1 or self.start_s > 0):
            raise ValueError(f"program {self.name!r}: a server runs once, and from the start")
        return self

    @property
    def names(self) -> list[str]:
        """Of each of them."""
        return [self.name] if self.count == 1 else [f"{self.name}{number}" for number in range(1, self.count + 1)]

    def words(self, number: int, values: dict[str, str]) -> list[str]:
        """The command of one of them.

        Args:
            number: from 1.
            values: what ``$NAME`` stands for.

        Raises:
            ValueError: a word has a name that stands for nothing.
        """
        try:
            return [Template(word).substitute(values, number=str(number)) for word in self.command]
        except KeyError as error:
            raise ValueError(f"program {self.name!r}: ${error.args[0]} stands for nothing") from None
