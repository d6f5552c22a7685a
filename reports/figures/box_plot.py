"""Box plots on a panel of a figure: side by side, or in groups along the horizontal axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP_WIDTH = 0.8
"""The width of a group, as a part of the distance between two groups."""
BOX_WIDTH = 0.8
"""The width of a box, as a part of its place in its group."""

MAX_LEVEL = 4
"""More names than these below a panel are turned, so that they do not touch."""


@dataclass(frozen=True)
class Box:
    """One box; ``group`` is where it stands on the horizontal axis, empty if each label has a place of its own."""

    label: str
    group: str
    low: float
    q1: float
    median: float
    q3: float
    high: float


def draw_boxes(axes: Axes, boxes: Sequence[Box], colours: Mapping[str, str]) -> None:
    """Draw them, each label in its colour."""
    if not boxes:
        return
    groups = list(dict.fromkeys(one.group or one.label for one in boxes))
    labels = list(dict.fromkeys(one.label for one in boxes)) if boxes[0].group else [""]
    width = GROUP_WIDTH / len(labels)
    for one in boxes:
        aside = labels.index(one.label) - (len(labels) - 1) / 2 if one.group else 0.0
        statistics = {"whislo": one.low, "q1": one.q1, "med": one.median, "q3": one.q3, "whishi": one.high}
        (drawn,) = axes.bxp(
            [statistics],
            positions=[groups.index(one.group or one.label) + aside * width],
            widths=width * BOX_WIDTH,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": "black"},
        )["boxes"]
        drawn.set(facecolor=colours[one.label], alpha=0.6)
        if one.group and one.group == groups[0]:
            drawn.set_label(one.label)
    axes.set_xticks(range(len(groups)), groups, fontsize=7)
    if len(groups) > MAX_LEVEL:
        axes.tick_params(axis="x", labelrotation=20)
