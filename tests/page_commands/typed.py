"""The commands that README and the other pages have their readers type: those in indented blocks, in tables and in sentences.

Blocks between backquotes are not looked at: each is executed by the test of its page (``EXECUTED``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.harness.switches import REPOSITORY
from tests.harness.test_links_of_pages import PAGES, tokens

EXECUTED = {
    "docs/new-experiment.md": "tests/virtual_time/test_new_experiment.py",
    "docs/toolchain/install.md": "tests/packages/test_install_page.py",
}
"""Pages with blocks in the language `sh`, and the tests that execute them; tests/toolchain/test_pages.py executes those in `console`."""

NOTHING_TYPED = ("docs/reproduction/", "reports/papers/", "CHANGELOG.md")
"""Written by `make reproduce`, about papers, or about what was."""

FIRST_PAGES = ("README.md", "CONTRIBUTING.md")
SETTINGS = r"(?:[A-Z_0-9]+=(?:'[^']*'|\S+) )*"
IN_SENTENCES = re.compile(rf"{SETTINGS}(?:sudo )?(?:make|cargo|(?:\S+/)?python3?|ray|nodectl (?:run|serve)) \S")
"""Of several words: one alone is a program's or a scheme's name."""

IN_BLOCKS = re.compile(
    rf"{SETTINGS}(?:sudo )?(?:make|cargo|(?:\S+/)?python3?|ray|nodectl|cp|sed|p4c\S*|p4test|p4sim|p4graph|p4switch|simple_switch\S*"
    r"|ip|tc|curl|git|apt-get|dpkg|tshark|wireshark|ssh|cd|export|docker|podman|ethtool|iperf3|nginx|chrt|man)(?: |$)"
)
COMMENT = re.compile(r"\s+# .*$|\s{3,}\S.*$")
"""A block's remark beside a command."""


@dataclass(frozen=True)
class Typed:
    """A command, as it stands on its pages."""

    words: str
    pages: tuple[str, ...]


def typed_commands() -> list[Typed]:
    """All of them, each once, in the order of the pages; README is the first."""
    found: dict[str, list[str]] = {}
    for page in sorted(PAGES, key=_order):
        name = str(page.relative_to(REPOSITORY))
        if not name.startswith(NOTHING_TYPED):
            for words in _on(page):
                pages = found.setdefault(words, [])
                if name not in pages:
                    pages.append(name)
    return [Typed(words, tuple(pages)) for words, pages in found.items()]


def shell_blocks() -> set[str]:
    """Pages with blocks in the language `sh`."""
    return {
        str(page.relative_to(REPOSITORY))
        for page in PAGES
        for token in tokens(page)
        if token.type == "fence" and token.info.split()[:1] in (["sh"], ["bash"], ["shell"])
    }


def _order(page: Path) -> tuple[int, str]:
    name = str(page.relative_to(REPOSITORY))
    return (FIRST_PAGES.index(name) if name in FIRST_PAGES else len(FIRST_PAGES), name)


def _on(page: Path) -> Iterator[str]:
    for token in tokens(page):
        if token.type == "code_block":
            for line in token.content.splitlines():
                if IN_BLOCKS.match(line):
                    yield COMMENT.sub("", line).strip()
        for part in token.children or []:
            if part.type == "code_inline" and IN_SENTENCES.match(words := " ".join(part.content.split())):
                yield words
