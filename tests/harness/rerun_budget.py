"""Tests that depend on real time may run a second time. How often that was needed is told, and too often fails the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from common.time_mode import is_virtual_time

BUDGET = 5
"""Tests in one session that may need their second run. A machine stands still now and then; more than that is a fault of the tests."""


class RerunBudget:
    """A plugin: gives each test marked ``real_time`` a second run, and no other; counts and names the second runs."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self.repeated: dict[str, str] = {}
        """Why the first run failed, by the test's name."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if item.get_closest_marker("flaky") is not None:
                raise pytest.UsageError(f"{item.nodeid} is marked flaky: mark it real_time if it depends on real time, and else mend it")
            # In virtual time, a test that failed fails again.
            if item.get_closest_marker("real_time") is not None and not is_virtual_time():
                item.add_marker(pytest.mark.flaky(reruns=1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome: str = report.outcome
        if outcome == "rerun":
            self.repeated[report.nodeid] = first_line(report.longrepr)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if len(self.repeated) > self.budget and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        """Beneath pytest's own summary, whose skips can be hundreds of lines."""
        yield
        if not self.repeated:
            return
        is_exceeded = len(self.repeated) > self.budget
        terminalreporter.section("second runs of tests that depend on real time")
        for name, why in self.repeated.items():
            terminalreporter.line(f"{name}: {why}")
        verdict = f"second runs: {len(self.repeated)}; allowed in a session: {self.budget}"
        terminalreporter.line(f"FAILED: {verdict}" if is_exceeded else verdict, red=is_exceeded)


def first_line(failure: object) -> str:
    """The first line of a failure as pytest has it."""
    crash = getattr(failure, "reprcrash", None)
    text = crash.message if crash is not None else str(failure)
    return next(iter(text.splitlines()), "")
