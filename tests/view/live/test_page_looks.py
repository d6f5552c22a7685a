"""The look of the page in Debian's Chromium: on narrow and wide screens, and the content of its charts and its network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.long_tests import only_long
from tests.view.live.browser import until, window
from tests.view.live.page_server import PageServer, serving
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell, mesh
from view.live.export import export

pytestmark = only_long

BOTTLENECK = "s1-s2"
LONG_NAMES = dumbbell(["nodectl"], duration_s=30).replace('"A"', '"the-longest-name"').replace('"B"', '"not-so-long-here"')
DROPS = 40
"""In each step of 10 ms: 200 in a bin, where at most 10 packets wait."""

WIDTHS = (320, 390, 599, 600, 740, 741, 768, 900, 1080, 1081, 1280, 1920)
NARROW = 740
ONE_LINE = 56
INSIDE = """
    (place) => {
      const whole = place.querySelector('svg').getBoundingClientRect();
      return [...place.querySelectorAll('text')].filter((one) => one.textContent).filter((one) => {
        const box = one.getBoundingClientRect();
        return box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
      }).map((one) => one.textContent);
    }
"""
COLOURS = """
    ({chart, from, to, value}) => {
      const {plot} = page.charts[chart];
      const [left, right] = [from, to].map((time) => plot.valToPos(time, 'x', true));
      const middle = plot.valToPos(value, 'y', true);
      const {data} = plot.ctx.getImageData(left, middle - 2, right - left, 4);
      const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
      const wanted = plot.series.slice(1).map((one) => parts(one.stroke(plot)));
      const counts = wanted.map(() => 0);
      for (let at = 0; at < data.length; at += 4)
        wanted.forEach((one, number) => { if (one.every((part, of) => Math.abs(part - data[at + of]) < 24)) counts[number]++; });
      return counts;
    }
"""
"""How many dots of a stretch at a height have the colour of each curve."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SyntheticRun:
    made = SyntheticRun(tmp_path_factory.mktemp("runs") / "run", dumbbell(["nodectl", "cubic"]), dropped=DROPS).whole()
    for name in ("A", "B", "C"):
        made.say(made.cells[0], 6.01, f"s1 port 4: {name} finished, 12.0 Mbit/s free again")
    return made


@pytest.fixture(scope="module")
def server(run: SyntheticRun) -> Iterator[PageServer]:
    with serving("replay", run.folder) as found:
        yield found


def ready(page: Any, time_s: float, scheme: str = "") -> None:
    """The page shows a moment of a scheme's finished run, and stands."""
    until(page, "window.page && page.run.isOver")
    page.evaluate("page.clock.isPlaying = false")
    if scheme:
        page.evaluate(f"page.chooseCell([...page.run.cells.values()].find((cell) => cell.scheme === '{scheme}').key)")
    page.evaluate(f"page.go({time_s})")
    until(page, f"Math.abs(parseFloat(document.getElementById('time').textContent) - {time_s}) < 0.011")
    drawn(page)


def drawn(page: Any) -> None:
    """Two more pictures have been shown: all that was changed is seen."""
    frames = page.evaluate("page.frames")
    until(page, f"page.frames > {frames + 2}")


def sized(page: Any, width: int, height: int = 844) -> None:
    """The window has another size, and the charts have followed."""
    page.set_viewport_size({"width": width, "height": height})
    drawn(page)


def box(page: Any, selector: str) -> dict[str, float]:
    found = page.locator(selector).bounding_box()
    assert isinstance(found, dict), f"{selector} is not shown"
    return found


def sentence(page: Any) -> str:
    return str(page.text_content("#shares .note"))


def until_drawn_in(page: Any, link: str, colour: str) -> None:
    """A link changes its colour within a moment."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    until(page, f"getComputedStyle(page.topology.links.get('{link}').line).stroke === 'rgb({red}, {green}, {blue})'")


def test_nothing_is_wider_than_the_screen(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        for scheme in ("nodectl", "cubic"):
            ready(page, 5.0, scheme)
            wide = []
            for width in WIDTHS:
                sized(page, width)
                seen = page.evaluate("document.documentElement.scrollWidth")
                if seen > width:
                    wide.append((width, seen))
            assert wide == []


def test_a_narrow_screen_is_one_column(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0)
        for width in [one for one in WIDTHS if one <= NARROW]:
            sized(page, width)
            header, title, menu = box(page, "header"), box(page, "#title"), box(page, "#menu-button")
            assert header["height"] <= ONE_LINE
            assert title["x"] + title["width"] <= menu["x"] + 1
            assert page.is_hidden("#cells")
            assert page.text_content("#menu-button").split() == ["nodectl", "☰"]
            charts, network, details = box(page, "#charts"), box(page, "#topology"), box(page, "#details")
            assert charts["y"] < network["y"] < details["y"]
            slider = box(page, "#slider")
            assert slider["width"] >= width - 30
            place, picture = (
                box(page, "#network"),
                page.evaluate("(() => { const box = page.topology.root.getBBox(); return box.height / box.width; })()"),
            )
            assert place["height"] == pytest.approx(min(width - 28, box(page, ".network")["width"]) * picture, rel=0.12), (
                "no more than it needs"
            )
            borders = page.evaluate(
                "['topology', 'charts', 'details'].map((id) => getComputedStyle(document.getElementById(id)))"
                ".map((one) => [one.borderLeftWidth, one.borderRightWidth]).flat()"
            )
            assert set(borders) == {"0px"}
            assert page.evaluate("getComputedStyle(document.getElementById('charts')).borderTopWidth") == "0px"


def test_the_menu_of_a_narrow_screen(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0)
        sized(page, 390)
        page.click("#menu-button")
        assert page.get_attribute("#menu-button", "aria-expanded") == "true"
        assert all(page.is_visible(one) for one in ("#save-svg", "#save-png", "#save-html", "#theme", "#help", "#state"))
        assert box(page, "#menu")["x"] >= 0
        page.click("#cells button >> nth=1")
        assert page.is_hidden("#menu")
        assert page.text_content("#menu-scheme") == "cubic"
        assert page.evaluate("page.cell.scheme") == "cubic"
        page.click("#menu-button")
        page.click("#queue-title")
        assert page.is_hidden("#menu")


def test_a_wide_screen_shows_all_at_once(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0)
        for width, height in ((768, 1024), (1280, 800), (1920, 1080)):
            sized(page, width, height)
            assert page.is_hidden("#menu-button")
            assert page.is_visible("#cells")
            assert page.evaluate("document.documentElement.scrollHeight") == height
            buttons, title = box(page, "#save-svg"), box(page, "#title")
            assert abs(buttons["y"] + buttons["height"] / 2 - title["y"] - title["height"] / 2) < 4, "one line"
        sized(page, 844, 390)  # a telephone that lies on its side
        assert page.is_visible("#menu-button")
        assert box(page, "#rates")["height"] > 150


def test_no_label_is_cut(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", LONG_NAMES).whole()
    with window(browser, export(run.folder, tmp_path / "run.html").as_uri(), offline=True) as page:
        ready(page, 5.0)
        for width in WIDTHS:
            sized(page, width)
            assert page.locator("#network").evaluate(INSIDE) == []
            for chart in ("ratesChart", "queueChart"):
                room, wanted = page.evaluate(
                    f"(() => {{ const {{plot}} = page.charts.{chart}; const {{ctx}} = plot;"
                    " ctx.font = `${11 * devicePixelRatio}px system-ui`;"
                    " return [ctx.canvas.width - plot.valToPos(30, 'x', true), ctx.measureText('30 s').width / 2]; })()"
                )
                assert room >= wanted, f"'30 s' is cut at {width}"


def test_lanes_begin_together_whatever_the_names(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", LONG_NAMES).whole()
    with window(browser, export(run.folder, tmp_path / "run.html").as_uri(), offline=True) as page:
        ready(page, 5.0)
        lanes = page.evaluate("[...document.querySelectorAll('#shares .lane')].map((one) => Math.round(one.getBoundingClientRect().left))")
        assert len(lanes) == 3
        assert len(set(lanes)) == 1


def test_drops_have_an_axis_of_their_own(browser: Any, server: PageServer) -> None:
    scales = "(({queueChart: {plot}}) => [plot.scales.y.max, plot.scales.right.max, plot.axes.length])(page.charts)"
    with window(browser, server.url) as page:
        ready(page, 5.0, "cubic")
        queue, drops, axes = page.evaluate(scales)
        assert queue == pytest.approx(10 * 1.06), "200 drops do not flatten a queue of 10"
        assert drops == pytest.approx(5 * DROPS * 1.06, rel=0.25)
        assert axes == 3
        assert "dropped" in page.text_content("#queue-title")
        edges = page.evaluate(
            "['ratesChart', 'queueChart'].map((one) => page.charts[one].plot.bbox).map((one) => [one.left, one.width]).flat()"
        )
        assert edges[:2] == edges[2:], "the times of both are below each other"
        ready(page, 5.0, "nodectl")
        assert page.evaluate(scales)[2] == 2
        assert "dropped" not in page.text_content("#queue-title")


def test_red_are_links_that_lose_packets(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0, "nodectl")
        red = page.evaluate("page.theme.ground('dropped')")
        full = page.evaluate("page.theme.load.at(-1)")
        assert full != red
        assert page.evaluate(f"page.cell.rate('{BOTTLENECK}', 5)") == pytest.approx(36, rel=0.02)
        until_drawn_in(page, BOTTLENECK, full)
        ready(page, 1.0, "cubic")  # one alone loses nothing
        until_drawn_in(page, BOTTLENECK, full)
        page.evaluate("page.go(5)")
        until_drawn_in(page, BOTTLENECK, red)
        assert f"{100 * DROPS} dropped in the last second" in page.get_attribute(f"[data-link='{BOTTLENECK}']", "aria-label")
        page.keyboard.press("t")
        in_the_other_theme = page.evaluate("page.theme.ground('dropped')")
        assert in_the_other_theme != red
        until_drawn_in(page, BOTTLENECK, in_the_other_theme)


def test_equal_curves_are_all_seen(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 6.0, "nodectl")
        two = page.evaluate(COLOURS, {"chart": "ratesChart", "from": 2.3, "to": 3.8, "value": 18})
        assert two[2] == 0
        assert min(two[:2]) > 0.3 * max(two[:2]), two
        three = page.evaluate(COLOURS, {"chart": "ratesChart", "from": 4.3, "to": 5.8, "value": 12})
        assert min(three) > 0.3 * max(three), three
        page.click("#names button >> nth=1")
        drawn(page)
        alone = page.evaluate(COLOURS, {"chart": "ratesChart", "from": 4.3, "to": 5.8, "value": 12})
        assert alone[0] == alone[2] == 0
        assert alone[1] > 0
        page.click("#names button >> nth=1")
        page.hover("#rates .u-over", position={"x": box(page, "#rates .u-over")["width"] * 0.8, "y": 20})
        assert page.text_content("#rates .tip").startswith("A, B, C 12.0 Mbit/s at ")


def test_where_curves_coincide(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:

        def found(*curves: list[float | None]) -> list[tuple[int, int, list[int]]]:
            told = page.evaluate("async (curves) => (await import('live/equal')).coinciding(curves, 1.5)", list(curves))
            return [(one["from"], one["to"], one["members"]) for one in told]

        assert found() == []
        assert found([1, 1, 1]) == []
        assert found([1, 1, 1], [9, 9, 9]) == []
        assert found([1, 1, 1], [1, 2, 2.4]) == [(0, 2, [0, 1])]
        assert found([1, 1, 1, 1], [1, 1, 9, 9]) == [(0, 1, [0, 1])]
        assert found([None, 1, 1], [1, 1, 1]) == [(1, 2, [0, 1])]
        assert found([1, 1, 1, 9, 1, 1], [1, 1, 1, 1, 1, 1]) == [(0, 2, [0, 1]), (4, 5, [0, 1])]
        assert found([5, 5, 5], [5, 5, 5], [8, 5, 5]) == [(0, 1, [0, 1]), (1, 2, [0, 1, 2])]
        assert found([1, 1], [9, 9], [1, 1], [9, 9]) == [(0, 1, [0, 2]), (0, 1, [1, 3])]
        assert found([1, 9], [1, 1]) == [], "they only cross"


def test_curves_begin_with_their_transmissions(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0, "nodectl")
        first = page.evaluate("page.charts.ratesChart.plot.data.slice(1).map((curve) => curve.findIndex((rate) => rate !== null))")
        assert first == [0, 40, 80], "bins of 50 ms before 0, 2 and 4 s"


def test_without_a_controller_the_senders_are_seen(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0, "cubic")
        assert page.is_hidden("#words")
        assert page.is_visible("#rtt canvas")
        assert page.is_visible("#window canvas")
        assert page.evaluate("page.charts.senderCharts.rtt_ms.plot.data[1][100]") == 61
        assert page.evaluate("page.charts.senderCharts.window.plot.data[3][100]") == 20
        assert page.evaluate("page.charts.senderCharts.window.plot.data[3][10]") is None
        assert box(page, "#rtt .u-over")["x"] == pytest.approx(box(page, "#rates .u-over")["x"], abs=1), "one time axis for all"
        assert box(page, "#window .u-over")["width"] == pytest.approx(box(page, "#queue .u-over")["width"], abs=1)
        page.keyboard.press("w")
        assert page.is_visible("#words")
        assert page.is_hidden("#senders")
        page.keyboard.press("w")
        ready(page, 5.0, "nodectl")
        assert page.is_visible("#rtt canvas"), "what was chosen stays"


def test_with_a_controller_its_words_are_seen_first(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0, "nodectl")
        assert page.is_visible("#words")
        assert page.is_hidden("#senders")
        page.click("#tab-senders")
        assert page.is_visible("#rtt canvas")
        assert page.evaluate("document.querySelectorAll('#words .here').length") == 6, "three came, three went"


def test_the_list_stays_at_the_end(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        ready(page, 5.0, "nodectl")
        page.keyboard.press("End")
        drawn(page)
        assert page.text_content("#time") == "6.00 s"
        assert page.evaluate("[...document.querySelectorAll('#shares .who')].map((one) => one.textContent).join()") == "A,B,C"
        assert page.text_content("#shares .head") == "3 transmissions on the list, 36.0 of 36.0 Mbit/s"
        assert sentence(page).startswith("At the end of the run; the last change was at 4.0")
        assert page.evaluate("document.querySelectorAll('#words .later').length") == 0, "that they have finished is told"
        until_drawn_in(page, BOTTLENECK, page.evaluate("page.theme.load.at(-1)"))


def test_many_transmissions_are_added_by_sender(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", mesh(transmissions=64, duration_s=5))
    run.begin(run.cells[0])
    run.grow(run.cells[0], 5)
    run.finish(run.cells[0])
    with window(browser, export(run.folder, tmp_path / "run.html").as_uri(), offline=True) as page:
        ready(page, 4.0)
        assert page.evaluate("page.cell.names") == [f"h{number}" for number in range(16)]
        assert page.evaluate("page.cell.number('t16') === page.cell.number('t0') && page.cell.number('t1') === 1")
        assert "64 transmissions, added by sender" in page.text_content("#rates-title")
        assert page.evaluate("page.charts.ratesChart.plot.data[1].at(-2)") == pytest.approx(8, rel=0.05), "four of 2 Mbit/s"
        page.click("#tab-senders")
        assert page.is_visible("#under-way canvas")
        assert page.evaluate("page.charts.underWayChart.plot.data[1].at(-1)") == 64
        assert page.evaluate("document.querySelectorAll('#ticks span').length") == 0


def test_what_is_said_of_a_port(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["cubic", "nodectl", "rcp"]))
    with serving("live", run.folder) as server, window(browser, server.url) as page:
        until(page, "window.page && page.cell")
        drawn(page)
        assert sentence(page) == "cubic has not begun yet."
        run.begin(run.cells[0])
        run.grow(run.cells[0], 1.0)
        until(page, "page.cell.end > 0.9")
        drawn(page)
        assert sentence(page) == "Nobody hands out this port's bandwidth: the bars are what each takes."
        assert page.text_content("#senders-note") == "No sender has recorded its round-trip time and window yet."
        page.keyboard.press("2")
        drawn(page)
        assert sentence(page) == "nodectl has not begun yet."
        assert page.text_content("#state").startswith("not begun yet")
        run.begin(run.cells[1])
        until(page, "page.cell.begun")
        drawn(page)
        assert sentence(page) == "Nobody has asked for this port's bandwidth: the bars are what each takes."
        run.grow(run.cells[1], 1.0)
        until(page, "page.cell.words.length > 0")
        until(page, "document.querySelector('#shares .note').textContent.includes('A admitted at 36.0 Mbit/s')")
        page.evaluate("page.chooseLink('s2-s1')")
        drawn(page)
        assert sentence(page).startswith("Nobody has asked for this port's bandwidth:")
        page.keyboard.press("3")
        run.begin(run.cells[2])
        run.grow(run.cells[2], 1.0)
        until(page, "page.cell.end > 0.9")
        drawn(page)
        assert sentence(page).startswith("The switches tell every sender a rate and keep no list:")


def test_live_follows_from_scheme_to_scheme(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["nodectl", "reno", "cubic", "bbr"], duration_s=3, apart_s=1))
    first, second, third, fourth = run.cells
    with serving("live", run.folder) as server, window(browser, server.url) as page:
        run.begin(first)
        run.grow(first, 1.0)
        until(page, "window.page && page.cell?.scheme === 'nodectl' && page.cell.end > 0.9")
        run.begin(second)  # side by side, as on two processors
        run.grow(second, 0.5)
        until(page, "document.querySelectorAll('#cells [data-state=live]').length === 2")
        assert page.evaluate("page.cell.scheme") == "nodectl", "it is not over yet"
        run.grow(first, 3.0)
        run.finish(first)
        until(page, "page.cell.scheme === 'reno' && page.clock.isFollowing")
        assert page.get_attribute("#state", "data-state") == "live"
        run.grow(second, 3.0)
        run.finish(second)
        until(page, "page.cell.isOver")
        run.begin(third)
        run.grow(third, 1.0)
        until(page, "page.cell.scheme === 'cubic' && page.clock.isFollowing")
        # After a choice by hand the page stays, until a key asks for the running scheme.
        page.keyboard.press("1")
        assert page.is_visible("#live")
        run.grow(third, 3.0)
        run.finish(third)
        run.begin(fourth)
        run.grow(fourth, 1.0)
        until(page, "page.run.growing?.scheme === 'bbr'")
        page.wait_for_timeout(2000)
        assert page.evaluate("page.cell.scheme") == "nodectl"
        page.keyboard.press("l")
        until(page, "page.cell.scheme === 'bbr' && page.clock.isFollowing")
        run.grow(fourth, 3.0)
        run.finish(fourth)
        until(page, "page.run.isOver && document.getElementById('state').dataset.state === 'over'")
        assert page.evaluate("page.cell.scheme") == "bbr"
        assert page.is_hidden("#live")


def test_a_page_opened_in_the_middle_shows_what_goes_on(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["nodectl", "reno"], duration_s=3, apart_s=1))
    first, second = run.cells
    run.begin(first)
    run.grow(first, 3.0)
    run.finish(first)
    run.begin(second)
    run.grow(second, 1.0)
    with serving("live", run.folder) as server, window(browser, server.url) as page:
        until(page, "window.page && page.cell?.scheme === 'reno' && page.clock.isFollowing")
        until(page, "page.charts.senderCharts.rtt_ms.plot?.data[1].filter((value) => value === 61).length >= 18")
        assert page.is_visible("#rtt canvas")


def test_a_finished_run_stays_where_it_begins(browser: Any, server: PageServer) -> None:
    with window(browser, server.url) as page:
        until(page, "window.page && page.run.isOver && page.clock.time > 2.5")
        assert page.evaluate("page.cell.scheme") == "nodectl"
        assert page.evaluate("page.clock.isPlaying") is True
