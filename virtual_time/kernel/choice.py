"""The Linux that a person means: a release, or anyone's sources; with patches of one's own on demand.

``6.12``, ``7.3``, ``~/linux`` (a tree or an archive), ``6.12+my-patches`` (a folder of patches, or one). Two kernels that differ in a patch
are ``6.12`` and ``6.12+my-patches``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import UserError
from virtual_time.kernel.releases import DEFAULT, RELEASES

SOURCE, MORE_PATCHES = "KERNEL_SOURCE", "KERNEL_PATCHES"
"""Environment variables: sources of the kernel that is used where none is named; patches for every kernel."""

PATCH_SUFFIXES = (".patch", ".diff")
SEPARATOR = "+"
REMEDY = f"KERNEL= takes {', '.join(RELEASES)}, or the path of a source tree or archive; {SEPARATOR}PATH behind it: patches for it"


@dataclass(frozen=True)
class KernelChoice:
    """A kernel, described by its sources and patches.

    Args:
        text: the person's words for it, which tables show; empty: the one that is used where none is named.
        source: a release by its name, or the path of a tree or an archive.
        patches: of the person's own, applied after ours, in this order.
    """

    text: str = ""
    source: str | Path = DEFAULT
    patches: tuple[Path, ...] = ()

    @classmethod
    def of(cls, text: str) -> KernelChoice:
        """The kernel that a text names.

        Raises:
            UserError: it names none, or patches that are not there.
        """
        named, patches = text, ""
        if text not in RELEASES and not Path(text).expanduser().exists():
            named, _, patches = text.rpartition(SEPARATOR) if SEPARATOR in text else (text, "", "")
        source = _source(named) if named else _default_source()
        return cls(text, source, (*(_patches(patches) if patches else ()), *_patches_for_all()))

    @property
    def is_default(self) -> bool:
        """Whether it is the kernel that is used where none is named."""
        return replace(self, text="") == KernelChoice.of("")

    def __str__(self) -> str:
        return self.text or str(self.source)


def _source(named: str) -> str | Path:
    if named in RELEASES:
        return named
    path = Path(named).expanduser().resolve()
    if path.exists():
        return path
    raise UserError(f"KERNEL={named}: the testbed knows no such Linux, and there is no such file or folder", REMEDY)


def _default_source() -> str | Path:
    chosen = os.environ.get(SOURCE)
    if not chosen:
        return DEFAULT
    path = Path(chosen).expanduser().resolve()
    if not path.exists():
        raise UserError(f"{SOURCE}={chosen}: there is no such file or folder", f"{SOURCE}= takes a tree or an archive of Linux' sources")
    return path


def _patches_for_all() -> tuple[Path, ...]:
    named = os.environ.get(MORE_PATCHES)
    return _patches(named) if named else ()


def _patches(named: str) -> tuple[Path, ...]:
    path = Path(named).expanduser().resolve()
    if path.is_file():
        return (path,)
    found = tuple(sorted(file for file in path.glob("*") if file.suffix in PATCH_SUFFIXES)) if path.is_dir() else ()
    if not found:
        raise UserError(
            f"{named}: {'there is no patch in this folder' if path.is_dir() else 'there is no such file or folder'}",
            f"patches of a kernel are files named …{' or …'.join(PATCH_SUFFIXES)}, with paths as `git diff` writes them (patch -p1)",
        )
    return found
