"""Whose time this is: the machine's, or a virtual one in which computing takes no time.

Virtual time is that of a user-mode Linux kernel whose clock moves only while every program in it waits. The program that boots that
kernel says so in the environment of everything that it starts.
"""

from __future__ import annotations

import os

VARIABLE = "NODECTL_TIME"
VIRTUAL = "virtual"


def is_virtual_time() -> bool:
    """Whether this program runs in virtual time."""
    return os.environ.get(VARIABLE) == VIRTUAL
