"""A real run in virtual time, watched in Debian's Chromium while it goes on; then replayed, followed, exported."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.harness.long_tests import only_long
from tests.view.live.browser import chromium, until, window
from tests.view.live.page_server import PROJECT, serving
from view.live.export import export
from virtual_time.session import explain_missing

pytestmark = only_long

SEEN_WITHIN_S = 1.0
RTT_BINS = "page.run.growing?.senders.get('A')?.get('rtt_ms')?.values.length ?? 0"
LOOK_S = 0.02
LONGEST_RUN_S = 280.0
MOST_EXPORTED_BYTES = 5_000_000
ADMITTED = " admitted at "
ON_THE_PAGE = f"[...page.run.cells.values()].flatMap((cell) => cell.words).filter((one) => one.text.includes('{ADMITTED}')).length"


@dataclass(frozen=True)
class Watched:
    """A run that is over, and the observations of it meanwhile.

    Args:
        recorded_s, seen_s: when each admission stood in the run's folder, and when on the page.
        states: the states that the page showed, one after the other.
        rtt_bins: how many bins of A's round-trip time the page knew at most while a scheme was under way.
    """

    folder: Path
    recorded_s: list[float]
    seen_s: list[float]
    states: list[str]
    rtt_bins: int
    said: str


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if missing := explain_missing():
        pytest.skip(f"no virtual time: {missing}")
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def watched(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    folder = tmp_path_factory.mktemp("runs") / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.view.live.watched_run", str(folder)],
        cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        address = re.search(r"http://\S+", first)
        assert address is not None, first + process.stdout.read()
        recorded_s, seen_s, states, rtt_bins = _watch(browser, address[0], folder, process)
        said = process.stdout.read()
        assert process.wait() == 0, said
        return Watched(folder, recorded_s, seen_s, states, rtt_bins, said)
    finally:
        process.terminate()
        process.wait()


def _watch(browser: Any, url: str, folder: Path, process: subprocess.Popen[str]) -> tuple[list[float], list[float], list[str], int]:
    recorded_s: list[float] = []
    seen_s: list[float] = []
    states: list[str] = []
    rtt_bins = 0
    # When the run is over the server goes, and says so before.
    with window(browser, url, expected="ERR_") as page:
        until(page, "window.page && page.cell")
        end_s = time.monotonic() + LONGEST_RUN_S
        while not page.evaluate("page.run.isOver") and time.monotonic() < end_s and process.poll() is None:
            logs = "".join(file.read_text(encoding="utf-8", errors="replace") for file in sorted(folder.glob("logs/*/controller.log")))
            for times, count in ((recorded_s, logs.count(ADMITTED)), (seen_s, page.evaluate(ON_THE_PAGE))):
                times += [time.monotonic()] * (count - len(times))
            state = page.get_attribute("#state", "data-state")
            if states[-1:] != [state]:
                states.append(state)
            rtt_bins = max(rtt_bins, page.evaluate(RTT_BINS))
            page.wait_for_timeout(LOOK_S * 1000)
        until(page, "page.run.isOver")
    return recorded_s, seen_s, states, rtt_bins


def test_newcomers_are_seen_as_soon_as_they_are_recorded(watched: Watched) -> None:
    assert len(watched.recorded_s) == len(watched.seen_s) == 6, "A, B and C at two switches each"
    late_s = [seen - recorded for recorded, seen in zip(watched.recorded_s, watched.seen_s, strict=True)]
    # The machine may stand still for a moment meanwhile, and once for a longer one.
    assert statistics.median(late_s) < SEEN_WITHIN_S, late_s
    assert watched.states[0] in ("waiting", "live")
    assert "live" in watched.states


def test_senders_are_seen_while_they_send(watched: Watched) -> None:
    assert watched.rtt_bins > 100, "of 50 ms, of runs of 21 s"


def test_what_is_seen_is_what_was_measured(watched: Watched) -> None:
    assert "checksum of the samples" in watched.said


def test_a_replay_is_scrubbed(browser: Any, watched: Watched) -> None:
    with serving("replay", watched.folder) as server, window(browser, server.url) as page:
        until(page, "window.page && page.run.isOver")
        page.evaluate("page.clock.isPlaying = false")
        for time_s, names, share in ((3.0, "A", "36.0"), (15.0, "A,B,C", "12.0"), (7.5, "A,B", "18.0")):
            page.fill("#slider", str(time_s))
            until(page, f"Math.abs(page.clock.time - {time_s}) < 0.011")
            until(
                page,
                "[...document.querySelectorAll('#shares .row:not([data-change=gone]) .who')].map((one) => one.textContent).join() === "
                f"'{names}'",
            )
            assert page.text_content("#shares .value") == f"{share} Mbit/s"
            load = re.match(r"s1 → s2: (\S+) of 36 Mbit/s", page.get_attribute("[data-link='s1-s2']", "aria-label"))
            assert load is not None
            assert float(load[1]) == pytest.approx(36, rel=0.03), "a bin begins and ends between packets"
        page.keyboard.press("2")
        until(page, "page.cell.scheme === 'cubic'")
        assert page.evaluate("page.cell.links.get('s1-s2').dropped.values.some((one) => one > 0)")


def test_a_packet_is_followed_to_its_line(browser: Any, watched: Watched) -> None:
    with serving("replay", watched.folder) as server, window(browser, server.url) as page:
        until(page, "window.page && page.run.isOver")
        page.keyboard.press("k")  # the packet at the time that is played
        page.click("#journeys li:has-text('Nodectl request') >> nth=0")
        assert "Nodectl request" in page.text_content("#journeys .chosen")
        for _ in range(20):
            page.keyboard.press("n")
            # Whatever step it is: its line is in view.
            if page.query_selector("#source .reached"):
                line, place = page.locator("#source .reached").bounding_box(), page.locator("#source").bounding_box()
                assert place["y"] <= line["y"] <= place["y"] + place["height"] - line["height"]
                number, _, text = page.text_content("#source .reached").partition(" ")
                file = page.text_content("#source-title").partition(":")[0]
                assert (watched.folder / "p4src" / file).read_text().splitlines()[int(number) - 1].strip() == text.strip()
        page.focus("#journeys")
        page.keyboard.press("Home")
        before = page.text_content("#journeys .chosen")
        page.keyboard.press("ArrowDown")
        assert page.text_content("#journeys .chosen") != before
        assert page.get_attribute("#journeys .chosen", "aria-current") == "true"


def test_it_is_handed_in_as_one_small_file(browser: Any, watched: Watched, tmp_path: Path) -> None:
    file = export(watched.folder, tmp_path / "run.html")
    assert file.stat().st_size < MOST_EXPORTED_BYTES
    with window(browser, file.as_uri(), offline=True) as page:
        until(page, "window.page && page.run.isOver")
        page.evaluate("page.clock.isPlaying = false; page.go(12)")
        until(page, "document.querySelectorAll('#shares .row').length === 3")
        assert "(12)" in page.text_content("#tab-packets")
