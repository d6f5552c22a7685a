"""The page of all commands, made of the declarations of the command line and of the targets of make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from common.installation import PROJECT
from testbed.command_line.app import app
from testbed.command_line.manual import CALLED, ENDS
from testbed.site.tables import cell, table

TARGET = re.compile(r"^([a-z0-9-]+):.*?## (.*)$", re.MULTILINE)

HEAD = f"""# Commands

This page lists the commands of the testbed with all options, and the targets of make. It is made of their declarations.

Run a command in the checkout, with the checkout's own Python: `.venv/bin/{CALLED} run`. Make has targets of the same names: it installs and
builds what a command needs, then calls it.
"""

FOOT = """
## Where to go next

[Command lines of the toolchain](../command-lines.md) describes the P4 compiler and the switch.
"""


def command_page() -> str:
    """The page in Markdown."""
    program: Any = get_command(app)
    sections = "".join(_section(name, command) for name, command in program.commands.items())
    statuses = table(("status", "meaning"), [(str(status), text) for status, text in ENDS])
    made = table(("target", "does"), [(f"`make {name}`", cell(text)) for name, text in targets()])
    return f"{HEAD}{sections}\n## Exit status\n\n{statuses}\n## Targets of make\n\n{made}{FOOT}"


def targets() -> Iterator[tuple[str, str]]:
    """The targets of make that are meant for people, each with its line of `make help`."""
    files: list[Path] = [PROJECT / "Makefile", *sorted((PROJECT / "make").glob("*.mk"))]
    for file in files:
        yield from TARGET.findall(file.read_text(encoding="utf-8"))


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    words = " ".join([CALLED, name, *(_argument(one) for one in arguments), "[OPTIONS]"])
    rows = [(_called(one), _default(one), cell(one.help or "")) for one in command.params]
    options = f"\n{table(('argument or option', 'default', 'meaning'), rows)}" if rows else ""
    return f"\n## {name}\n\n{' '.join((command.help or '').split())}\n\n    {words}\n{options}"


def _argument(one: Any) -> str:
    word = str(one.metavar or one.name.upper())
    return word if one.required or word.startswith("[") else f"[{word}]"


def _called(one: Any) -> str:
    if one.param_type_name == "argument":
        return f"`{_argument(one)}`"
    names = ", ".join(f"`{name}`" for name in [*one.opts, *one.secondary_opts])
    return names if one.is_flag else f"{names} `{one.metavar or one.opts[0].lstrip('-').replace('-', '_').upper()}`"


def _default(one: Any) -> str:
    value = one.default
    if one.required or value is None or callable(value) or value in ("", False, (), []):
        return ""
    if getattr(one, "is_flag", False):
        return f"`{one.opts[0]}`"
    shown = value.relative_to(PROJECT) if isinstance(value, Path) and value.is_relative_to(PROJECT) else value
    return cell(f"`{getattr(shown, 'value', shown)}`")
