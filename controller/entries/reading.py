"""A file of entries, by its suffix, as P4Runtime updates; or as commands, which a switch's own command line carries out."""

from __future__ import annotations

from pathlib import Path

from finsy.proto import p4i

from common.errors import UserError
from common.text_files import read_text
from controller.entries.entry import PlacedUpdate, UpdateMaker
from controller.entries.place import Place
from controller.entries.runtime_json import parts_of_runtime_json
from controller.entries.text_proto import updates_of_text
from controller.entries.toml_entries import entries_of_toml

TOML, JSON, TEXT = ".toml", ".json", (".txtpb", ".pbtxt", ".textproto", ".prototxt")
COMMANDS = (".txt", ".config", ".cmd", ".cli", ".commands", "")
COMMENTS = ("#", "//")
FORMATS = "entries are .toml, .json (p4lang's runtime JSON), .txtpb (P4Runtime as text) or .txt (commands of simple_switch_CLI)"


def is_commands(file: Path) -> bool:
    """Whether a file has commands of ``simple_switch_CLI``."""
    return file.suffix in COMMANDS


def read_updates(file: Path, info: p4i.P4Info, program: str) -> list[PlacedUpdate]:
    """The updates of a file that has no commands.

    Args:
        file: in one of the formats.
        info: of the program that they are for.
        program: that program's name in messages.

    Raises:
        UserError: the file cannot be read, or something in it is wrong; the message names the line.
    """
    text = _text(file)
    maker = UpdateMaker(info, program)
    if file.suffix == TOML:
        return [maker.update(entry) for entry in entries_of_toml(file, text)]
    if file.suffix == JSON:
        parts = parts_of_runtime_json(file, text)
        return [part if isinstance(part, PlacedUpdate) else maker.update(part) for part in parts]
    if file.suffix in TEXT:
        return list(updates_of_text(file, text, info))
    raise UserError(f"{Place(file)}: {file.suffix} is no format of entries", FORMATS)


def read_commands(file: Path) -> list[tuple[Place, str]]:
    """The commands of a file, each with its line; empty lines and comments (``#``, and ``//`` as some write) are passed over.

    Raises:
        UserError: the file cannot be read.
    """
    lines = enumerate(_text(file).splitlines(), start=1)
    return [(Place(file, number), line.strip()) for number, line in lines if line.strip() and not line.lstrip().startswith(COMMENTS)]


def _text(file: Path) -> str:
    return read_text(file, missing="the path of a file of entries is one from the scenario's file", not_text=FORMATS)
