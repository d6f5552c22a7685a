"""Provenance of a run: the project's commit, the kernel, the machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from common.installation import INSTALLED, PROJECT
from common.time_mode import is_virtual_time
from topo.processors import is_virtual

REPORTS = "docs/reproduction"
"""Runs write this folder themselves: its files are no changes of the project."""

CHANGES = "+changes"
"""Behind the commit of a tree whose files differ from it."""

UNKNOWN = "unknown"
"""The commit outside a checkout."""


def project_commit() -> str:
    """The commit the project is at, with :data:`CHANGES` if files differ from it; :data:`UNKNOWN` outside a checkout.

    Of an installed testbed, the commit that it was made of.
    """
    if INSTALLED is not None:
        return INSTALLED.commit
    try:
        commit, changes = (
            subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()
            for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--", ".", f":(exclude){REPORTS}"))
        )
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return commit + CHANGES * bool(changes)


def kernel_version() -> str:
    """Version numbers of the kernel, ``Linux 6.18.5``; what a build calls itself besides says nothing to others."""
    found = re.match(r"\d+(\.\d+)*", platform.release())
    return f"{platform.system()} {found[0] if found else platform.release()}"


def describe_machine() -> str:
    """Processor, cores, memory and whether it is a virtual machine, in one line; no host name. In virtual time it does not matter."""
    if is_virtual_time():
        return "virtual time"
    return f"{_processor()}, {os.cpu_count() or 0} cores, {_memory_gb():.0f} GB{', virtual' if is_virtual() else ''}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        text = ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
