"""Where kept records come from."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from engine.collect.provenance import CHANGES, UNKNOWN
from tests.harness.switches import REPOSITORY

RECORDS = sorted((REPOSITORY / "docs" / "reproduction").glob("*/records/*.jsonl.xz"))


def commits(file: Path) -> set[str]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        return {json.loads(line)["commit"] for line in lines}


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: f"{file.parts[-3]}-{file.name.partition('.')[0]}")
def test_no_record_is_of_files_that_no_commit_has(file: Path) -> None:
    found = commits(file)
    assert found
    assert [commit for commit in found if commit == UNKNOWN or commit.endswith(CHANGES)] == []


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: f"{file.parts[-3]}-{file.name.partition('.')[0]}")
def test_no_repetition_of_a_run_that_draws_nothing_is_kept(file: Path) -> None:
    """Reports leave them out, so nobody would measure them anew."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        kept = [json.loads(line) for line in lines]
    assert [one["parameters"] for one in kept if not one["drawn"] and one["repetition"] > 1] == []
