"""The Linux releases that the testbed builds, and the patches and settings that each takes.

A patch or a setting is written once, for the oldest release. Where a later one needs another, a file ``….from-7.3.…`` beside it holds from
that release on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATCHES = HERE / "patches"
CONFIGURATION = HERE / "testbed.config"

_FROM = re.compile(r"\.from-(\d+\.\d+)$")
_HAS_HUNKS = re.compile(r"^\+\+\+ ", re.MULTILINE)
_IS_GONE = re.compile(r"# (CONFIG_\w+) is gone")
_SETTING = re.compile(r"(?:# )?(CONFIG_\w+)(?:=| is not set)")


@dataclass(frozen=True, order=True)
class Version:
    """A version of Linux, by which patches and settings are chosen."""

    major: int
    minor: int

    @classmethod
    def of(cls, text: str) -> Version:
        """From its text, such as ``6.12``."""
        major, minor = text.split(".")
        return cls(int(major), int(minor))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True)
class Release:
    """A release whose sources Debian has as a package.

    Args:
        version: of Linux.
        suite: of Debian's archive that has the package; None: the one of this machine's own release.
    """

    version: Version
    suite: str | None = None

    @property
    def package(self) -> str:
        """Debian's package of its sources."""
        return f"linux-source-{self.version}"

    @property
    def archive_in_package(self) -> str:
        """The archive of sources in it."""
        return f"usr/src/{self.package}.tar.xz"


DEFAULT = "6.12"
RELEASES = {str(one.version): one for one in (Release(Version.of(DEFAULT)), Release(Version.of("7.3"), "trixie-backports"))}
"""By the text that a person writes."""


def patches_for(version: Version) -> list[Path]:
    """Our patches for a version, in order; those that have nothing left to do for it are left out."""
    chosen = (_newest_for(version, files) for files in _by_name(PATCHES.glob("*.patch")).values())
    return [file for file in chosen if file is not None and _HAS_HUNKS.search(file.read_text(encoding="utf-8"))]


def configuration_for(version: Version) -> str:
    """Our settings of the kernel: those of the oldest release, each changed by the files of later ones."""
    settings: dict[str, str] = {}
    for file in sorted(HERE.glob(f"{CONFIGURATION.stem}*{CONFIGURATION.suffix}"), key=_begins):
        if _begins(file) > version:
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            if gone := _IS_GONE.match(line):
                del settings[gone[1]]
            elif setting := _SETTING.match(line):
                settings[setting[1]] = line
    return "".join(f"{line}\n" for line in settings.values())


def _by_name(files: Iterator[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for file in sorted(files):
        found.setdefault(_FROM.sub("", file.stem), []).append(file)
    return found


def _newest_for(version: Version, files: list[Path]) -> Path | None:
    return max((file for file in files if _begins(file) <= version), key=_begins, default=None)


def _begins(file: Path) -> Version:
    named = _FROM.search(file.stem)
    return Version.of(named[1]) if named else Version(0, 0)
