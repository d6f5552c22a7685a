"""The interface by which the loader registers congestion controls with a kernel: as BPF programs or as modules."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from common.errors import UserError
from hosts.cca.record import Registered
from hosts.cca.scheme_names import Scheme
from hosts.cca.sources import SchemeSource


class Origin(StrEnum):
    """Where a congestion control comes from."""

    KERNEL = "kernel"
    BPF = "BPF"
    BPF_FOREIGN = "BPF, not from here"
    MODULE = "module"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True)
class Missing:
    """A scheme that could not be had, as people write it, and why, in one line or more."""

    name: str
    reason: str


class Registry(Protocol):
    """One way of registering; an instance serves one call of the loader."""

    @property
    def stays_in_use(self) -> bool:
        """Whether one that connections have stays registered, for new ones too, until they close."""

    def explain_missing_support(self) -> str | None:
        """Why it cannot work here whatever the privileges, or None if nothing speaks against it."""

    def object_of(self, scheme: Scheme) -> Path:
        """The compiled ``scheme``; raises UserError if it cannot be had."""

    def register(self, scheme: Scheme, path: Path) -> int | None:
        """Registers the object at ``path``; returns the number of its BPF map. Raises UserError if the kernel refuses."""

    def unregister(self, entry: Registered) -> bool:
        """Takes it out, if it is there; returns whether connections still have it. Raises UserError if the kernel refuses."""

    def origin(self, kernel_name: str, record: Registered | None, source: SchemeSource | None) -> Origin:
        """Where the registered ``kernel_name`` comes from, of which we have this record and this source."""


def require_support(registry: Registry, remedy: str) -> None:
    """Checks that congestion controls can be registered.

    Raises:
        UserError: they cannot, or this is not root.
    """
    missing = registry.explain_missing_support()
    if missing:
        raise UserError(missing, remedy)
    if os.geteuid() != 0:
        raise UserError("registering congestion controls needs root", "run this as root")
