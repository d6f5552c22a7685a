"""What the measurements ran on: what matters of it, and no name of it."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from topo.processors import is_virtual


def describe_machine() -> str:
    """Processor, cores, whether it is a virtual machine, and the kernel's version."""
    return f"{_processor()}, {os.cpu_count() or 0} cores{', virtual' if is_virtual() else ''}, Linux {kernel_version(platform.release())}"


def kernel_version(release: str) -> str:
    """Of a kernel's release, the numbers: ``6.18.44`` of ``6.18.44-local-build``; what a build calls itself says nothing."""
    found = re.match(r"\d+(\.\d+){1,2}", release)
    return found.group() if found else "of unknown version"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
