"""JSON files of exercises, read with messages for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.shown_path import shown
from common.text_files import read_text


def read_json(file: Path) -> Any:
    """The value in a file.

    Raises:
        UserError: it cannot be read, or is no JSON; the message names the line.
    """
    text = read_text(file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{shown(file)}:{error.lineno}: not valid JSON: {error.msg}") from None


def as_object(file: Path, value: Any, key: str = "") -> Mapping[str, Any]:
    """A value that has to be an object.

    Raises:
        UserError: it is something else; the message names file and key.
    """
    if not isinstance(value, dict):
        raise UserError(f"{shown(file)}: {key or 'the file'} is an object of names and values, not {type(value).__name__}")
    return value
