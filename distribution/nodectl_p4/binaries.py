"""Where the commands are."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


def binary(name: str) -> Path:
    """The path of a command: in the folder that NODECTL_P4_BINARIES names, where this package was installed, or on PATH.

    Raises FileNotFoundError if it is nowhere.
    """
    folders = [os.environ.get("NODECTL_P4_BINARIES"), sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    for folder in folders:
        if folder and os.access(path := Path(folder) / name, os.X_OK):
            return path
    if found := shutil.which(name):
        return Path(found)
    raise FileNotFoundError(f"the command {name} is nowhere; is the package nodectl-p4 installed?")
