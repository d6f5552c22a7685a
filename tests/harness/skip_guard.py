"""Which tests may be skipped. Any other skip fails the session: install the missing part, or add the reason here."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator

import pytest

from virtual_time.kernel.missing import PROCESSOR

ALWAYS_ALLOWED = (
    "BMv2 is not installed",
    "p4c is not installed",
    "BMv2 has no access to registers over P4Runtime",
    "by the times of single packets, which BMv2 does not tell",
    "the clients are not installed",
    "Ray is not installed",
    "tshark is not installed",
    "JupyterLab is not installed",
    "MkDocs is not installed",
    "there is no browser",
    "man is not installed",
    "tmux is not installed",
    "mmdebstrap is not installed",
    r"qemu-\w+ is not installed",
    "this kernel starts no programs of other processors",
    r"Python 3\.\d+ is not installed",
)
"""Parts that a machine need not have: patterns of reasons."""

ALLOWED_WITHOUT_ROOT = ("not root", "need(s)? root")

ALLOWED_WITHOUT_USER_MODE_LINUX = ("no virtual time: there is no user-mode Linux for", "no user-mode kernel")
"""On processors for which there is none."""

OVERRIDE = "NODECTL_ALLOWED_SKIPS"
"""A pattern of further reasons, for a machine that is known to lack something: ``NODECTL_ALLOWED_SKIPS='BTF|MPTCP' make test``."""


def allowed_reasons(effective_uid: int, override: str, processor: str = PROCESSOR) -> re.Pattern[str]:
    """A pattern that finds every reason that is allowed for this user on this processor, with ``override`` (a pattern; "" is none)."""
    patterns = [
        *ALWAYS_ALLOWED,
        *(ALLOWED_WITHOUT_ROOT if effective_uid != 0 else ()),
        *(ALLOWED_WITHOUT_USER_MODE_LINUX if processor != PROCESSOR else ()),
        *([override] if override else ()),
    ]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def allowed_here() -> re.Pattern[str]:
    """The pattern for the user that runs the tests, and the environment.

    Raises:
        pytest.UsageError: the environment's pattern is none.
    """
    try:
        return allowed_reasons(os.geteuid(), os.environ.get(OVERRIDE, ""), platform.machine())
    except re.error as error:
        raise pytest.UsageError(f"{OVERRIDE} is no regular expression: {error}") from None


class SkipGuard:
    """A plugin: fails the session if a test or a file was skipped for a reason that ``allowed`` does not find, and names them."""

    def __init__(self, allowed: re.Pattern[str]) -> None:
        self.allowed = allowed
        self.unexpected: dict[str, list[str]] = {}
        """Names of tests or files by the reason."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._see(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._see(report)

    def _see(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = reason.removeprefix("Skipped: ")
        if not self.allowed.search(reason):
            self.unexpected.setdefault(reason, []).append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexpected and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        """Beneath pytest's own summary, whose skips can be hundreds of lines."""
        yield
        if not self.unexpected:
            return
        terminalreporter.section("unexpected skips")
        for line in described(self.unexpected.items()):
            terminalreporter.line(line)
        terminalreporter.line(
            f"FAILED: tests were skipped that should run. If this machine is known to lack it: {OVERRIDE}=PATTERN", red=True
        )


def described(unexpected: Iterable[tuple[str, list[str]]]) -> list[str]:
    """For each reason how many were skipped, and the files they are in."""
    return [
        f"{len(names)} skipped in {', '.join(sorted({name.partition('::')[0] for name in names}))}: {reason}"
        for reason, names in unexpected
    ]
