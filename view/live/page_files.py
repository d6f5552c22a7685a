"""The page's files, served as they are or put into one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from common.errors import UserError

HERE = Path(__file__).resolve().parent
PAGE = HERE / "page"
CHARTS = HERE / "node_modules" / "uplot"
CHART_FILES = {"uPlot.js": CHARTS / "dist" / "uPlot.esm.js", "uPlot.css": CHARTS / "dist" / "uPlot.min.css"}
"""The library of the charts (uPlot, MIT), as its package has it."""

TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
IMPORT_MAP, STYLE, SCRIPT, RUN = "<!-- import map -->", "<!-- style -->", "<!-- script -->", "<!-- run -->"
"""Places in index.html."""


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


def import_map(addresses: Mapping[str, str]) -> str:
    """The browser's import map; ``addresses`` of files by name."""
    return json.dumps({"imports": {module: addresses[name] for module, name in sorted(modules().items())}}, sort_keys=True)


def served_index() -> tuple[str, str]:
    """index.html for the server, and the checksum of its one inline script, for the content security policy."""
    mapped = import_map({name: f"/page/{name}" for name in files()})
    checksum = base64.b64encode(hashlib.sha256(mapped.encode()).digest()).decode()
    styles = "".join(f'<link rel="stylesheet" href="/page/{name}">' for name in _styles())
    return _filled(mapped, styles, ""), checksum


def single_file(messages: list[str]) -> str:
    """The page with everything in it, a run's messages too: it needs no network."""
    addresses = {
        name: f"data:{TYPES['.js']};base64,{base64.b64encode(content).decode()}"
        for name, content in files().items()
        if name.endswith(".js")
    }
    styles = "".join(f"<style>{files()[name].decode()}</style>" for name in _styles())
    # "</" would end the script element; in JSON "<\/" is the same text.
    run = "[" + ",\n".join(messages).replace("</", "<\\/") + "]"
    return _filled(import_map(addresses), styles, f'<script type="application/json" id="run">{run}</script>')


def _styles() -> list[str]:
    return sorted((name for name in files() if name.endswith(".css")), key=lambda name: name != "uPlot.css")


def _filled(mapped: str, styles: str, run: str) -> str:
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    for place, content in (
        (IMPORT_MAP, f'<script type="importmap">{mapped}</script>'),
        (STYLE, styles),
        (
            SCRIPT,
            '<script type="module">import "live/main";</script>' if run else '<script type="module" src="/page/main.js"></script>',
        ),
        (RUN, run),
    ):
        text = text.replace(place, content)
    return text
