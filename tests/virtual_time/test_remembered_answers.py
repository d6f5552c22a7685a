"""Other programs are asked about files again when the answer may be another one, and only then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from virtual_time.file_system import remembered_answers
from virtual_time.file_system.remembered_answers import remembered


class Oracle:
    """Says how often it has been asked."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self) -> str:
        self.asked += 1
        return f"answer {self.asked}"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(remembered_answers, "FOLDER", tmp_path / "answers")
    found = tmp_path / "file"
    found.write_text("first")
    return found


def later(file: Path) -> None:
    """A change of a file that leaves its size as it is."""
    found = file.stat()
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000))


def test_it_is_asked_once(file: Path) -> None:
    oracle = Oracle()
    assert [remembered(["what"], [file], oracle.ask) for _ in range(3)] == ["answer 1"] * 3
    assert remembered(["what", "else"], [file], oracle.ask) == "answer 2"
    assert remembered(["whatelse"], [file], oracle.ask) == "answer 3"


@pytest.mark.parametrize("change", [later, Path.unlink, lambda file: file.write_text("longer than before")])
def test_a_changed_file_is_another_question(file: Path, change: Callable[[Path], object]) -> None:
    oracle = Oracle()
    remembered(["what"], [file], oracle.ask)
    change(file)
    assert remembered(["what"], [file], oracle.ask) == "answer 2"


def test_a_file_that_comes_is_another_question(file: Path) -> None:
    oracle, other = Oracle(), file.with_name("other")
    remembered(["what"], [file, other], oracle.ask)
    other.write_text("here")
    assert remembered(["what"], [file, other], oracle.ask) == "answer 2"


def test_an_answer_holds_as_long_as_what_it_names(file: Path) -> None:
    oracle, library = Oracle(), file.with_name("library")
    library.write_text("one")

    def named(_answer: str) -> Iterable[Path]:
        return [library]

    assert [remembered(["what"], [file], oracle.ask, named) for _ in range(2)] == ["answer 1"] * 2
    later(library)
    assert [remembered(["what"], [file], oracle.ask, named) for _ in range(2)] == ["answer 2"] * 2


def test_an_error_is_no_answer(file: Path) -> None:
    def fails() -> str:
        raise OSError("no such program")

    with pytest.raises(OSError, match="no such program"):
        remembered(["what"], [file], fails)
    assert remembered(["what"], [file], Oracle().ask) == "answer 1"


@pytest.mark.parametrize("damage", ["", "{", "[]", '["answer 7"]', "[1, 2, 3]"])
def test_a_damaged_note_is_asked_again(file: Path, damage: str) -> None:
    oracle = Oracle()
    remembered(["what"], [file], oracle.ask)
    (note,) = remembered_answers.FOLDER.iterdir()
    note.write_text(damage)
    assert [remembered(["what"], [file], oracle.ask) for _ in range(2)] == ["answer 2"] * 2


def test_old_answers_go(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered_answers, "MOST", 5)
    oracle = Oracle()
    for number in range(12):
        remembered([str(number)], [file], oracle.ask)
    assert len(list(remembered_answers.FOLDER.iterdir())) <= 5


def test_a_folder_that_cannot_be_written_costs_only_time(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered_answers, "FOLDER", file / "below a file")
    oracle = Oracle()
    assert [remembered(["what"], [file], oracle.ask) for _ in range(2)] == ["answer 1", "answer 2"]
