"""Reasons why this machine cannot build the kernel."""

from __future__ import annotations

import platform
import shutil

from common.errors import UserError
from virtual_time.kernel.build import sources_of
from virtual_time.kernel.choice import KernelChoice
from virtual_time.kernel.releases import DEFAULT, RELEASES

PROCESSOR = "x86_64"
"""There is no user-mode Linux for others."""

COMMANDS = {"gcc": "gcc", "make": "make", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils", "patch": "patch"}
"""Commands of the build, and the Debian packages that have them."""


def debian_packages() -> list[str]:
    """The Debian packages that building the kernel takes; none where there is no such kernel."""
    return sorted({*COMMANDS.values(), RELEASES[DEFAULT].package}) if platform.machine() == PROCESSOR else []


def why_not_here(choice: KernelChoice | None = None) -> str | None:
    """The reason why a kernel cannot be built on this machine; None if it can.

    Args:
        choice: which; None: the one that is used where none is named.
    """
    if platform.machine() != PROCESSOR:
        return f"there is no user-mode Linux for {platform.machine()} processors"
    if missing := sorted({package for command, package in COMMANDS.items() if shutil.which(command) is None}):
        return f"Debian packages are missing: {' '.join(missing)}"
    try:
        _ = sources_of(choice or KernelChoice.of("")).version
    except UserError as error:
        return error.what
    return None
