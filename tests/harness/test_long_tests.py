"""Long tests are left out of a session that has not asked for them."""

from __future__ import annotations

import pytest

from tests.harness.long_tests import LongTests

pytest_plugins = ["pytester"]

TESTS = """
import pytest

@pytest.mark.long
def test_long():
    pass

@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.long)])
def test_short(size):
    pass
"""


@pytest.mark.parametrize(("wanted", "passed", "deselected"), [(False, 1, 2), (True, 3, 0)])
def test_they_run_when_asked_for(pytester: pytest.Pytester, wanted: bool, passed: int, deselected: int) -> None:
    pytester.makeini("[pytest]\nmarkers = long: takes long")
    pytester.makepyfile(TESTS)
    result = pytester.inline_run("-p", "no:cacheprovider", plugins=[LongTests(wanted)])
    assert len(result.listoutcomes()[0]) == passed
    assert sum(len(call.items) for call in result.getcalls("pytest_deselected")) == deselected
