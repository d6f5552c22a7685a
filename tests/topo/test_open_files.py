"""The limit of open files is lowered while nodes are made, never raised, and set back."""

from __future__ import annotations

import resource
import subprocess

import pytest

from topo.open_files import few_open_files


def soft_limit() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_it_is_lowered_for_what_is_started_and_set_back() -> None:
    before = soft_limit()
    with few_open_files(200):
        assert soft_limit() == 200
        assert subprocess.run(["sh", "-c", "ulimit -n"], capture_output=True, text=True, check=True).stdout.strip() == "200"
    assert soft_limit() == before


def test_it_is_set_back_after_an_error_and_never_raised() -> None:
    before = soft_limit()

    def fail() -> None:
        with few_open_files(before + 1):
            assert soft_limit() == before
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert soft_limit() == before
