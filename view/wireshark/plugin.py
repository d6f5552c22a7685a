"""The plugin, one file: the schema as a Lua module, then the dissector. And where Wireshark looks for the user's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from common.errors import UserError
from view.wireshark.schema import schema, to_lua

DISSECTOR = Path(__file__).with_name("dissector.lua")
NAME = "nodectl.lua"
PROTOCOL = "nodectl"
"""In tshark's list of protocols."""

FOLDER_LINE = "Personal Lua Plugins:"
INSTALL = "apt-get install tshark (or wireshark, which has windows too)"


def plugin() -> str:
    """The whole text."""
    head = "-- Written by `make wireshark` from protocol/headers.py and view/wireshark/dissector.lua: change those.\n\n"
    module = f'package.preload["nodectl.schema"] = function()\n  return {to_lua(schema(), "  ")}\nend\n\n'
    return head + module + DISSECTOR.read_text(encoding="utf-8")


def install(folder: Path | None = None) -> Path:
    """Put it where Wireshark finds it; returns the file.

    Args:
        folder: None: that of the user's own plugins.

    Raises:
        UserError: there is no tshark to ask for that folder, or it cannot be written.
    """
    file = (folder or personal_folder()) / NAME
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(plugin(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}", "OUT=FOLDER puts it into another folder") from None
    return file


def is_read() -> bool:
    """Whether tshark has the installed plugin: since version 4.4, Wireshark reads none of root's."""
    try:
        told = subprocess.run(["tshark", "-G", "protocols"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return any(PROTOCOL in line.split("\t") for line in told.splitlines())


def personal_folder() -> Path:
    """Where Wireshark looks for the user's Lua plugins.

    Raises:
        UserError: tshark is not installed, or says nothing of such a folder.
    """
    try:
        told = subprocess.run(["tshark", "-G", "folders"], capture_output=True, text=True, check=False).stdout
    except OSError:
        raise UserError("tshark is not installed, which knows where Wireshark looks for plugins", INSTALL) from None
    for line in told.splitlines():
        if line.startswith(FOLDER_LINE):
            return Path(line.removeprefix(FOLDER_LINE).strip())
    raise UserError("this tshark takes no Lua plugins (`tshark -G folders` names no folder for them)", INSTALL)
