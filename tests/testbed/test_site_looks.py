"""Every page of the site in Debian's Chromium, on a phone and on a desk: nothing is wider than the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from testbed.site_server import SiteServer
from tests.harness.long_tests import only_long
from tests.testbed.built_site import build_site, needs_mkdocs
from tests.view.live.browser import chromium

pytestmark = [only_long, needs_mkdocs, pytest.mark.timeout(900)]

WIDTHS = (400, 1280)
DRAWN = "[...document.querySelectorAll('.mermaid')].every((one) => one.tagName === 'DIV')"
"""The theme replaces a diagram's text by a picture."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return folder


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    with SiteServer(site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.url
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window(browser: Any, site: Path, url: str, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    wide = []
    for file in sorted(site.rglob("*.html")):
        page.goto(f"{url}{file.relative_to(site)}", wait_until="domcontentloaded")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(str(file.relative_to(site)))
    assert wide == []


def test_diagrams_are_drawn(browser: Any, url: str) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{url}tutorial/first-run.html")
    page.wait_for_function(DRAWN, timeout=20_000)
