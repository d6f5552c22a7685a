"""A curve has the same colour in PNG and SVG, whatever the others are."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reports.figures.panels import Line, Panel, draw_panels
from reports.pictures.palette import SERIES, THEMES, Theme, colour

SEEN = 100
"""So many dots make a curve."""

TIMES = [number / 10 for number in range(300)]


def drawn(tmp_path: Path, count: int, theme: Theme) -> tuple[dict[str, int], str]:
    """How many dots of the PNG have each colour of the palette, and the text of the SVG."""
    lines = [Line(f"scheme{number}", TIMES, [40 + number + 3 * math.sin(time + number) for time in TIMES]) for number in range(count)]
    draw_panels([Panel("RTT", "time, s", "ms", lines, from_zero=False)], 1, tmp_path / "rtt", theme)
    with Image.open(tmp_path / "rtt.png") as picture:
        rgb = picture.convert("RGB")
        known, counts = np.unique(np.asarray(rgb).reshape(-1, 3), axis=0, return_counts=True)
    dots = {f"#{red:02x}{green:02x}{blue:02x}": int(count) for (red, green, blue), count in zip(known, counts, strict=True)}
    return {one: dots.get(one, 0) for one in SERIES[theme]}, (tmp_path / "rtt.svg").read_text()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("count", [1, 5, 8])
def test_each_curve_has_its_own_colour_in_both_files(tmp_path: Path, count: int, theme: Theme) -> None:
    dots, svg = drawn(tmp_path, count, theme)
    for number in range(count):
        assert dots[colour(number, theme)] > SEEN, (number, dots)
        assert f"stroke: {colour(number, theme)}" in svg
    for number in range(count, len(SERIES[theme])):
        assert dots[colour(number, theme)] < SEEN, (number, dots)  # some dots of text are nearly of that colour
        assert f"stroke: {colour(number, theme)}" not in svg
