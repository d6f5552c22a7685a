"""Names of system calls of x86-64, by number, as this machine's headers have them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h"))
_DEFINED = re.compile(r"^#define __NR_(\w+) (\d+)$", re.MULTILINE)


@cache
def _names() -> dict[str, str]:
    found = [file for file in _HEADERS if file.exists()]
    return {number: name for name, number in _DEFINED.findall(found[0].read_text(encoding="utf-8"))} if found else {}


def name_of(number: str) -> str:
    """``getpid`` for ``39``; a number that the headers do not have, or where there are none, stays as it is."""
    return _names().get(number, f"call {number}")
