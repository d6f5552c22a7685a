"""Where kept records come from, and which are kept."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.collect.kept_records import SUFFIX
from engine.collect.provenance import CHANGES, UNKNOWN
from tests.harness.switches import REPOSITORY

RECORDS = sorted((REPOSITORY / "docs" / "reproduction").glob(f"*/records/*{SUFFIX}"))
each_file = pytest.mark.parametrize("file", RECORDS, ids=lambda file: f"{file.parts[-3]}-{file.name.removesuffix(SUFFIX)}")


@cache
def kept(file: Path) -> list[dict[str, Any]]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@each_file
def test_no_record_is_of_files_that_no_commit_has(file: Path) -> None:
    commits = {one["commit"] for one in kept(file)}
    assert commits
    assert [commit for commit in commits if commit == UNKNOWN or commit.endswith(CHANGES)] == []


@each_file
def test_no_repetition_of_a_run_that_draws_nothing_is_kept(file: Path) -> None:
    """Reports leave them out, so nobody would measure them anew."""
    assert [one["parameters"] for one in kept(file) if not one["drawn"] and one["repetition"] > 1] == []
