"""All mutants of a lab's solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from labs.catalogue import Lab
from tests.labs.mutation import c_like, python_source, toml_source
from tests.labs.mutation.mutant import Change, Mutant, mutants_of

WORDS = {
    "reno": ["cubic", "bbr"], "cubic": ["bbr", "reno"], "bbr": ["reno", "cubic"],
    "confirmed": ["differs", "not confirmed"], "h1": ["h2"], "h2": ["h1"], "dumbbell": ["chain"],
    "total_mbps": ["smoothed_rtt_ms"], "loss_percent": ["rate_mbps"], "rate_mbps": ["loss_percent"],
}  # fmt: skip
"""Of texts in TOML that are one of several, the others."""

FREE = {7: ["mine.bpf.c"]}
"""Files without a right answer, by the lab's number: the contest says what they are worth."""

JUDGED = {10: ["answers.toml"]}
"""Files that are held against a run of the student's own: tests/labs/test_verdicts.py tries their mutants without it."""


def mutants_of_lab(lab: Lab, solution: Mapping[str, Path]) -> list[Mutant]:
    """Each mutant once.

    Args:
        lab: the lab of the solution.
        solution: the files of the solution that are handed in, by name.
    """
    found: list[Mutant] = []
    for name, file in solution.items():
        if name not in (*FREE.get(lab.number, []), *JUDGED.get(lab.number, [])):
            found += mutants_of_file(name, file.read_text(encoding="utf-8"))
    return found


def mutants_of_file(name: str, text: str) -> list[Mutant]:
    """All of one file, whatever lab it is of."""
    return list(mutants_of(name, text, _changes_in(name, text)))


def _changes_in(name: str, text: str) -> Iterator[Change]:
    match Path(name).suffix:
        case ".p4":
            return c_like.changes_in(text, true="true", false="false")
        case ".c":
            return c_like.changes_in(text, true="1", false="0")
        case ".py":
            return python_source.changes_in(text)
        case ".toml":
            return toml_source.changes_in(text, WORDS)
        case suffix:
            raise ValueError(f"mutants of {suffix} files are not known")
