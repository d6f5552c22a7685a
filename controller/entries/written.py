"""Updates on their way from whoever reads files of entries to whoever writes them: a JSON file for a switch."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from finsy.proto import p4r

from common.errors import UserError
from controller.entries.entry import PlacedUpdate
from controller.entries.place import Place


def to_json(updates: Iterable[PlacedUpdate]) -> str:
    """The file's text: where each comes from, and its bytes in hexadecimal digits."""
    listed = [
        {"file": str(one.place.file), "line": one.place.line, "update": one.update.SerializeToString(deterministic=True).hex()}
        for one in updates
    ]
    return json.dumps(listed, indent=0)


def from_file(file: Path) -> list[PlacedUpdate]:
    """The updates of such a file.

    Raises:
        UserError: it is none.
    """
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
        return [
            PlacedUpdate(Place(Path(one["file"]), int(one["line"])), p4r.Update.FromString(bytes.fromhex(one["update"]))) for one in listed
        ]
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: these are no updates of entries: {error!r}") from None
