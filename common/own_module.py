"""The command that runs a module of the testbed as a program of its own."""

from __future__ import annotations

import os
import sys

from common.installation import PROJECT


def own_module(name: str, *arguments: str) -> list[str]:
    """Program and arguments.

    Where this Python finds the testbed wherever it starts, a file of the working folder (somebody's ``topo.py``) does not take the place of
    the testbed's own.

    Args:
        name: the module's.
        arguments: its own.
    """
    isolated = ["-P"] if str(PROJECT) in os.environ.get("PYTHONPATH", "").split(os.pathsep) else []
    return [sys.executable, *isolated, "-m", name, *arguments]
