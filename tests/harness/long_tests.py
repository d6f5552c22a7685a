"""Tests that take long run only when they are asked for, with NODECTL_LONG_TESTS=1."""

from __future__ import annotations

import os

import pytest

LONG = os.environ.get("NODECTL_LONG_TESTS", "") not in ("", "0")
"""Whether they are asked for."""


def examples(number: int) -> int:
    """How many random examples a test draws: this many where long tests are asked for, else half."""
    return number if LONG else number // 2


only_long = pytest.mark.skipif(not LONG, reason="long: only with NODECTL_LONG_TESTS=1")
