"""The plugin that gives tests which depend on real time a second run, in sessions of their own."""

from __future__ import annotations

import pytest

pytest_plugins = "pytester"

CONFTEST = """
from tests.harness.rerun_budget import RerunBudget

def pytest_configure(config):
    config.addinivalue_line("markers", "real_time: depends on real time")
    config.pluginmanager.register(RerunBudget(budget=1))
"""

PREPARED = """
import pytest

failed = set()

def fail_once(name):
    if name not in failed:
        failed.add(name)
        raise AssertionError(name)
"""
"""Code that the tests of a session may use."""


def session(pytester: pytest.Pytester, tests: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(PREPARED + tests)
    return pytester.runpytest_inprocess("--strict-markers")


def test_a_second_run_is_counted_and_named(pytester: pytest.Pytester) -> None:
    result = session(pytester, "@pytest.mark.real_time\ndef test_late(): fail_once('late')\n")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*second runs of tests that depend on real time*", "*::test_late: AssertionError: late", "second runs: 1; allowed in a session: 1"]
    )


def test_more_than_the_budget_fails_the_session(pytester: pytest.Pytester) -> None:
    tests = "@pytest.mark.real_time\n@pytest.mark.parametrize('name', 'ab')\ndef test_late(name): fail_once(name)\n"
    result = session(pytester, tests)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*::test_late?a?: *", "*::test_late?b?: *", "FAILED: second runs: 2; allowed in a session: 1"])


def test_what_fails_twice_has_failed(pytester: pytest.Pytester) -> None:
    result = session(pytester, "@pytest.mark.real_time\ndef test_wrong(): assert False\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)


def test_other_tests_have_one_run(pytester: pytest.Pytester) -> None:
    result = session(pytester, "def test_pure(): fail_once('pure')\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*second runs*")


def test_the_mark_of_the_plugin_beneath_is_refused(pytester: pytest.Pytester) -> None:
    result = session(pytester, "@pytest.mark.flaky(reruns=9)\ndef test_pure(): pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_pure is marked flaky: mark it real_time*"])
