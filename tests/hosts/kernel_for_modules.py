"""The user-mode kernel that the tests build modules for: $NODECTL_KERNEL_OBJECTS, or the one that runs use."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import virtual_time.kernel.build as kernel_build
from common.errors import UserError
from hosts.cca.kernel_tree import KernelTree

VARIABLE = "NODECTL_KERNEL_OBJECTS"


def kernel_tree() -> KernelTree:
    """Skips the test loudly where there is none."""
    named = os.environ.get(VARIABLE, "")
    built = kernel_build.find()
    if not named and built is None:
        pytest.skip(f"no user-mode kernel (build/kernel/*/objects, or ${VARIABLE}): the congestion controls are NOT tested as modules")
    if shutil.which("make") is None or shutil.which("gcc") is None:
        pytest.skip("no make or gcc: the congestion controls are NOT tested as modules")
    tree = KernelTree(Path(named) if built is None or named else built.objects)
    try:
        _ = tree.checksum
    except UserError as error:
        pytest.skip(f"{error}: the congestion controls are NOT tested as modules")
    return tree
