"""Debian's Chromium, for tests that look at the page as people do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.harness.waiting import wait_for

LIMIT_S = 60.0
EVERY_S = 0.02
SIZE = {"width": 1440, "height": 900}


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser (playwright.sync_api.Browser); skips where there is none."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no browser: Debian's chromium is not installed (make browser)")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        pytest.skip("there is no browser: playwright is not installed (make browser)")
    with sync_playwright() as playwright:
        # The sandbox needs what containers do not give; the only page is our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(browser: Any, url: str, *, expected: str = "", **context: Any) -> Iterator[Any]:
    """A window on a page (playwright.sync_api.Page); errors in its scripts fail the test, but those with the ``expected`` words."""
    opened = browser.new_context(viewport=SIZE, accept_downloads=True, **context)
    page = opened.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(url)
    try:
        yield page
    finally:
        opened.close()
    assert [error for error in errors if not expected or expected not in error] == []


def until(page: Any, condition: str) -> None:
    """Wait for a condition in JavaScript. (The page's content security policy forbids what Playwright's own waiting does.)"""
    wait_for(condition, lambda: page.evaluate(f"Boolean({condition})"), LIMIT_S, EVERY_S)
