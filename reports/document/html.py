"""The report as one HTML file that needs nothing besides itself: made from the Markdown, pictures inside."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from reports.document.blocks import anchor

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.2em; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1em 0 0.3em; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #ccc; padding: 0.25em 0.6em; } th { background: #f2f2f2; }
img { max-width: 100%; } code { background: #f2f2f2; padding: 0 0.2em; } em { color: #555; }
"""


def render(markdown: str, title: str, pictures: Path | None) -> str:
    """A whole HTML page.

    Args:
        markdown: the report.
        title: of the page.
        pictures: folder of the PNG files the Markdown refers to; they are embedded. None: they stay beside the page.

    Raises:
        OSError: a picture is missing.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrs["id"] = anchor(tokens[number + 1].content)
        for child in token.children or []:
            if child.type == "image" and pictures is not None:
                data = base64.b64encode((pictures / str(child.attrs["src"])).read_bytes()).decode("ascii")
                child.attrs["src"] = f"data:image/png;base64,{data}"
    body = parser.renderer.render(tokens, parser.options, {})
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
