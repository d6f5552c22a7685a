"""Crates say which of their parts have no tests, since cargo compiles each part once more for them, and lints it once more."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.harness.switches import REPOSITORY

CRATES = sorted(path.parent for path in (REPOSITORY / "switch" / "crates").glob("*/Cargo.toml"))
TEST = re.compile(r"#\[(tokio::)?test\b|#\[cfg\(test\)\]|\bproptest!")
EXAMPLE = re.compile(r"^\s*//[/!] ```(rust\b.*|no_run|should_panic|compile_fail)?$")
"""The opening line of an example in a comment; the same line closes a block that is none."""


def manifest(crate: Path) -> dict[str, Any]:
    """A crate's Cargo.toml."""
    return tomllib.loads((crate / "Cargo.toml").read_text())


def programs(crate: Path) -> list[Path]:
    """The files of a crate's programs."""
    return [path for path in (crate / "src" / "main.rs", *(crate / "src" / "bin").glob("*.rs")) if path.exists()]


def library(crate: Path) -> str:
    """All sources of a crate but its programs."""
    of_programs = programs(crate)
    return "\n".join(path.read_text() for path in (crate / "src").rglob("*.rs") if path not in of_programs)


def has_example(source: str) -> bool:
    """Whether a comment opens a block of Rust."""
    return any(place % 2 == 0 and EXAMPLE.match(line) for place, line in enumerate(re.findall(r"^\s*//[/!] ```.*$", source, re.MULTILINE)))


@pytest.mark.parametrize("crate", [crate for crate in CRATES if (crate / "src" / "lib.rs").exists()], ids=lambda crate: crate.name)
def test_a_library_says_whether_it_has_tests_and_examples(crate: Path) -> None:
    declared, source = manifest(crate).get("lib", {}), library(crate)
    assert declared.get("test", True) is bool(TEST.search(source))
    assert declared.get("doctest", True) is has_example(source)


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_a_program_says_whether_it_has_tests(crate: Path) -> None:
    declared = {crate / one.get("path", f"src/bin/{one['name']}.rs"): one.get("test", True) for one in manifest(crate).get("bin", [])}
    assert [declared.get(file, True) for file in programs(crate)] == [bool(TEST.search(file.read_text())) for file in programs(crate)]


@pytest.mark.parametrize(
    ("source", "has"),
    [("/// ```text\n/// a\n/// ```\n", False), ("/// ```\n/// let a = 1;\n/// ```\n", True), ("//! ```rust\n//! ```", True)],
)
def test_blocks_of_other_languages_are_no_examples(source: str, has: bool) -> None:
    assert has_example(source) is has
