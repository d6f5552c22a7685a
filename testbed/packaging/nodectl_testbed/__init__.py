"""The installed testbed, from Python: ``import nodectl_testbed as testbed``, then as docs/python-api.md says.

What was installed is a tree like a checkout's, in the folder ``tree`` beside this file. Its Python folders have names that others have too
(``common``, ``engine``), so they are on no path until somebody imports this module or calls the command ``testbed``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

TREE = Path(__file__).resolve().parent / "tree"
NAMES = ("run", "Result", "TestbedError")
"""What ``testbed`` has for others; made known when it is asked for, since it takes a second to load."""

__all__ = ["NAMES", "TREE", "make_importable"]


def make_importable() -> None:
    """From now on, this program and those that it starts import from the tree, and from nowhere else what is in there."""
    tree = str(TREE)
    if tree not in sys.path:
        sys.path.insert(0, tree)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if tree not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([tree, *filter(None, paths)])


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        make_importable()
        import testbed

        return getattr(testbed, name)
