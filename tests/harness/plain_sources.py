"""``python -m tests.harness.plain_sources FILE|FOLDER …``: sentences in sources that are not in plain English.

The rules are those of pages (tests/harness/plain_english.py). They hold for comments in every language, and for Python's docstrings and
texts. It prints a line for each sentence that breaks one, and its exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common.command_line import let_signals_interrupt, run_command
from common.errors import UserError
from tests.harness.plain_english import MOST_WORDS, is_headless, sentences_of

LEAST_WORDS = 3
"""Shorter texts are names."""

PARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*] |\w[\w, ]*: ))")
SECTION = re.compile(r"^\s*(?:Args|Returns|Raises|Yields|Attributes):\s*")
ENTRY = re.compile(r"^\s*[\w*, ]{1,40}: ")
"""The name before the text of an argument."""

MARKS = {
    ".rs": r"//[/!]?", ".p4": "//", ".js": "//", ".c": "//", ".h": "//", ".lua": "--",
    ".sh": "#", ".mk": "#", ".toml": "#", "Makefile": "#",
}  # fmt: skip
"""The beginning of a comment in other languages, by the suffix or name of a file."""

MADE = {"build", "results", "target", "node_modules", "__pycache__"}
"""Folders whose files nobody writes."""

DRAWING = re.compile(r"[-|+─│┬]{3}|\| {3,}\|")
"""A comment with such a line has a picture in it, beside words that are no sentences."""


@dataclass(frozen=True)
class Found:
    """A sentence that is not plain.

    Args:
        file: of the sources.
        line: on which its text begins.
        sentence: itself.
    """

    file: Path
    line: int
    sentence: str

    def __str__(self) -> str:
        kind = "no noun" if is_headless(self.sentence) else f"{len(self.sentence.split())} words"
        return f"{self.file}:{self.line}: {kind}: {self.sentence}"


def not_plain(file: Path, *, with_texts: bool = False) -> list[Found]:
    """Sentences of a source that are too long, or have a clause in the place of a noun.

    Args:
        file: in any of the languages.
        with_texts: look at the texts in Python's code too; some of them are no sentences.

    Raises:
        SyntaxError: a file of Python is not.
    """
    source = file.read_text(encoding="utf-8")
    mark = MARKS.get(file.suffix or file.name)
    return [
        Found(file, line, sentence)
        for line, text in (_of_python(source, with_texts) if mark is None else _line_comments(source, mark))
        for sentence in _sentences(text)
        if is_headless(sentence) or len(sentence.split()) > MOST_WORDS
    ]


def _of_python(source: str, with_texts: bool) -> Iterator[tuple[int, str]]:
    """Comments, docstrings (those below an attribute too), and the other texts if they are wanted."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and (with_texts or id(node) in docstrings))
    for text in texts:
        if isinstance(text.value, str) and len(text.value.split()) >= LEAST_WORDS:
            yield text.lineno, text.value
    yield from _comments(source)


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Comments; those on lines of their own that follow one another are one."""
    begin, last, lines = 0, 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if not token.line.lstrip().startswith("#"):
            yield token.start[0], token.string.lstrip("# ")
            continue
        if lines and token.start[0] != last + 1:
            yield begin, " ".join(lines)
            lines = []
        begin, last = begin if lines else token.start[0], token.start[0]
        lines.append(token.string.lstrip("# "))
    if lines:
        yield begin, " ".join(lines)


def _line_comments(source: str, mark: str) -> Iterator[tuple[int, str]]:
    """Comments that have lines of their own; those on lines that follow one another are one."""
    comment = re.compile(rf"\s*{mark}\s?(.*)$")
    begin, lines = 0, list[str]()
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        if found := comment.match(line):
            begin = begin if lines else number
            lines.append(found[1])
        elif lines:
            if not DRAWING.search("\n".join(lines)):
                yield begin, "\n".join(lines)
            lines = []


def _sentences(text: str) -> Iterator[str]:
    for part in PARTS.split(text):
        yield from sentences_of(ENTRY.sub("", SECTION.sub("", part)).replace("``", "`"))


def sources(place: Path) -> list[Path]:
    """The sources at a file or in a folder; none in folders that are built, measured or installed."""
    if place.is_file():
        return [place] if place.suffix == ".py" or (place.suffix or place.name) in MARKS else []
    inside = [
        one
        for one in sorted(place.iterdir())
        if not one.is_symlink() and not one.name.startswith((".venv", ".git")) and one.name not in MADE
    ]
    return [file for one in inside for file in sources(one)]


def main() -> int:
    """Print the sentences that are not plain; 1 if there are any.

    Raises:
        UserError: there is no such file or folder, or a file of Python is none.
    """
    let_signals_interrupt()
    parser = argparse.ArgumentParser(prog="python -m tests.harness.plain_sources", description=__doc__)
    parser.add_argument("places", nargs="+", type=Path, help="files and folders")
    found: list[Found] = []
    for place in parser.parse_args().places:
        if not place.exists():
            raise UserError(f"there is no {place}", "name files or folders of sources")
        for file in sources(place):
            try:
                found += not_plain(file, with_texts=True)
            except SyntaxError as error:
                raise UserError(f"{file} is not Python: line {error.lineno}: {error.msg}") from None
    for one in found:
        print(one)
    return 1 if found else 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: run_command(main))
