"""Ways to run commands of pages that cannot be run as they stand (known.toml)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, model_validator

from tests.page_commands.typed import Typed

FILE = Path(__file__).with_name("known.toml")
RUNNABLE = re.compile(r"(?:[A-Z_0-9]+=(?:'[^']*'|\S+) )*(?:make|cp|sed|cargo|\.venv/bin/python|switch/target/release/\S+)(?: |$)")
"""The beginning of a command that a shell finds in a clone. Debian 12 has no `python`, and the clone's own is not on PATH."""

PLACEHOLDER = re.compile(r"…|[<>\[\]]|(?:^|[ =/])[A-Z][A-Z_]{2,}(?:$|[ .])|\b(?:your|path/to|10\.0\.0\.\d+)\b")
ALL_SCHEMES = re.compile(r"\bmake run(?!.*(?:SCHEMES|P4APP)=)")
ONE_SCHEME = "SCHEMES=nodectl"
LIMIT_MIN = 20.0


class Way(BaseModel):
    """How commands are run.

    Args:
        typed: the commands, as their pages have them.
        reason: why they cannot be run as they stand.
        before: a shell's commands that prepare it.
        instead: the command that is run in its place.
        smaller: the command that is run in its place where there is no time for it.
        input: the text that is typed into it.
        page: it serves a page, and the test asks for the page.
        until_end: it ends by itself after that; else the test ends it.
        status: the exit status that it has to have; one that is not 0 may come of anything, so ``says`` goes with it.
        says: a text that its output must have.
        refusal: a text of its output where it cannot be carried out, which is right then.
        limit_min: minutes that it may take, on a machine with other work.
        test: a file of tests that runs it; then it is not run here.
        named: nobody types it: the page only names it. Then it is not run at all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    typed: list[str]
    reason: str = ""
    before: str = ""
    instead: str = ""
    smaller: str = ""
    input: str = ""
    page: bool = False
    until_end: bool = False
    status: int = 0
    says: str = ""
    refusal: str = ""
    limit_min: float = LIMIT_MIN
    test: str = ""
    named: bool = False

    @model_validator(mode="after")
    def _has_reason(self) -> Way:
        changed = self.model_fields_set - {"typed", "reason", "limit_min", "smaller"}
        if changed and not self.reason:
            raise ValueError(f"{self.typed[0]}: there is no reason")
        if self.status and not self.says:
            raise ValueError(f"{self.typed[0]}: it may fail for another reason; `says` is missing")
        return self

    @property
    def what_runs(self) -> str:
        """Equal for commands in whose place the same is run, which need not be run twice."""
        return self.model_dump_json(exclude={"typed", "reason", "limit_min", "smaller"})

    def in_smaller_form(self, command: Typed) -> Way:
        """This way, or one for when there is no time: the smaller form in the file, or a run with one scheme."""
        words = self.instead or command.words
        smaller = self.smaller or (f"{words} {ONE_SCHEME}" if ALL_SCHEMES.search(words) else "")
        return self.model_copy(update={"instead": smaller}) if smaller else self

    @property
    def is_run_here(self) -> bool:
        """Whether it is run by ``python -m tests.page_commands``."""
        return not self.test and not self.named


@cache
def known() -> dict[str, Way]:
    """The ways of known.toml, by the typed command.

    Raises:
        ValueError: a command stands twice, or something in the file is wrong.
    """
    found: dict[str, Way] = {}
    for way in [Way.model_validate(one) for one in tomllib.loads(FILE.read_text(encoding="utf-8"))["commands"]]:
        for words in way.typed:
            if words in found:
                raise ValueError(f"{words} stands twice in {FILE.name}")
            found[words] = way
    return found


def way_of(command: Typed) -> Way:
    """How a command is run.

    Raises:
        ValueError: it is not known, and cannot be run as it stands.
    """
    way = known().get(command.words)
    if way is not None:
        return way
    where = ", ".join(command.pages)
    if not RUNNABLE.match(command.words):
        raise ValueError(f"{where}: `{command.words}` does not begin with what a shell finds in a clone; is it .venv/bin/python?")
    if PLACEHOLDER.search(command.words):
        raise ValueError(f"{where}: `{command.words}` has a placeholder; {FILE.name} has to say what stands for it")
    return Way(typed=[command.words])
