"""Blocks as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.report.document import Block, Heading, Picture, Table, Text


def render(blocks: Iterable[Block]) -> str:
    """The whole document; pictures are referred to as ``NAME.png`` beside it, and so are their other files."""
    return "\n\n".join(_block(block) for block in blocks) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {block.text}"
        case Text():
            return block.markdown.strip()
        case Picture():
            picture = (
                f"![{_plain(block.caption)}]({block.name}.png)\n\n*{block.caption}* [SVG]({block.name}.svg) · [data]({block.name}.csv)"
            )
            return f"{picture}\n\n{block.remark}" if block.remark else picture
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    alignment = ["---" if column < table.left_columns else "---:" for column in range(len(table.header))]
    lines = [_row(table.header), "|" + "|".join(alignment) + "|", *(_row(row) for row in table.rows)]
    return "\n".join(lines) + f"\n\n*{table.caption}*"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace("*", "")
