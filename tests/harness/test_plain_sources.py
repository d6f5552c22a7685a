"""Comments and docstrings of all sources are in plain English, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.plain_sources import not_plain, sources
from tests.harness.switches import REPOSITORY

ROOMS = sorted({REPOSITORY / file.relative_to(REPOSITORY).parts[0] for file in sources(REPOSITORY)})


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_comments(room: Path) -> None:
    assert [str(one) for file in sources(room) for one in not_plain(file)] == []


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("a.rs", "//! What the port has is divided.\nfn main() {}\n", 1),
        ("a.rs", "/// The rate of the port.\nfn rate() {}\n", 0),
        ("a.rs", "// This is code with a text.\nlet text = \"// What is no comment\";\n", 0),
        ("a.p4", f"// {'word ' * 31}.\n", 1),
        ("a.py", '"""The rate of what is there."""\n', 1),
        ("a.py", "# " + "word " * 20 + "\n# " + "word " * 20 + ".\n", 1),
        ("a.py", "a = 1  # " + "word " * 20 + "\nb = 2  # " + "word " * 20 + "\n", 0),
        ("a.py", "a = 1  # for what is there\n", 1),
        ("a.py", 'TEXT = "what is no docstring"\n', 0),
        ("a.rs", "//! compiler ──┬─ parser of what is there\n", 0),
    ],
)  # fmt: skip
def test_which_are_found(tmp_path: Path, name: str, text: str, number: int) -> None:
    (file := tmp_path / name).write_text(text, encoding="utf-8")
    assert len(not_plain(file)) == number
