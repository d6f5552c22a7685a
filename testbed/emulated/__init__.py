"""The testbed in an emulated machine (QEMU), where there is no x86-64 Linux: a Mac, an arm64 processor, or a system that forbids tracing.

Standard library only: this runs from the wheel's file itself, on a machine where nothing of it can be installed.
"""

from __future__ import annotations

EMULATE = "--emulate"
"""The option that asks for it. It is here because a command line is searched for it, without the rest of this package."""
