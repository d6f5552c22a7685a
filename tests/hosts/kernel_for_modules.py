"""The user-mode kernel that the tests build modules for: $NODECTL_KERNEL_OBJECTS, or the newest of build/kernel/*/objects."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from common.errors import UserError
from hosts.cca.kernel_tree import KernelTree

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "NODECTL_KERNEL_OBJECTS"


def kernel_tree() -> KernelTree:
    """Skips the test loudly where there is none."""
    named = os.environ.get(VARIABLE)
    found = [Path(named)] if named else sorted((ROOT / "build" / "kernel").glob("*/objects"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip(f"no user-mode kernel (build/kernel/*/objects, or ${VARIABLE}): the congestion controls are NOT tested as modules")
    if shutil.which("make") is None or shutil.which("gcc") is None:
        pytest.skip("no make or gcc: the congestion controls are NOT tested as modules")
    tree = KernelTree(found[-1])
    try:
        _ = tree.checksum
    except UserError as error:
        pytest.skip(f"{error}: the congestion controls are NOT tested as modules")
    return tree
