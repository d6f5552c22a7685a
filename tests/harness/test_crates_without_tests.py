"""Crates say which of their parts have no tests, since cargo compiles each part once more for them, and lints it once more."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.harness.switches import REPOSITORY

CRATES = sorted(path.parent for path in (REPOSITORY / "switch" / "crates").glob("*/Cargo.toml"))
TEST = re.compile(r"#\[(tokio::)?test\b|#\[cfg\(test\)\]|\bproptest!")
EXAMPLE = re.compile(r"^\s*//[/!] ```(rust\b.*|no_run|should_panic|compile_fail)?$", re.MULTILINE)
"""The opening line of an example in a comment; the same line closes a block that is none."""


def programs(crate: Path) -> dict[str, bool]:
    """The files of a crate's programs, and whether their own tests are compiled."""
    declared = tomllib.loads((crate / "Cargo.toml").read_text()).get("bin", [])
    files = [path for path in (crate / "src" / "main.rs", *(crate / "src" / "bin").glob("*.rs")) if path.exists()]
    paths = {one.get("path", f"src/bin/{one['name']}.rs"): one.get("test", True) for one in declared}
    return {str(path.relative_to(crate)): paths.get(str(path.relative_to(crate)), True) for path in files}


def library(crate: Path) -> str:
    """All sources of a crate but its programs."""
    return "\n".join(path.read_text() for path in (crate / "src").rglob("*.rs") if str(path.relative_to(crate)) not in programs(crate))


def has_example(source: str) -> bool:
    """Whether a comment opens a block of Rust."""
    return any(place % 2 == 0 and EXAMPLE.match(line) for place, line in enumerate(re.findall(r"^\s*//[/!] ```.*$", source, re.MULTILINE)))


@pytest.mark.parametrize("crate", [crate for crate in CRATES if (crate / "src" / "lib.rs").exists()], ids=lambda crate: crate.name)
def test_a_library_says_whether_it_has_tests_and_examples(crate: Path) -> None:
    declared = tomllib.loads((crate / "Cargo.toml").read_text()).get("lib", {})
    assert declared.get("test", True) is bool(TEST.search(library(crate)))
    assert declared.get("doctest", True) is has_example(library(crate))


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_a_program_says_whether_it_has_tests(crate: Path) -> None:
    assert programs(crate) == {file: bool(TEST.search((crate / file).read_text())) for file in programs(crate)}


@pytest.mark.parametrize(
    ("source", "has"),
    [("/// ```text\n/// a\n/// ```\n", False), ("/// ```\n/// let a = 1;\n/// ```\n", True), ("//! ```rust\n//! ```", True)],
)
def test_blocks_of_other_languages_are_no_examples(source: str, has: bool) -> None:
    assert has_example(source) is has
