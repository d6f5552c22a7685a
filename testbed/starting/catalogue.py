"""The templates, found by being there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError

TEMPLATES = Path(__file__).parent / "templates"
PAGE = "README.md"
USUAL = "router"
LEFT_OUT = "__pycache__"
HEADING = "# "


@dataclass(frozen=True)
class Template:
    """A folder that somebody's work begins with."""

    folder: Path

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.folder.name

    @property
    def line(self) -> str:
        """Its description in a line: the heading of its page."""
        return (self.folder / PAGE).read_text(encoding="utf-8").partition("\n")[0].removeprefix(HEADING)

    @property
    def files(self) -> list[Path]:
        """All of them, by their places in the folder."""
        found = (file.relative_to(self.folder) for file in sorted(self.folder.rglob("*")) if file.is_file())
        return [file for file in found if LEFT_OUT not in file.parts]


def templates() -> list[Template]:
    """All of them, by name."""
    return [Template(folder) for folder in sorted(TEMPLATES.iterdir()) if (folder / PAGE).is_file()]


def template_named(name: str) -> Template:
    """One of them.

    Raises:
        UserError: there is none of that name.
    """
    for one in templates():
        if one.name == name:
            return one
    raise UserError(f"there is no template {name!r}", f"there are {', '.join(one.name for one in templates())}")
