"""What the measurements ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from topo.processors import is_virtual


def describe_machine() -> str:
    """Processor, cores, memory and whether it is a virtual machine, in one line; no host name."""
    return f"{_processor()}, {os.cpu_count() or 0} cores, {_memory_gb():.0f} GB{', virtual' if is_virtual() else ''}"


def _cpuinfo() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _processor() -> str:
    for line in _cpuinfo().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
