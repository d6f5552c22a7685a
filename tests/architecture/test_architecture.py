"""Rooms use one another in one direction, and docs/architecture.md shows how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.arrows import PROJECT, Arrows, crates, imported, python_rooms
from tests.architecture.page import PAGE, pictures, with_pictures


@pytest.mark.parametrize("house", [python_rooms, crates])
def test_no_rooms_use_one_another_in_a_circle(house: object) -> None:
    assert callable(house)
    assert house().circle() == []


def test_the_page_shows_how_rooms_use_one_another() -> None:
    page = PAGE.read_text("utf-8")
    assert with_pictures(page, pictures()) == page, "if the new arrow is wanted: .venv/bin/python -m tests.architecture"


def test_a_new_arrow_changes_the_picture(tmp_path: Path) -> None:
    for room in ("above", "below"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").touch()
    (tmp_path / "above" / "user.py").write_text("def f():\n    from below.used import it\n")
    before = python_rooms(tmp_path)
    assert before.flowchart() == "flowchart TD\n    above --> below\n    below"
    (tmp_path / "below" / "used.py").write_text("import above.user\n")
    after = python_rooms(tmp_path)
    assert after.flowchart() != before.flowchart()
    assert set(after.circle()) == {"above", "below"}


def test_an_arrow_that_follows_from_others_is_not_drawn() -> None:
    arrows = Arrows.of([("a", "b"), ("b", "c"), ("a", "c"), ("a", "elsewhere"), ("a", "a")], "abc")
    assert arrows.uses == {"a": ("b", "c"), "b": ("c",), "c": ()}
    assert arrows.direct().uses == {"a": ("b",), "b": ("c",), "c": ()}


def test_imports_are_found_wherever_they_are() -> None:
    assert imported("import a.b, c\nfrom d.e import f\nfrom . import g\nif x:\n    import h") == {"a", "c", "d", "h"}


def test_a_page_without_a_place_is_told() -> None:
    with pytest.raises(LookupError, match="has no place for the picture 'rooms'"):
        with_pictures("# Page\n", {"rooms": "flowchart TD"})


def test_nobody_imports_a_program() -> None:
    """``__main__`` is for ``python -m``; whatever others need is in a module with a name."""
    rooms = [*(file.parent for file in PROJECT.glob("*/__init__.py")), PROJECT / "tests"]
    files = [file for room in rooms for file in room.rglob("*.py")]
    assert len(files) > 900
    found = [
        file for file in files if re.search(r"^\s*(from \S*\b__main__ import|from \S+ import __main__)", file.read_text(), re.MULTILINE)
    ]
    assert not found


def test_what_is_planned_and_collected_knows_nothing_of_its_execution() -> None:
    folders = [PROJECT / "engine" / name for name in ("plan", "collect", "metrics")]
    files = [file for folder in folders for file in folder.glob("*.py")]
    assert len(files) > 40
    assert not [file for file in files if "engine.execute" in file.read_text("utf-8")]
