"""Answers of other programs about files of this machine, kept until one of those files changes.

Asking takes seconds (ldd, dpkg-query), each run asks the same, and the answers change only when packages are installed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from common.installation import MADE
from common.whole_files import write_whole

FOLDER = MADE / "virtual" / "answers"
MOST = 2000
"""With more answers than these, many are of packages that were there once: all are forgotten."""


DPKG = (Path("/var/lib/dpkg/status"), Path("/var/lib/dpkg/diversions"))
"""They change with every package that comes or goes."""


def of_nothing(_answer: str) -> Iterable[Path]:
    """An answer that names no files."""
    return ()


def remembered(
    question: Sequence[str], about: Iterable[Path], ask: Callable[[], str], named: Callable[[str], Iterable[Path]] = of_nothing
) -> str:
    """The answer to a question, from before if nothing that it is about has changed since.

    Args:
        question: words that tell it from others.
        about: files that the answer depends on; one that is not there counts, too.
        ask: gets the answer.
        named: the files that an answer names: it holds as long as these are as they were.

    Raises:
        Exception: any error of ``ask``.
    """
    hashed = hashlib.sha256(json.dumps([list(question), _states(about)]).encode())
    kept = FOLDER / hashed.hexdigest()
    try:
        answer, states = json.loads(kept.read_text())
        if states == _states(named(answer)):
            return str(answer)
    except (OSError, ValueError, TypeError):
        pass
    answer = ask()
    with suppress(OSError):  # of another user, or a full disk: it is asked again
        _make_room()
        write_whole(kept, json.dumps([answer, _states(named(answer))]))
    return answer


def _states(files: Iterable[Path]) -> list[list[str | int]]:
    return [_state(file) for file in files]


def _state(file: Path) -> list[str | int]:
    try:
        found = file.stat()
    except OSError:
        return [str(file)]
    return [str(file), found.st_size, found.st_mtime_ns]


def _make_room() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with os.scandir(FOLDER) as found:
        names = [one.path for one in found if one.is_file()]
    if len(names) >= MOST:
        for name in names:
            Path(name).unlink(missing_ok=True)
