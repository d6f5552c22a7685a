"""Reasons why this machine cannot build the kernel."""

from __future__ import annotations

import platform
import shutil

from common.errors import UserError
from virtual_time.kernel.source import PACKAGE, find_source

PROCESSOR = "x86_64"
"""There is no user-mode Linux for others."""

COMMANDS = {"gcc": "gcc", "make": "make", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils", "patch": "patch"}
"""Commands of the build, and the Debian packages that have them."""


def debian_packages() -> list[str]:
    """The Debian packages that building the kernel takes; none where there is no such kernel."""
    return sorted({*COMMANDS.values(), PACKAGE}) if platform.machine() == PROCESSOR else []


def why_not_here() -> str | None:
    """The reason why the kernel cannot be built on this machine; None if it can."""
    if platform.machine() != PROCESSOR:
        return f"there is no user-mode Linux for {platform.machine()} processors"
    if missing := sorted({package for command, package in COMMANDS.items() if shutil.which(command) is None}):
        return f"Debian packages are missing: {' '.join(missing)}"
    try:
        find_source()
    except UserError as error:
        return error.what
    return None
