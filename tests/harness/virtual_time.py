"""The facts of virtual time that tests need."""

from __future__ import annotations

SCHEMES_WITH_CONSTANTS = (
    "qtcol(alpha=1.5)",
    "qtcolfair(probe_interval=2.5)",
    "nodectl(variant=deployable)",
    "nodectl(variant=fair_level)",
    "nodectl(first_rtt=wait)",
)
"""Schemes with constants that tests over time use; as modules they have to be built before the kernel is booted."""
