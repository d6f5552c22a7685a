"""Switches that are processes of their own, for a whole testbed: BMv2 where it is installed, and a stand-in for it everywhere."""

from __future__ import annotations

import shutil
from pathlib import Path

from common.installation import BINARIES
from tests.harness.bmv2_switch import bmv2_command, bmv2_or_skip
from topo.toolchain import BMV2, BMV2_COMMAND

STAND_IN = "stand-in"
KINDS = (STAND_IN, *([BMV2] if bmv2_command() else []))


def command_of(kind: str, folder: Path) -> Path:
    """A `simple_switch_grpc`, one of KINDS: the stand-in is the embedded one at another place, since its own is not taken for BMv2."""
    if kind == BMV2:
        return bmv2_or_skip()
    copy = folder / "bin" / BMV2_COMMAND
    copy.parent.mkdir()
    shutil.copy(BINARIES / BMV2_COMMAND, copy)  # a script would be refused in virtual time
    return copy
