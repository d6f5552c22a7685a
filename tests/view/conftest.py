"""The browser of the tests that look at pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.view.live.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium; a test without one is skipped."""
    with chromium() as found:
        yield found
