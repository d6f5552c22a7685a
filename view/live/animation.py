"""``python -m view.live.animation RUN OUT``: the live page of a run as an animated GIF, filmed in Debian's Chromium (`make animation`)."""

from __future__ import annotations

import argparse
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError
from view.live.export import export

SIZE = {"width": 1200, "height": 800}
SHOWN_WIDTH = 800
COLOURS = 128
STEP_S = 0.5
FRAME_MS = 160
LAST_FRAME_MS = 2000
MOST_BYTES = 2_000_000
READY = "() => Boolean(window.page && page.run.isOver)"
LIMIT_MS = 60_000


def frames(file: Path) -> Iterator[Image.Image]:
    """Pictures of an exported run's first scheme, one each :data:`STEP_S` seconds of the run.

    Args:
        file: the exported page.

    Raises:
        UserError: there is no browser.
    """
    program = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        program = None
    if program is None:
        raise UserError("the animation needs Chromium and playwright", "make browser installs both")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
            page.goto(file.resolve().as_uri(), timeout=LIMIT_MS)
            page.evaluate(f"new Promise((done) => {{ const look = () => ({READY})() ? done() : setTimeout(look, 50); look(); }})")
            page.evaluate("page.clock.isPlaying = false")
            end_s = float(page.evaluate("page.cell.end"))
            for number in range(int(end_s / STEP_S) + 1):
                page.evaluate(f"page.go({number * STEP_S})")
                page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                yield Image.open(io.BytesIO(page.screenshot()))
        finally:
            browser.close()


def animate(run: Path, out: Path) -> int:
    """Write the animation of a run; gives its size in bytes.

    Raises:
        UserError: there is no browser, or the animation is too large for a page.
    """
    with TemporaryDirectory() as folder:
        pictures = [_smaller(one) for one in frames(export(run, Path(folder) / "run.html"))]
    first, *others = [
        one.quantize(COLOURS, palette=pictures[len(pictures) * 2 // 3].quantize(COLOURS), dither=Image.Dither.NONE) for one in pictures
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    durations = [FRAME_MS] * len(others) + [LAST_FRAME_MS]
    first.save(out, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    if (size := out.stat().st_size) > MOST_BYTES:
        raise UserError(f"{out} has {size / 1e6:.1f} MB, and {MOST_BYTES / 1e6:.0f} MB is the most", "film a shorter run")
    return size


def _smaller(picture: Image.Image) -> Image.Image:
    height = round(picture.height * SHOWN_WIDTH / picture.width)
    return picture.convert("RGB").resize((SHOWN_WIDTH, height), Image.Resampling.LANCZOS)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m view.live.animation", description="Film the live page of a run as an animated GIF.")
    parser.add_argument("run", type=Path, help="folder of a finished run")
    parser.add_argument("out", type=Path, help="the GIF")
    given = parser.parse_args()
    size = animate(given.run, given.out)
    print(f"{given.out}: {size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    end_with(lambda: run_command(main))
