"""Repeats a check whenever a file is saved: modification times, looked at some times a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

LOOK_S = 0.25
LEFT_OUT = ("__pycache__", "node_modules", "results")
State = Mapping[Path, tuple[int, int]]
"""Of each file: when it was written, in ns, and its size, in bytes."""


def state_of(folder: Path) -> State:
    """The files of a folder and those below it, without what is hidden or made anew."""
    found: dict[Path, tuple[int, int]] = {}
    for file in folder.rglob("*"):
        name = file.relative_to(folder)
        if any(part in LEFT_OUT or part.startswith(".") for part in name.parts):
            continue
        try:
            status = file.stat()
        except OSError:  # gone while it was looked at: an editor writes beside, and renames
            continue
        if file.is_file():
            found[name] = (status.st_mtime_ns, status.st_size)
    return found


def changes(before: State, now: State) -> list[str]:
    """The differences, a few words for each file."""
    words = [f"{name} is new" if name not in before else f"{name} has changed" for name in sorted(now) if before.get(name) != now[name]]
    return words + [f"{name} is gone" for name in sorted(before) if name not in now]


def watch(folder: Path, check: Callable[[], object], tell: Callable[[str], None], *, look_s: float = LOOK_S) -> None:
    """Check, and again after each change, until an interrupt.

    A file that is saved during a check is seen after it.

    Args:
        folder: which is looked at.
        check: done first, and after each change.
        tell: told what has changed.
        look_s: seconds between two looks.
    """
    try:
        while True:
            seen = state_of(folder)
            check()
            tell("waiting for a change; Ctrl-C ends")
            while not (changed := changes(seen, state_of(folder))):
                time.sleep(look_s)
            tell(f"\n{', '.join(changed)}")
    except KeyboardInterrupt:
        tell("")
