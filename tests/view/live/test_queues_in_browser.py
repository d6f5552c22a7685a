"""The queues of a port, each with a curve of its own, in Debian's Chromium."""

from __future__ import annotations

from pathlib import Path

from tests.harness.long_tests import only_long
from tests.view.live.browser import chromium, until, window
from tests.view.live.page_server import serving
from tests.view.recording.synthetic_queues import LONG, SHORT, add_queues
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell

pytestmark = only_long


def test_each_queue_has_a_name_and_a_curve(tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell(["cubic"])).whole()
    switch, port, _ = next(where for where, name in run.network.by_port.items() if name == "s1-s2")
    add_queues(run, run.cells[0], switch, port)
    with chromium() as browser, serving("replay", run.folder) as server, window(browser, server.url) as page:
        until(page, "window.page && page.run.isOver")
        names = page.evaluate("[...document.querySelectorAll('#queue-title .queue-name')].map((one) => one.textContent.trim())")
        assert names == [str(SHORT), str(LONG)]
        colours = page.evaluate("[...document.querySelectorAll('#queue-title .queue-name')].map((one) => one.style.color)")
        assert len(set(colours)) == 2
