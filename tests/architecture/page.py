"""The pictures of docs/architecture.md, between marks that name them."""

from __future__ import annotations

from collections.abc import Mapping

from tests.architecture.arrows import PROJECT, crates, python_rooms

PAGE = PROJECT / "docs" / "architecture.md"


def pictures() -> Mapping[str, str]:
    """By name, as they are now."""
    return {"rooms": python_rooms().flowchart(), "crates": crates().flowchart()}


def with_pictures(text: str, drawn: Mapping[str, str]) -> str:
    """The page with these pictures in it.

    Raises:
        LookupError: the page has no place for one.
    """
    for name, picture in drawn.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise LookupError(f"{PAGE} has no place for the picture {name!r}: {begin.strip()} … {end}")
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}```mermaid\n{picture}\n```\n{end}{after}"
    return text
