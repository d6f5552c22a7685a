"""Puts a page, its scripts, its styles and its data into one HTML file, which needs no network."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping

IMPORT_MAP, STYLE, SCRIPT, DATA = "<!-- import map -->", "<!-- style -->", "<!-- script -->", "<!-- data -->"
"""Places in a page's index.html."""


def import_map(addresses: Mapping[str, str]) -> str:
    """The browser's import map.

    Args:
        addresses: of modules, by the names by which they import one another.
    """
    return json.dumps({"imports": dict(sorted(addresses.items()))}, sort_keys=True)


def single_page(index: str, modules: Mapping[str, bytes], styles: Iterable[bytes], main: str, data: str) -> str:
    """The whole page.

    Args:
        index: the HTML, with the places.
        modules: scripts, by the names by which they import one another.
        styles: in their order.
        main: the module that begins.
        data: JSON, which the page finds in the element ``data``.
    """
    addresses = {name: f"data:text/javascript;base64,{base64.b64encode(content).decode()}" for name, content in modules.items()}
    safe = data.replace("</", "<\\/")  # "</" would end the script element; in JSON "<\/" is the same text
    return filled(
        index,
        import_map(addresses),
        "".join(f"<style>{style.decode()}</style>" for style in styles),
        f'<script type="module">import "{main}";</script>',
        f'<script type="application/json" id="data">{safe}</script>',
    )


def filled(index: str, mapped: str, style: str, script: str, data: str) -> str:
    """A page with these texts in its places."""
    for place, content in ((IMPORT_MAP, f'<script type="importmap">{mapped}</script>'), (STYLE, style), (SCRIPT, script), (DATA, data)):
        index = index.replace(place, content)
    return index
