"""Skips that nobody expects fail the session; those of a machine without root or without what is optional do not."""

from __future__ import annotations

import pytest

from tests.harness.skip_guard import allowed_reasons

pytest_plugins = "pytester"

CONFTEST = """
from tests.harness.skip_guard import SkipGuard, allowed_reasons

def pytest_configure(config):
    config.pluginmanager.register(SkipGuard(allowed_reasons(0, "")))
"""


def session(pytester: pytest.Pytester, tests: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("import pytest\n" + tests)
    return pytester.runpytest_inprocess("-raR")


def test_an_unexpected_skip_fails_the_session_and_is_named(pytester: pytest.Pytester) -> None:
    tests = "def test_well(): pass\n@pytest.mark.parametrize('n', [1, 2])\ndef test_bpf(n): pytest.skip('a kernel without BTF')\n"
    result = session(pytester, tests)
    result.assert_outcomes(passed=1, skipped=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*unexpected skips*", "2 skipped in *.py: a kernel without BTF", "FAILED: *NODECTL_ALLOWED_SKIPS=*"])


def test_a_file_and_a_mark_are_seen_as_well(pytester: pytest.Pytester) -> None:
    result = session(pytester, "pytestmark = pytest.mark.skipif(True, reason='iperf3 is not installed')\ndef test_it(): pass\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["1 skipped in *.py: iperf3 is not installed"])
    result = session(pytester, "pytest.skip('nothing of it', allow_module_level=True)\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["1 skipped in *.py: nothing of it"])


def test_expected_skips_pass(pytester: pytest.Pytester) -> None:
    result = session(pytester, "def test_bmv2(): pytest.skip('BMv2 is not installed (no simple_switch_grpc on PATH)')\n")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(skipped=1)
    result.stdout.no_fnmatch_line("*unexpected skips*")


@pytest.mark.parametrize(
    ("reason", "effective_uid", "override", "is_allowed"),
    [
        ("not root: interfaces are NOT tested", 0, "", False),
        ("not root: interfaces are NOT tested", 1000, "", True),
        ("veth interfaces need root", 1000, "", True),
        ("a kernel without MPTCP: coupling is NOT tested", 1000, "", False),
        ("a kernel without MPTCP: coupling is NOT tested", 0, "BTF|MPTCP", True),
        ("p4c is not installed (no p4c-bm2-ss on PATH)", 0, "", True),
        ("the embedded toolchain is not built (p4sim is missing): run `make setup`", 0, "BTF|MPTCP", False),
    ],
)
def test_reasons(reason: str, effective_uid: int, override: str, is_allowed: bool) -> None:
    assert bool(allowed_reasons(effective_uid, override).search(reason)) == is_allowed


@pytest.mark.parametrize(("processor", "is_allowed"), [("aarch64", True), ("x86_64", False)])
@pytest.mark.parametrize(
    "reason",
    [
        "no virtual time: there is no user-mode Linux for aarch64 processors",
        "no user-mode kernel (build/kernel/*/objects): the congestion controls are NOT tested as modules",
    ],
)
def test_reasons_of_processors(reason: str, processor: str, is_allowed: bool) -> None:
    assert bool(allowed_reasons(0, "", processor).search(reason)) == is_allowed
