"""The installed testbed, from Python: ``import nodectl_testbed as testbed``, then as docs/python-api.md says.

The installed files are a tree like a checkout's, in the folder ``tree`` beside this file. Its Python folders have names that others have
too (``common``, ``engine``), so they are on no path until somebody imports this module or calls the command ``testbed``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

TREE = Path(__file__).resolve().parent / "tree"
NAMES = ("run", "Result", "TestbedError")
"""The public names of ``testbed``, which is imported at their first use, since that takes a second."""

__all__ = ["NAMES", "TREE", "make_importable"]


def make_importable() -> None:
    """From now on, this program and those that it starts import the tree's modules from the tree alone."""
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
