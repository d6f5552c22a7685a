"""The pictures of a run, each as panels that reports, notebooks and `make pictures` draw alike, in light and dark, as SVG and PNG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from reports.figures.panels import Line, Panel, draw_panels
from reports.pictures.palette import THEMES, Theme
from view.recording.curves import CellCurves, curves_of

FOLDER = "pictures"
MOST_LINKS = 6
"""Whose queues are drawn in one picture."""

TIME = "time, s"
RECEIVED = "payload read at the receiver, Mbit/s"
"""One meaning of throughput in all pictures. Data that was lost and sent again is read late and all at once: more than the link carries."""


def throughput(cell: CellCurves) -> Panel:
    """The payload that each transmission's receiver read, as in the picture of `make run`."""
    lines = [Line(name, times, values) for name, (times, values) in cell.received.items()]
    return Panel(cell.scheme, TIME, RECEIVED, lines, marks=cell.network.events)


def queues(cell: CellCurves) -> Panel:
    """The fullest queues of the busiest links, in packets."""
    fullest = {link: float(cell.link(link, "queue").max(initial=0.0)) for link in cell.busiest}
    shown = [link for link in sorted(fullest, key=lambda link: -fullest[link]) if fullest[link] > 1][:MOST_LINKS] or cell.busiest[:1]
    lines = [_line(link, cell, list(cell.link(link, "queue"))) for link in shown]
    return Panel(cell.scheme, TIME, "most packets that waited", lines, marks=cell.network.events)


def drops(cell: CellCurves) -> Panel:
    """The packets that all links dropped."""
    return Panel(cell.scheme, TIME, "packets dropped in a bin", [_line("all links", cell, list(cell.dropped()))], marks=cell.network.events)


def shares(cell: CellCurves, direction: str | None = None) -> Panel:
    """The list of a port over time; without one said, of the port with the most transmissions for its rate."""
    where = direction or next((one for one in cell.busiest if cell.shares(one)), "")
    lines = [Line(name, times, values) for name, (times, values) in cell.shares(where).items()]
    title = f"{cell.scheme}, {where}" if where else cell.scheme
    return Panel(title, TIME, "Mbit/s on the port's list", lines, marks=cell.network.events)


def rtt(cell: CellCurves) -> Panel:
    """Each sender's smoothed round-trip time."""
    return Panel(cell.scheme, TIME, "smoothed RTT, ms", _of_senders(cell, "rtt_ms"), marks=cell.network.events, from_zero=False)


def window(cell: CellCurves) -> Panel:
    """Each sender's congestion window."""
    return Panel(cell.scheme, TIME, "congestion window, packets", _of_senders(cell, "window"), marks=cell.network.events)


PICTURES: Mapping[str, Callable[[CellCurves], Panel]] = {
    "throughput": throughput, "queues": queues, "drops": drops, "shares": shares, "rtt": rtt, "window": window,
}  # fmt: skip
"""By name: a panel a cell."""


def draw_pictures(folder: Path, out: Path | None = None, themes: tuple[Theme, ...] = THEMES) -> list[Path]:
    """Draw all pictures of a run, the cells side by side in each: ``throughput.svg``, ``.png``, ``.csv``, ``throughput-dark.svg`` …

    Args:
        folder: of the run.
        out: folder for the pictures; None: ``pictures`` in the run's.
        themes: grounds to draw on.

    Returns:
        The SVG files.

    Raises:
        UserError: it is no run's folder, or a damaged one, or one of another version.
    """
    cells = curves_of(folder)
    out = out or folder / FOLDER
    out.mkdir(parents=True, exist_ok=True)
    files = []
    for name, picture in PICTURES.items():
        panels = [panel for cell in cells if (panel := picture(cell)).lines]
        for theme in themes if panels else ():
            stem = out / (name if theme == "light" else f"{name}-{theme}")
            draw_panels(panels, 2, stem, theme)
            files.append(stem.with_name(f"{stem.name}.svg"))
    return files


def _line(label: str, cell: CellCurves, values: list[float]) -> Line:
    return Line(label, list(cell.time_s), values)


def _of_senders(cell: CellCurves, curve: str) -> list[Line]:
    lines = []
    for name, curves in cell.senders.items():
        known = [(time_s, value) for time_s, value in zip(cell.time_s, curves.get(curve, []), strict=False) if value is not None]
        if known:
            lines.append(Line(name, [time_s for time_s, _ in known], [value for _, value in known]))
    return lines
