"""The panel of a program of one's own in Debian's Chromium: tables with hits, counters, registers; at any time of the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.long_tests import only_long
from tests.view.live.browser import until, window
from tests.view.live.page_server import PageServer, serving
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell
from tests.view.recording.synthetic_state import SHOWN, add_state, lpm, tell
from view.live.export import export

pytestmark = only_long

WIDTHS = (320, 599, 741, 1280)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SyntheticRun:
    made = SyntheticRun(tmp_path_factory.mktemp("runs") / "run", dumbbell(["cubic"]))
    add_state(made)
    return made.whole()


@pytest.fixture(scope="module")
def server(run: SyntheticRun) -> Iterator[PageServer]:
    with serving("replay", run.folder) as found:
        yield found


def at(page: Any, time_s: float) -> None:
    until(page, "window.page && page.run.isOver")
    page.evaluate(f"page.clock.isPlaying = false; page.go({time_s})")
    until(page, f"page.tables.at === {time_s}")


def rows(page: Any, number: int) -> list[list[str]]:
    """Texts of the cells of a table of the panel."""
    found: list[list[str]] = page.evaluate(
        f"[...document.querySelectorAll('#program .kept table')[{number}].tBodies[0].rows]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return found


def test_entries_with_hits_and_hits_a_second(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        at(page, 3.2)
        assert page.get_attribute("#tab-program", "aria-selected") == "true", "nobody hands out bandwidth here"
        assert page.text_content("#program-tables caption >> nth=0") == "ipv4_lpm 2 entries of 1 024, 333 hits"
        assert page.text_content("#program-tables th >> nth=0") == "dstAddr lpm"
        assert rows(page, 0) == [
            ["10.0.1.0/24", "MyIngress.forward(port=1)", "303", "100"],
            ["10.0.2.0/24", "MyIngress.forward(port=2)", "30", "10"],
            ["no entry", "MyIngress.drop()", "1", ""],
        ]
        at(page, 0.0)
        assert [row[2] for row in rows(page, 0)] == ["3", "0", "1"], "as it was before the run"


def test_of_a_large_table_those_with_most_hits(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        at(page, 2.0)
        found = rows(page, 1)
        assert len(found) == SHOWN + 1
        assert found[0] == ["10.1.30.0 &&& 0xffffff00", "80 .. 90", "7", "MyIngress.count()", "500", ""]
        assert page.text_content("#program-tables .more:visible") == "39 975 more entries; these have most hits"


def test_counters_and_registers(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        at(page, 2.0)
        assert page.text_content("#program-arrays caption >> nth=0") == "sent counter, 16 cells"
        assert rows(page, 2) == [["2", "3", "300"]]
        assert len(rows(page, 3)) == 32
        assert rows(page, 3)[1] == ["2", "8"]
        assert page.text_content("#program-arrays .more:visible") == "8 others are not 0. Only the first 65 536 cells are looked at."
        page.click("#program-switches button:has-text('s2')")
        until(page, "document.getElementById('program-arrays').textContent === 'no counters and no registers'")


def test_it_grows_with_the_run(browser: Any, tmp_path: Path) -> None:
    with serving("live", tmp_path / "run") as server, window(browser, server.url) as page:
        run = SyntheticRun(tmp_path / "run", dumbbell(["cubic"]))
        run.begin(run.cells[0])
        run.grow(run.cells[0], 1.0)
        until(page, "window.page && page.cell && page.cell.begun")
        assert page.query_selector("#tab-program:visible") is None, "the program is the testbed's"
        add_state(run)
        run.grow(run.cells[0], 5.0)
        until(page, "page.clock.time > 4 && document.querySelector('#program .otherwise')")
        tell(run, 5.6, tables=[lpm((9000, 5), misses=1)])
        run.grow(run.cells[0], 6.0)
        until(page, "document.getElementById('program-tables').textContent.includes('9 000')")


def test_it_is_chosen_by_key_and_by_hand(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        at(page, 2.0)
        for key, shown in (("a", "list"), ("k", "packets"), ("d", "program")):
            page.keyboard.press(key)
            assert [one for one in ("list", "packets", "program") if page.query_selector(f"#{one}:visible")] == [shown]
        page.click("#tab-list")
        assert page.query_selector("#shares:visible") is not None


def test_it_fits_on_all_screens_light_and_dark(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        at(page, 3.2)
        for theme in ("light", "dark"):
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 844})
                frames = page.evaluate("page.frames")
                until(page, f"page.frames > {frames + 2}")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{theme}, {width}"
                box = page.locator("#program-tables").bounding_box()
                assert box["width"] > 100, f"{theme}, {width}"
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width + 1
            page.evaluate("page.toggleTheme()")


def test_it_is_in_the_exported_file(browser: Any, run: SyntheticRun, tmp_path: Path) -> None:
    file = export(run.folder, tmp_path / "run.html")
    with window(browser, file.as_uri(), offline=True) as page:
        at(page, 3.2)
        assert rows(page, 0)[0][2:] == ["303", "100"]
