"""Debian's archive, from where this machine's apt gets its packages. Standard library only."""

from __future__ import annotations

import subprocess

from common.errors import UserError


def apt_lines(release: str | None = None) -> list[str]:
    """The lines of apt for Debian as this machine has it, or for another release of it.

    Args:
        release: Debian's name of it, such as ``trixie`` or ``trixie-backports``; None: this machine's.

    Raises:
        UserError: apt knows no Debian.
    """
    wanted = ["Created-By: Packages", "Origin: Debian"]
    # Another release is where the archive is, and not where corrections of this one are.
    wanted += [] if release is None else ["Label: Debian"]
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", *wanted]
    try:
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        raise UserError("packages of Debian are fetched by its apt-get, which is not here") from None
    if not listed:
        raise UserError("apt has no list of Debian's packages", "apt-get update")
    if release is None:
        return [f"deb {line}" for line in dict.fromkeys(listed)]
    return [f"deb {listed[0].split()[0]} {release} main"]
