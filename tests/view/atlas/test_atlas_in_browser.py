"""The atlas in Debian's Chromium: maps, the runs behind a value, filters, both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.harness.long_tests import only_long
from tests.view.atlas.made_up_atlas import asymmetry, atlas
from tests.view.live.browser import until, window
from view.atlas.atlas_page import write_atlas

pytestmark = only_long


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas")
    return write_atlas(*atlas(folder), folder, "make reproduce PAPER=atlas")[0]


def value_of(page: Any, title: str) -> float:
    text: str = page.inner_text(f"button[title='{title}']")
    return float(text.replace("−", "-"))


def test_a_pair_is_shown_from_both_sides(browser: Any, page_file: Path) -> None:
    with window(browser, page_file.as_uri()) as page:
        expected = asymmetry("reno", "bbr") + 0.002
        assert value_of(page, "reno beside bbr") == pytest.approx(expected, abs=0.01)
        assert value_of(page, "bbr beside reno") == pytest.approx(-expected, abs=0.01)
        assert value_of(page, "reno beside reno") == 0.99
        sides = page.evaluate(
            "['reno beside bbr', 'bbr beside reno'].map((one) => document.querySelector(`button[title='${one}']`).style.backgroundColor)"
        )
        assert len(set(sides)) == 2


def test_four_against_one_is_the_mirror_of_one_against_four(browser: Any, page_file: Path) -> None:
    with window(browser, page_file.as_uri()) as page:
        page.select_option("label:has-text('connections') select", "1:4")
        assert page.query_selector("button[title='bbr beside cubic']") is None, "four of cubic beside one bbr were not measured"
        assert value_of(page, "bbr beside reno") == pytest.approx(-(asymmetry("reno", "bbr") + 0.002), abs=0.01)


def test_a_click_shows_the_runs(browser: Any, page_file: Path) -> None:
    with window(browser, page_file.as_uri()) as page:
        page.click("button[title='reno beside cubic']")
        until(page, "document.querySelector('#details .uplot')")
        said = page.inner_text("#details")
        assert "reno (A) beside cubic (B)" in said
        assert "CELL='pairs/buffer_bdp=1,rival=cubic,connections=1:1/reno-1'" in said
        page.click("summary")
        assert "reno2" in page.inner_text("#details details")


def test_both_themes_and_every_experiment(browser: Any, page_file: Path) -> None:
    for theme in ("light", "dark"):
        with window(browser, page_file.as_uri(), color_scheme=theme) as page:
            assert page.evaluate("document.documentElement.dataset.theme") == theme
            page.keyboard.press("t")
            assert page.evaluate("document.documentElement.dataset.theme") != theme
            page.select_option("label:has-text('shown') select", "same")
            assert value_of(page, "cubic: jain") == 0.99
