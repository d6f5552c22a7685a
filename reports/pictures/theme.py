"""Light or dark ground for pictures that matplotlib draws, in the colours of palette.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reports.pictures.palette import GROUND, Theme, colour, dash


@contextmanager
def ground(theme: Theme) -> Iterator[None]:
    """Within the block, matplotlib draws on this ground."""
    import matplotlib as mpl

    told = GROUND[theme]
    lines: dict[Any, str] = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), told["faint"])
    text: dict[Any, str] = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), told["text"])
    grounds: dict[Any, str] = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"), told["ground"])
    with mpl.rc_context({**lines, **text, **grounds, "grid.color": told["line"], "legend.edgecolor": told["line"]}):
        yield


def line_style(number: int, theme: Theme) -> dict[str, Any]:
    """The style of a transmission's curve, counted from 0, for ``Axes.plot``."""
    strokes = dash(number)
    return {"color": colour(number, theme), "linestyle": (0, strokes) if strokes else "-"}
