"""Layers: made once, made anew when a file changes, with a digest of contents alone."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from common.errors import UserError
from tests.virtual_time.test_cpio import entries
from virtual_time.file_system.layer import KEPT_S, LayerContent, files_below, make_layer
from virtual_time.quick_imports import BUNDLES


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "package" / "__pycache__").mkdir(parents=True)
    (folder / "package" / "module.py").write_text("VALUE = 1\n")
    (folder / "package" / "__pycache__" / "module.cpython-311.pyc").write_bytes(b"old")
    (folder / "notes.txt").write_text("notes\n")
    return folder


def content(tree: Path) -> LayerContent:
    return LayerContent(files_below(tree, "/inside"), texts={"/init": "#!/bin/sh\n"}, executable=frozenset({"/init"}))


def test_python_is_compiled_for_where_it_will_be(tree: Path, tmp_path: Path) -> None:
    found = entries(make_layer("layer", content(tree), tmp_path / "cache").archive.read_bytes())
    compiled = found[f"{BUNDLES.removeprefix('/')}/layer"][1]
    assert b"/inside/package/module.py" in compiled
    assert str(tree).encode() not in compiled
    assert found["inside/notes.txt"][1] == b"notes\n"
    assert found["init"][0] & 0o111


def test_an_unchanged_layer_is_not_made_again(tree: Path, tmp_path: Path) -> None:
    first = make_layer("layer", content(tree), tmp_path / "cache")
    made_ns = first.archive.stat().st_mtime_ns
    assert make_layer("layer", content(tree), tmp_path / "cache") == first
    assert first.archive.stat().st_mtime_ns == made_ns


def test_a_layer_that_can_only_be_read_is_taken_as_it_is(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the sandbox of hand-ins, where the checkout is mounted read-only."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    first = make_layer("layer", content(tree), tmp_path / "cache")
    for name in ("utime", "mkdir", "rename", "replace"):
        monkeypatch.setattr(os, name, refuse)
    assert make_layer("layer", content(tree), tmp_path / "cache") == first


def test_what_nobody_asks_for_goes_in_time(tree: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = make_layer("layer", content(tree), cache)
    other = make_layer("layer-tests", content(tree), cache)
    (tree / "notes.txt").write_text("other notes\n")
    second = make_layer("layer", content(tree), cache)
    assert first.archive.exists(), "a run beside may want it"
    for note in cache.glob("*.json"):
        long_ago_s = note.stat().st_mtime - KEPT_S - 1
        os.utime(note, (long_ago_s, long_ago_s))
    assert make_layer("layer", content(tree), cache) == second, "asked for just now"
    (tree / "notes.txt").write_text("yet other notes\n")
    make_layer("layer", content(tree), cache)
    assert (first.archive.exists(), second.archive.exists(), other.archive.exists()) == (False, True, True)


def test_a_changed_file_makes_another_digest(tree: Path, tmp_path: Path) -> None:
    first = make_layer("layer", content(tree), tmp_path / "cache")
    (tree / "notes.txt").write_text("other notes\n")
    assert make_layer("layer", content(tree), tmp_path / "cache").digest != first.digest


def test_times_and_places_of_files_are_no_part_of_the_digest(tree: Path, tmp_path: Path) -> None:
    first = make_layer("layer", content(tree), tmp_path / "cache")
    moved = tree.rename(tmp_path / "elsewhere")
    for file in moved.rglob("*"):
        os.utime(file, (1, 1))
    assert make_layer("layer", content(moved), tmp_path / "another").digest == first.digest


def test_compiled_python_does_not_depend_on_what_its_process_compiled_before(tree: Path, tmp_path: Path) -> None:
    """Strings of one character are there once a process, and interned by the first who asks, which marshal notes with the next ones."""
    character = chr(0xB6)
    (tree / "package" / "module.py").write_text("def is_known(word):\n    return word in {'\\xb6', 'first'} or word + '\\xb6'\n")
    first = make_layer("layer", content(tree), tmp_path / "cache")
    sys.intern(character)
    again = make_layer("layer", content(tree), tmp_path / "another")
    assert again.archive.read_bytes() == first.archive.read_bytes()
    assert again.digest == first.digest


def test_a_damaged_archive_is_made_again(tree: Path, tmp_path: Path) -> None:
    first = make_layer("layer", content(tree), tmp_path / "cache")
    whole = first.archive.read_bytes()
    first.archive.write_bytes(whole[:100])
    assert make_layer("layer", content(tree), tmp_path / "cache").archive.read_bytes() == whole


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(UserError, match="gone"):
        make_layer("layer", LayerContent({"/gone": gone}), tmp_path / "cache")
