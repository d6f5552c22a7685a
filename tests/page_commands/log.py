"""The outcomes of commands, a line of JSON each: an ended run goes on where it was, and one after a mend takes those that failed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.page_commands.known import Way
from tests.page_commands.running import Outcome
from tests.page_commands.typed import Typed


class Log:
    """A file that grows by a line for each command; none without a path."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._last: dict[tuple[str, str], bool] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                self._last[one["command"], one["as"]] = not one["failure"]

    def has_passed(self, command: Typed, way: Way) -> bool:
        """Whether the command passed when it was last run in this way."""
        return self._last.get(_key(command, way), False)

    def add(self, command: Typed, way: Way, outcome: Outcome) -> None:
        """Write the outcome of a command."""
        words, instead = _key(command, way)
        self._last[words, instead] = not outcome.failure
        if self._path is not None:
            line = {
                "command": words,
                "as": instead,
                "pages": command.pages,
                "took_s": round(outcome.took_s, 1),
                "processor_s": round(outcome.processor_s, 1),
                "failure": outcome.failure,
                "said": outcome.said if outcome.failure else "",
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _key(command: Typed, way: Way) -> tuple[str, str]:
    return command.words, way.instead
