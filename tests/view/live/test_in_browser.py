"""The page in Debian's Chromium: a run watched from start to end, replayed, followed packet by packet, saved."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.harness.long_tests import only_long
from tests.view.live.browser import until, window
from tests.view.live.page_server import serving
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell, mesh
from tests.view.recording.synthetic_trace import add_trace
from view.live.export import export

pytestmark = only_long

SEEN_WITHIN_S = 1.0
FRAMES_A_SECOND = 30
FRAMES = 60
MOST_EXPORTED_BYTES = 5_000_000
SERVER_SHARE = 0.02


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> SyntheticRun:
    run = SyntheticRun(tmp_path_factory.mktemp("runs") / "run", dumbbell(["nodectl", "cubic"]))
    add_trace(run)
    add_trace(run, number=2, at_s=0.6, identification=8)
    return run.whole()


def ready(page: Any) -> None:
    until(page, "window.page && page.run.isOver")
    page.evaluate("page.clock.isPlaying = false")


def on_list(page: Any) -> list[str]:
    return [row.text_content() for row in page.query_selector_all("#shares .row:not([data-change=gone]) .who")]


def at_time(page: Any, time_s: float) -> None:
    page.evaluate(f"page.go({time_s})")
    until(page, f"Math.abs(parseFloat(document.getElementById('time').textContent) - {time_s}) < 0.011")


def test_a_run_is_watched_from_start_to_end(browser: Any, tmp_path: Path) -> None:
    with serving("live", tmp_path / "run") as server, window(browser, server.url) as page:
        assert page.text_content("#title") == "Waiting for the run"
        run = SyntheticRun(tmp_path / "run", dumbbell())
        cell = run.cells[0]
        until(page, "document.title === 'Made up'")
        run.begin(cell)
        run.grow(cell, 1.9)
        until(page, "page.cell.end > 1.8 && page.clock.isFollowing")
        assert page.get_attribute("#state", "data-state") == "live"
        until(page, "document.querySelectorAll('#shares .row').length === 1")
        seen_s = []
        for until_s in (2.3, 4.3):
            until(page, "page.clock.time > page.cell.end - 0.5")
            names = len(on_list(page))
            run.grow(cell, until_s)
            recorded_s = time.monotonic()
            until(page, f"page.cell.words.filter((one) => one.at === 's1-s2').length > {names}")
            seen_s.append(time.monotonic() - recorded_s)
            until(page, f"document.querySelectorAll('#shares .row').length > {names}")
        assert on_list(page) == ["A", "B", "C"]
        assert "reduced from 18" in page.text_content("#shares")
        run.grow(cell, 6)
        run.finish(cell)
        until(page, "page.run.isOver && document.getElementById('state').dataset.state === 'over'")
        assert min(seen_s) < SEEN_WITHIN_S, f"seen after {seen_s} s"


def test_a_replay_is_scrubbed(browser: Any, finished: SyntheticRun) -> None:
    with serving("replay", finished.folder) as server, window(browser, server.url) as page:
        ready(page)
        for time_s, names in ((1.0, ["A"]), (5.0, ["A", "B", "C"]), (3.0, ["A", "B"])):
            page.evaluate(
                f"const slider = document.getElementById('slider'); slider.value = {time_s}; slider.dispatchEvent(new Event('input'))"
            )
            until(page, f"Math.abs(page.clock.time - {time_s}) < 0.011")
            until(page, f"document.querySelectorAll('#shares .row:not([data-change=gone])').length === {len(names)}")
            assert on_list(page) == names
        label = page.get_attribute("[data-link='s1-s2']", "aria-label")
        assert "36.0 of 36 Mbit/s, 20 ms; 5 packets wait" in label


def test_keys_do_everything(browser: Any, finished: SyntheticRun) -> None:
    with serving("replay", finished.folder) as server, window(browser, server.url) as page:
        ready(page)
        at_time(page, 3.0)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        until(page, "Math.abs(page.clock.time - 4.1) < 0.01")
        page.keyboard.press("Home")
        page.keyboard.press("+")
        assert page.input_value("#speed") == "2"
        page.keyboard.press("Space")
        until(page, "page.clock.time > 0.5")
        page.keyboard.press("Space")
        assert page.evaluate("page.clock.isPlaying") is False
        page.keyboard.press("2")
        assert page.evaluate("page.cell.scheme") == "cubic"
        at_time(page, 3.0)
        assert "what each takes" in page.text_content("#shares")
        page.keyboard.press("t")
        page.focus("[data-link='s2-h4']")
        page.keyboard.press("Enter")
        assert page.text_content("#port-name") == "s2 → h4"
        page.keyboard.press("?")
        assert page.evaluate("document.getElementById('keys').open") is True


def test_a_trace_is_followed(browser: Any, finished: SyntheticRun) -> None:
    with serving("replay", finished.folder) as server, window(browser, server.url) as page:
        ready(page)
        page.click("[data-link='s1-s2']", force=True)
        page.click("#tab-packets")
        assert "(2)" in page.text_content("#tab-packets")
        assert page.evaluate("document.querySelectorAll('#journeys .here').length") == 2, "both crossed the chosen link"
        page.evaluate("page.chooseLink('s2-s1')")
        until(page, "document.querySelectorAll('#journeys .here').length === 0")
        page.click("#journeys li >> nth=0")
        assert page.text_content("#steps li.chosen").startswith("hdr.ipv4.ttl") or "hdr.ipv4.ttl" in page.text_content("#steps li.chosen")
        assert page.text_content("#source .reached") == "4        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;\n"
        assert "ipv4.ttl: 64 → 63" in page.text_content("#source .told")
        page.keyboard.press("n")
        assert "ipv4_lpm {destination=10.0.0.4} → forward(port=4)" in page.text_content("#steps li.chosen")
        assert "ipv4_lpm.apply()" in page.text_content("#source .reached")
        page.keyboard.press("n")
        page.keyboard.press("n")
        assert page.text_content("#steps-title") == "What s2 did"
        assert "ipv4.ttl: 63 → 62" in page.text_content("#source .told")


def test_a_line_is_of_the_file_whose_name_fits_best(browser: Any, finished: SyntheticRun, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished.folder, run)
    sources = run / "p4src"
    (sources / "p4src").mkdir()
    (sources / "made_up.p4").rename(sources / "p4src" / "made_up.p4")
    for name in ("made_up.p4", "up.p4"):
        (sources / name).write_text("// Another.\n" * 9)
    with serving("replay", run) as server, window(browser, server.url) as page:
        ready(page)
        page.click("#tab-packets")
        page.click("#journeys li >> nth=0")
        assert page.text_content("#source .reached") == "4        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;\n"


def test_what_is_shown_is_saved(browser: Any, finished: SyntheticRun, tmp_path: Path) -> None:
    with serving("replay", finished.folder) as server, window(browser, server.url) as page:
        ready(page)
        at_time(page, 5.0)
        with page.expect_download() as download:
            page.click("#save-svg")
        text = Path(download.value.path()).read_text()
        assert text.startswith("<svg")
        assert "Made up" in text
        assert "nodectl at 5.00 s" in text
        assert all(f">{name}</text>" in text for name in "ABC"), "whose curve is whose"
        with page.expect_download() as download:
            page.click("#save-png")
        download.value.save_as(tmp_path / "page.png")
        with Image.open(tmp_path / "page.png") as picture:
            assert picture.width > 1000
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 50
        with page.expect_download() as download:
            page.click("#save-html")
        assert "<title>Nodectl testbed</title>" in Path(download.value.path()).read_text()


def test_one_file_needs_no_network(browser: Any, tmp_path: Path) -> None:
    # As large as staggered: four schemes, 21 s.
    scenario = dumbbell(["nodectl", "reno", "cubic", "bbr"], duration_s=21, apart_s=5)
    run = SyntheticRun(tmp_path / "run", scenario).whole()
    file = export(run.folder, tmp_path / "run.html")
    assert file.stat().st_size < MOST_EXPORTED_BYTES
    with window(browser, file.as_uri(), offline=True) as page:
        ready(page)
        at_time(page, 12.0)
        until(page, "document.querySelectorAll('#shares .row').length === 3")
        assert on_list(page) == ["A", "B", "C"]
        assert page.is_hidden("#save-html")
        assert page.evaluate("document.querySelectorAll('#rates canvas').length") == 1


def test_a_large_replay_is_smooth(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", mesh(side=4, transmissions=50)).whole()
    with serving("replay", run.folder) as server, window(browser, server.url) as page:
        ready(page)
        assert page.evaluate("[page.cell.network.switches.size, page.cell.names.length]") == [16, 50]
        at_time(page, 5.0)
        page.evaluate("page.clock.speed = 0.25; page.clock.isPlaying = true")
        frames, used_s = page.evaluate("page.frames"), browser_s()
        until(page, f"page.frames >= {frames + FRAMES}")
        frames, used_s = page.evaluate("page.frames") - frames, browser_s() - used_s
        assert page.evaluate("page.clock.isPlaying")
    # Of one processor, whoever else is at work on the machine meanwhile.
    assert used_s / frames < 1 / FRAMES_A_SECOND, f"{1000 * used_s / frames:.1f} ms of a processor for each of {frames} frames"


def test_a_lost_server_is_one_line(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell())
    run.begin(run.cells[0])
    run.grow(run.cells[0], 1.0)
    with serving("live", run.folder) as server, window(browser, server.url, expected="ERR_") as page:
        until(page, "window.page && page.cell && page.cell.end > 0.9")
        server.process.kill()
        server.process.wait()
        until(page, "!document.getElementById('problem').hidden")
        assert "does not answer" in page.text_content("#problem")
        page.keyboard.press("Home")
        assert page.evaluate("page.clock.time") == 0


def test_the_server_takes_next_to_nothing(browser: Any, tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(duration_s=21, apart_s=5))
    cell = run.cells[0]
    run.begin(cell)
    with serving("live", run.folder) as server, window(browser, server.url) as page:
        run.grow(cell, 0.1)
        until(page, "window.page && page.cell && page.cell.end > 0")
        before_s, begin_s = processor_s(server.process.pid), time.monotonic()
        while (elapsed_s := time.monotonic() - begin_s) < 15.0:  # as fast as a run in real time
            run.grow(cell, 0.1 + elapsed_s)
            page.wait_for_timeout(100)
        used_s = processor_s(server.process.pid) - before_s
        elapsed_s = time.monotonic() - begin_s
    assert used_s / elapsed_s < SERVER_SHARE, f"{used_s:.2f} s of a processor in {elapsed_s:.1f} s"


def processor_s(process: int) -> float:
    """The processor time of a process, in seconds."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / 100


def browser_s() -> float:
    """The processor time of the browsers that were started here, with all their processes, in seconds."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = file.read_text()
        except OSError:
            continue  # it has ended
        number = int(file.parent.name)
        names[number] = text.partition("(")[2].rpartition(")")[0]
        parents[number] = int(text.rpartition(")")[2].split()[1])

    def is_ours(process: int) -> bool:
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return sum(processor_s(one) for one, name in names.items() if name.startswith("chrom") and is_ours(one))
