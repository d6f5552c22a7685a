"""A question from inside to the outside: the clock inside stands still until the answer is there.

The inside looks for the answer without a pause. Computing takes no time, and 16,384 looks for a file that is not there take none either
(virtual_time/kernel/patches/0010). The outside stops the kernel as soon as it sees the question, so that the looking costs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from virtual_time.console import Event, tell

ASKS = "asks"
"""The event: the inside has a question."""

ANSWERS = "answers"
"""Folder of the answers, in the one that inside and outside share."""

INTERRUPT = "interrupt"
"""File that the outside makes there when the user wants a command to end."""

SHARED = Path("/host")

TURNS_BETWEEN_LOOKS = 100_000
"""Of an empty loop: some milliseconds, so that a busy outside has most of a minute to see the question before looks take time."""

Answerer = Callable[[Event], str]
"""Is given a question, and waits for as long as it likes."""


class Asker:
    """Inside: asks one question after the other."""

    def __init__(self) -> None:
        self._asked = 0

    def ask(self, **question: object) -> str:
        """The outside's answer; no time passes."""
        self._asked += 1
        file = SHARED / ANSWERS / str(self._asked)
        tell(ASKS, number=self._asked, **question)
        while not file.exists():
            for _ in range(TURNS_BETWEEN_LOOKS):
                pass
        answer: str = json.loads(file.read_text(encoding="utf-8"))
        return answer

    def was_interrupted(self) -> bool:
        """Whether the outside has sent an interrupt since this was asked before."""
        if not (SHARED / INTERRUPT).exists():
            return False
        (SHARED / INTERRUPT).unlink(missing_ok=True)
        return True


def interrupt(folder: Path) -> None:
    """Outside: send an interrupt, as Ctrl-C does.

    Args:
        folder: the one that is shared.
    """
    (folder / INTERRUPT).touch()


def write_answer(folder: Path, question: Event, answer: str) -> None:
    """Outside: give an answer.

    Args:
        folder: the one that is shared.
        question: the event.
        answer: a text.
    """
    answers = folder / ANSWERS
    answers.mkdir(exist_ok=True)
    unfinished = answers / "unfinished"
    unfinished.write_text(json.dumps(answer), encoding="utf-8")
    unfinished.replace(answers / str(question["number"]))
