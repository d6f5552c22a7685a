"""The page's files, served as they are or put into one HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from common.errors import UserError
from view.single_page import filled, import_map, single_page

HERE = Path(__file__).resolve().parent
PAGE = HERE / "page"
CHARTS = HERE / "node_modules" / "uplot"
CHART_FILES = {"uPlot.js": CHARTS / "dist" / "uPlot.esm.js", "uPlot.css": CHARTS / "dist" / "uPlot.min.css"}
"""The library of the charts (uPlot, MIT), as its package has it."""

TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


@cache
def files() -> Mapping[str, bytes]:
    """The browser's files, by name.

    Raises:
        UserError: the library of the charts is not installed.
    """
    found = {file.name: file.read_bytes() for file in sorted(PAGE.iterdir()) if file.suffix in (".js", ".css")}
    for name, file in CHART_FILES.items():
        try:
            found[name] = file.read_bytes()
        except OSError:
            raise UserError("the live page's library of charts (uPlot) is not installed", "make live installs it") from None
    return found


def modules() -> dict[str, str]:
    """Names by which the page's modules import each other, and the files."""
    return {f"live/{Path(name).stem}": name for name in files() if name.endswith(".js")}


def served_index() -> tuple[str, str]:
    """index.html for the server, and the checksum of its one inline script, for the content security policy."""
    mapped = import_map({module: f"/page/{name}" for module, name in modules().items()})
    checksum = base64.b64encode(hashlib.sha256(mapped.encode()).digest()).decode()
    styles = "".join(f'<link rel="stylesheet" href="/page/{name}">' for name in _styles())
    return filled(_index(), mapped, styles, '<script type="module" src="/page/main.js"></script>', ""), checksum


def single_file(messages: list[str]) -> str:
    """The page with everything in it, a run's messages too: it needs no network."""
    scripts = {module: files()[name] for module, name in modules().items()}
    return single_page(_index(), scripts, [files()[name] for name in _styles()], "live/main", "[" + ",\n".join(messages) + "]")


def _index() -> str:
    return (PAGE / "index.html").read_text(encoding="utf-8")


def _styles() -> list[str]:
    return sorted((name for name in files() if name.endswith(".css")), key=lambda name: name != "uPlot.css")
