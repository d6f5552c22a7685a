"""Tests that take long run only when they are asked for, with NODECTL_LONG_TESTS=1; else they are not collected, and a line says so."""

from __future__ import annotations

import os

import pytest

LONG = os.environ.get("NODECTL_LONG_TESTS", "") not in ("", "0")
"""Whether they are asked for."""

only_long = pytest.mark.long


def examples(number: int) -> int:
    """How many random examples a test draws: this many where long tests are asked for, else a quarter."""
    return number if LONG else number // 4


class LongTests:
    """Leaves long tests out of a session.

    Args:
        wanted: they are asked for.
    """

    def __init__(self, wanted: bool = LONG) -> None:
        self._wanted = wanted

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect them."""
        if self._wanted:
            return
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]

    def pytest_report_header(self) -> list[str]:
        """Say so."""
        return [] if self._wanted else ["tests that take long are not collected: NODECTL_LONG_TESTS=1 runs them too"]
