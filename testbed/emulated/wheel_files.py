"""The files of the testbed's wheel."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from common.errors import UserError
from common.installation import NOTE, PROJECT

MODULE = "nodectl_testbed"
WHEELS = PROJECT / "build" / "packages"
"""Of a checkout: `make wheel-testbed` writes there."""


@dataclass(frozen=True)
class WheelFiles:
    """The files of the testbed's wheel, from the wheel itself or as it is installed.

    Args:
        place: the wheel, or the folder that it is installed in.
    """

    place: Path

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Names and contents of the files of its module."""
        if self.place.is_file():
            with zipfile.ZipFile(self.place) as archive:
                for name in archive.namelist():
                    if name.startswith(f"{MODULE}/"):
                        yield name, archive.read(name)
            return
        for file in sorted((self.place / MODULE).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(self.place).as_posix(), file.read_bytes()

    def read(self, name: str) -> bytes:
        """One of them."""
        if self.place.is_file():
            with zipfile.ZipFile(self.place) as archive:
                return archive.read(name)
        return (self.place / name).read_bytes()

    def needs(self) -> list[str]:
        """The packages that it needs, as pip takes them."""
        found = metadata.Distribution.discover(name=MODULE, path=[str(self.place)])
        return [one for distribution in found for one in distribution.requires or [] if "extra ==" not in one]


def wheel_files() -> WheelFiles:
    """Those of this program if it is the wheel; else of the newest one that the checkout has made.

    Raises:
        UserError: there is none.
    """
    for folder in PROJECT.parents:
        if folder.suffix == ".whl" and folder.is_file():
            return WheelFiles(folder)
    return WheelFiles(PROJECT.parents[1] if (PROJECT / NOTE).exists() else newest_wheel())


def newest_wheel() -> Path:
    """The newest wheel that this checkout has made.

    Raises:
        UserError: there is none.
    """
    made = sorted(WHEELS.glob(f"{MODULE}-*.whl"), key=lambda file: file.stat().st_mtime)
    if not made:
        raise UserError("the wheel of the testbed is not made", "make wheel-testbed")
    return made[-1]
