"""Where things are: in a checkout, or as the wheel has installed them. This is the one place that knows the difference.

A checkout has everything in one tree: made files go into its ``build``, results into its ``results``. The wheel brings the same tree,
built, and nobody writes into it: made files go into the user's cache, results into the folder that the user is in.

Standard library only: `make` asks here before it has installed anything.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
"""The tree: of a checkout, or in the wheel."""

KEPT_REPORTS = PROJECT / "docs" / "reproduction"
"""Reports of papers that are kept, with their records."""

NOTE = "installed.json"
"""The wheel's note about itself (:class:`Note`), in its tree. A checkout has none."""

CACHE_VARIABLE = "XDG_CACHE_HOME"
CACHE_NAME = "nodectl-testbed"


@dataclass(frozen=True)
class BroughtLayer:
    """An archive of the file system inside that the wheel brings, compressed.

    Args:
        digest: as the layer has it, see virtual_time/file_system/layer.py.
        bytes: of the archive, when it is unpacked.
    """

    digest: str
    bytes: int


@dataclass(frozen=True)
class Note:
    """The wheel's note about itself.

    Args:
        version: of the testbed.
        commit: that it was made of.
        kernel: the folder of the user-mode kernel in ``build/kernel``.
        layers: the archives in ``build/layers``, by name.
        programs: ordinary programs in the layer of that name: where they are inside, by name.
    """

    version: str
    commit: str
    kernel: str
    layers: Mapping[str, BroughtLayer] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Tells the files that one wheel has made in a cache from those of another, by kernel and layers."""
        return "-".join([self.kernel, *(self.layers[name].digest for name in ("userland", "checkout") if name in self.layers)])

    def text(self) -> str:
        """As :func:`read_note` reads it."""
        layers = {name: [layer.digest, layer.bytes] for name, layer in self.layers.items()}
        return json.dumps(vars(self) | {"layers": layers}, indent=1) + "\n"


def read_note(project: Path) -> Note | None:
    """The note of a tree; None: it is a checkout, or still in the wheel's file (testbed/emulated)."""
    try:
        said = json.loads((project / NOTE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Note(**said | {"layers": {name: BroughtLayer(*values) for name, values in said["layers"].items()}})


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's folder for files that can be made again (XDG Base Directory Specification); it may not be there yet."""
    named = environment.get(CACHE_VARIABLE, "")
    if named.startswith("/"):  # the specification wants others ignored
        return Path(named) / CACHE_NAME
    home = environment.get("HOME", "")
    if home.startswith("/"):
        return Path(home) / ".cache" / CACHE_NAME
    return Path(tempfile.gettempdir()) / f"{CACHE_NAME}-{os.getuid()}"


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # somebody has removed it
        return Path("/")


INSTALLED = read_note(PROJECT)
"""None: this is a checkout."""

BROUGHT = PROJECT / "build"
"""The folder of the files that `make` has built, or that the wheel brings."""

MADE = BROUGHT if INSTALLED is None else cache_folder() / INSTALLED.digest
"""The folder of files that are made on demand."""

RESULTS = (PROJECT if INSTALLED is None else _here()) / "results"
BINARIES = PROJECT / "switch" / "target" / "release"
"""The embedded compiler and switch."""


def how(in_checkout: str, installed: str) -> str:
    """The advice that is true here."""
    return in_checkout if INSTALLED is None else installed
