"""The programs of p4src/ are whole: one for each variant, made of controls, and the paper's is read beside the paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocol.variant import DESIGNS, Variant, VariantName
from tests.harness.switches import REPOSITORY

FOLDER = REPOSITORY / "p4src"
CHOOSES = {"decisions.p4"}
"""The one file where the compiler's command line chooses between controls."""

ALGORITHMS = ("nodectl.p4", "negotiation.p4", "pre_allocation.p4", "allocation.p4", "subflows.p4")
"""The paper's Algorithms 1, 2 and 4. The other files of nodectl.p4 forward, keep records, or hold decisions of ours (decisions.p4)."""

MOST_LINES = 300


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def included(name: str, seen: set[str] | None = None) -> set[str]:
    """The files of p4src/ that a program consists of."""
    seen = {name} if seen is None else seen | {name}
    for other in re.findall(r'^#include "(.+)"$', text(name), re.MULTILINE):
        if other not in seen:
            seen |= included(other, seen)
    return seen


def lines_named(*names: str) -> set[int]:
    """Lines of an algorithm that comments name: "line 4", "lines 8 and 9", "lines 13 to 19"."""
    found: set[int] = set()
    for name in names:
        for first, joined, last in re.findall(r"\b[Ll]ines? (\d+)(?: (to|and) (\d+))?", text(name)):
            found |= set(range(int(first), int(last) + 1)) if joined == "to" else {int(first), int(last or first)}
    return found


@pytest.mark.parametrize("name", VariantName)
def test_each_variant_is_a_program(name: VariantName) -> None:
    program = Variant.named(name).design.program
    assert re.search(r"^V1Switch\(", text(program), re.MULTILINE)
    assert not {design.program for design in DESIGNS.values()} & (included(program) - {program}), "it includes another's"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.p4")), ids=lambda file: file.name)
def test_no_conditional_stands_inside_a_control(file: Path) -> None:
    depth = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        code = line.partition("//")[0]
        if re.match(r"\s*#\s*(if|el|endif)", code):
            assert depth == 0, f"{file.name}, line {number}: {line}"
            assert file.name in CHOOSES or not re.match(r"\s*#\s*el", code), f"{file.name}, line {number}: {line}"
        depth += code.count("{") - code.count("}")


def test_no_file_of_the_papers_program_is_another_variants() -> None:
    of_the_deployable = {"headers_v2.p4", "message_v2.p4", "reserves.p4", "authentication.p4", "enforcement.p4", "load.p4"}
    assert not included("nodectl.p4") & {*of_the_deployable, "fair_level.p4", "level_following.p4"}
    assert of_the_deployable <= included("nodectl_deployable.p4") & included("nodectl_fair_level.p4")
    assert {*ALGORITHMS} <= included("nodectl.p4")


def test_the_papers_algorithms_are_short_enough_to_be_read_beside_it() -> None:
    assert sum(len(text(name).splitlines()) for name in ALGORITHMS) < MOST_LINES


def test_every_line_of_the_papers_algorithms_is_named() -> None:
    """Of Algorithm 1 without its frame; of Algorithm 2 what a switch does; of Algorithm 4 the controller's lines are 13 to 18."""
    assert lines_named("pre_allocation.p4", "allocation.p4") >= {*range(2, 6), *range(10, 28)}
    assert lines_named("subflows.p4") >= {3, 4, 5, 6, 7, 13}
    assert lines_named("nodectl.p4", "negotiation.p4") >= {*range(2, 28)} - {7, 19}
