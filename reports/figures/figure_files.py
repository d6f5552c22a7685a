"""The files of a figure: PNG, an SVG that stays small and is the same in every run, and the data it shows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reports.pictures.palette import all_colours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 256
"""Colours of a PNG file, in place of millions: a third of the bytes, and nobody sees it. The palette's colours are among them unchanged;
the others are chosen from the picture, which alone would give a thin curve its neighbour's colour."""

DIGITS = 6
_LONG_NUMBER = re.compile(r"(?<=\.\d\d)\d+")
_PATH = re.compile(r'(?<= d=")[^"]+')


def save(figure: Figure, stem: Path, *, dots_per_inch: int) -> None:
    """Write ``STEM.png`` and ``STEM.svg``.

    In the SVG, text stays text, and coordinates have two decimals. Points of a curve that would not show are left out (matplotlib's own
    path simplification, by 1/9 of a point of 1/72 inch). So a thousand samples a curve make some ten kilobytes.
    """
    import matplotlib as mpl

    save_picture(figure, _beside(stem, "png"), dots_per_inch=dots_per_inch)
    file = _beside(stem, "svg")
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": stem.name}):  # without a salt, names inside are drawn by lot
        figure.savefig(file, metadata={"Date": None})
    text = file.read_text(encoding="utf-8")
    file.write_text(_PATH.sub(lambda found: _LONG_NUMBER.sub("", found[0]), text), encoding="utf-8")


def save_picture(figure: Figure, file: Path, *, dots_per_inch: int) -> None:
    """Write a PNG file of :data:`COLOURS` colours, or a file of the format that another suffix names."""
    if file.suffix != ".png":
        figure.savefig(file, dpi=dots_per_inch)
        return
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dots_per_inch)
    picture = Image.open(drawn).convert("RGB")
    exact = [tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in all_colours()]
    chosen = picture.quantize(COLOURS - len(exact), dither=Image.Dither.NONE).getpalette() or []
    palette = np.array([*(part for colour in exact for part in colour), *chosen][: 3 * COLOURS], dtype=np.int32).reshape(-1, 3)
    dots = np.asarray(picture.convert("RGBA"))
    # As numbers of four bytes, which are sorted much faster than rows of three.
    known, where = np.unique(dots.view(np.uint32), return_inverse=True)
    colours = known.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int32)
    nearest = np.array([((palette - colour) ** 2).sum(axis=1).argmin() for colour in colours], dtype=np.uint8)
    indexed = Image.fromarray(nearest[where.reshape(dots.shape[:2])])
    indexed.putpalette(palette.astype(np.uint8).tobytes())
    indexed.save(file, optimize=True)


def write_csv(stem: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write ``STEM.csv``: a line of column names, then the rows."""
    with _beside(stem, "csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([f"{one:.{DIGITS}g}" if isinstance(one, float) else one for one in row] for row in rows)


def _beside(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}.{suffix}")
