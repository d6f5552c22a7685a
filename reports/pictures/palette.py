"""Colours that everybody can tell apart, on light and on dark ground: of every picture and of the live page."""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

SERIES: dict[Theme, tuple[str, ...]] = {
    "light": ("#0072b2", "#d55e00", "#009e73", "#b3458b", "#8a6d00", "#3d9bd9", "#5b4aa8", "#6b6b6b"),
    "dark": ("#56b4e9", "#ff8c42", "#2fc79a", "#e58cc5", "#f0e442", "#8fb8ff", "#b8a3ff", "#bdbdbd"),
}
"""Colours of transmissions, in order: after Okabe and Ito (2008), darkened or lightened so that each has a contrast of 3 : 1 and more with
its ground (WCAG 2.1, 1.4.11). More than these are told apart by dashes besides."""

DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3))
"""Dashes for the first, second … time round the colours; lengths of strokes and gaps in pixels."""

LOAD: dict[Theme, tuple[str, ...]] = {
    "light": ("#d5dbe3", "#a8c4de", "#6aa5d0", "#2f7fb8", "#15588f", "#0a3560"),
    "dark": ("#3a4350", "#3f5f7d", "#4480ad", "#56a7dd", "#8fcbf5", "#d6edff"),
}
"""Colours of links, idle to full. None is red: a full link is what a scheme may want, and ``dropped`` is for those that lose packets."""

LOAD_STEPS = (0.0, 0.02, 0.25, 0.5, 0.8, 0.97)
"""The load, 0 to 1, from which on a link has each colour of ``LOAD``."""

GROUND: dict[Theme, dict[str, str]] = {
    "light": {
        "ground": "#ffffff", "raised": "#f5f7fa", "text": "#1b2430", "faint": "#5d6b7a", "line": "#d3dae2", "accent": "#005a9c",
        "dropped": "#b3261e", "mark": "#fff3c4",
    },
    "dark": {
        "ground": "#12171e", "raised": "#1b222c", "text": "#e8edf3", "faint": "#9aa8b7", "line": "#33404e", "accent": "#6cb6ff",
        "dropped": "#ff7b72", "mark": "#4a3f12",
    },
}  # fmt: skip
"""Colours of all else that is drawn: ground, text, lines, marks, dropped packets."""


def colour(number: int, theme: Theme) -> str:
    """The colour of a transmission, counted from 0."""
    return SERIES[theme][number % len(SERIES[theme])]


def dash(number: int) -> tuple[int, ...]:
    """Strokes and gaps of a transmission's line, counted from 0; none: it is drawn through."""
    return DASHES[number // len(SERIES["light"]) % len(DASHES)]


def all_colours() -> list[str]:
    """Every colour of it, each once."""
    of_curves = [one for found in (*SERIES.values(), *LOAD.values()) for one in found]
    of_grounds = [one for told in GROUND.values() for one in told.values()]
    return list(dict.fromkeys([*of_curves, *of_grounds]))


def palette() -> dict[str, Any]:
    """The whole palette as the live page takes it, from JSON: series, dashes, load, load_steps, ground."""
    return {"series": SERIES, "dashes": DASHES, "load": LOAD, "load_steps": LOAD_STEPS, "ground": GROUND}
