"""Where the commands and the architecture's own P4 files are."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

PACKAGE = "nodectl-p4"
P4INCLUDE = next(
    (folder for folder in (Path(__file__).parent / "p4include", Path("/usr/share") / PACKAGE / "p4include") if folder.is_dir()),
    Path(__file__).parent / "p4include",
)
"""The folder of core.p4 and v1model.p4, for editors; the compiler has both inside."""


def _installed(name: str) -> Path | None:
    """The command as the package's own list of files names it, wherever pip put it (an environment, `--user`)."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == name)
    return next((path.resolve() for path in paths if os.access(path, os.X_OK) and path.is_file()), None)


def binary(name: str) -> Path:
    """The path of a command: in the folder that NODECTL_P4_BINARIES names, where this package was installed, or on PATH.

    Raises FileNotFoundError if it is nowhere.
    """
    chosen = os.environ.get("NODECTL_P4_BINARIES")
    if not chosen and (installed := _installed(name)):
        return installed
    # `pip install --target` puts the commands beside the module.
    beside = Path(__file__).resolve().parent.parent / "bin"
    for folder in (chosen, str(beside), sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
        if folder and os.access(path := Path(folder) / name, os.X_OK):
            return path
    if found := shutil.which(name):
        return Path(found)
    raise FileNotFoundError(f"the command {name} is nowhere; is the package {PACKAGE} installed?")
