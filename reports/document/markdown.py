"""Blocks as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from reports.document.blocks import Block, Heading, Picture, Table, Text


@dataclass(frozen=True)
class Kept:
    """A document that is kept with few of its pictures.

    Args:
        pictures: names of those that stand beside it.
        command: draws the others.
    """

    pictures: Collection[str]
    command: str


def render(blocks: Iterable[Block], kept: Kept | None = None) -> str:
    """The whole document; pictures are referred to as ``NAME.png`` beside it, and so are their other files.

    Args:
        blocks: in order.
        kept: which pictures there are; None: all, each with its SVG and its data.
    """
    return "\n\n".join(_block(block, kept) for block in blocks) + "\n"


def _block(block: Block, kept: Kept | None) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {block.text}"
        case Text():
            return block.markdown.strip()
        case Picture():
            picture = _picture(block, kept)
            return f"{picture}\n\n{block.remark}" if block.remark else picture
        case Table():
            return _table(block)


def _picture(picture: Picture, kept: Kept | None) -> str:
    image = f"![{_plain(picture.caption)}]({picture.name}.png)\n\n*{picture.caption}*"
    if kept is None:
        return f"{image} [SVG]({picture.name}.svg) · [data]({picture.name}.csv)"
    return image if picture.name in kept.pictures else f"*{picture.caption}* (`{picture.name}.png`, drawn by `{kept.command}`)"


def _table(table: Table) -> str:
    alignment = ["---" if column < table.left_columns else "---:" for column in range(len(table.header))]
    lines = [_row(table.header), "|" + "|".join(alignment) + "|", *(_row(row) for row in table.rows)]
    return "\n".join(lines) + f"\n\n*{table.caption}*"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace("*", "")
