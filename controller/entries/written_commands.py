"""Commands on their way from whoever reads files of entries to whoever carries them out: a JSON file for a switch.

It stands apart from the updates' (written.py), as it needs no P4Runtime, whose import takes longer than most runs' bring-up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from controller.entries.place import Place


def commands_to_json(commands: Iterable[tuple[Place, str]]) -> str:
    """The text of a file of commands, each with where it comes from."""
    return json.dumps([{"file": str(place.file), "line": place.line, "command": command} for place, command in commands], indent=0)


def commands_from_file(file: Path) -> list[tuple[Place, str]]:
    """The commands of such a file.

    Raises:
        UserError: it is none.
    """
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
        return [(Place(Path(one["file"]), int(one["line"])), str(one["command"])) for one in listed]
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: these are no commands: {error!r}") from None
