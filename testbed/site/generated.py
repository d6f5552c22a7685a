"""Pages that are made of declarations while the site is built, by their place in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import testbed
from testbed.site.command_reference import command_page
from testbed.site.scenario_reference import scenario_page

PYTHON_HEAD = """# Python interface

This page describes all that `import testbed` gives, from its docstrings. [The testbed from Python](../python-api.md) shows it at work.
"""
PYTHON_FOOT = """
## Where to go next

[The testbed from Python](../python-api.md) has the columns of every frame, with their units.
"""


def python_page() -> str:
    """The page in Markdown; mkdocstrings puts the docstrings in."""
    return PYTHON_HEAD + "".join(f"\n::: testbed.{name}\n" for name in sorted(testbed.__all__, key=str.casefold)) + PYTHON_FOOT


GENERATED: Mapping[str, Callable[[], str]] = {
    "reference/scenario-keys.md": scenario_page,
    "reference/commands.md": command_page,
    "reference/python.md": python_page,
}
