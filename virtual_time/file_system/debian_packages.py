"""Files of Debian packages of this machine: those of a program's package, and those of the packages that it depends on.

A program is seldom one file: git starts ``git-remote-http``, perl reads its modules, ssh its configuration. dpkg knows these files.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from virtual_time.file_system.remembered_answers import DPKG, remembered

LIMIT_BYTES = 250_000_000
"""Limit for all packages together: the archive is in the memory of the machine inside."""

THERE_ALREADY = re.compile(
    r"(libc6|libc-bin|libcrypt1|libgcc-s1|gcc-\d+-base|base-files|base-passwd|bash|dash|coreutils|grep|sed|iproute2|procps|util-linux"
    r"|python3(\.\d+)?(-minimal)?|libpython3.*|mininet)"
)
"""Packages whose programs and libraries the userland has already."""

FOR_INSTALLING = re.compile(
    r"(debconf|debconf-2\.0|dpkg|adduser|passwd|init-system-helpers|lsb-base|sysvinit-utils|systemd.*|libsystemd-.*|ucf|sensible-utils"
    r"|install-info|.*-doc|.*-man|.*-common-doc|media-types|mailcap)"
)
"""Packages that are there to install others, or to be read by people."""

LEFT_OUT = re.compile(
    r"/usr/(share/(doc|man|info|locale|lintian|bug|bash-completion|zsh|fish|icons|pixmaps|applications|metainfo|gitweb|doc-base|menu"
    r"|i18n|help)|include|src|games|lib/(systemd|tmpfiles\.d|sysusers\.d|pkgconfig))(/|$)"
    r"|/usr/lib/[^/]+/(pkgconfig|cmake)(/|$)|/usr/lib/python3/dist-packages(/|$)|/(var|run|srv|boot|home|root|tmp)(/|$)"
    r"|/etc/(init\.d|cron[^/]*|default|logrotate\.d|systemd|apt|dpkg|kernel|ufw|network|bash_completion\.d|pam\.d|alternatives)(/|$)"
)
"""Places of files that no program reads while it does its work inside."""


@dataclass(frozen=True)
class Package:
    """An installed package.

    Attributes:
        name: without architecture.
        depends: its dependencies, each a tuple of alternatives.
        provides: other names that it answers to.
    """

    name: str
    depends: tuple[tuple[str, ...], ...]
    provides: tuple[str, ...]


def package_of(file: Path) -> str | None:
    """The package that has a file; None: no package has it, or this is no Debian."""
    for asked in dict.fromkeys((str(file), str(file.resolve()), *_before_usr_was_merged(file))):
        said = _asked("dpkg-query", "--search", asked)
        for line in said.splitlines():
            names, _, path = line.partition(": ")
            if path == asked and not line.startswith("diversion "):
                return names.split(",")[0].partition(":")[0].strip()
    return None


def files_of(package: str) -> list[Path]:
    """Its files and symbolic links, but for those that no program reads."""
    listed = map(Path, filter(None, _asked("dpkg-query", "--listfiles", package).splitlines()))
    return [one for one in listed if not LEFT_OUT.match(_merged(str(one))) and (one.is_symlink() or one.is_file())]


def packages_with(package: str, limit_bytes: int = LIMIT_BYTES, size_of: Callable[[str], int] | None = None) -> list[str]:
    """The package and those it depends on, the nearest first, as many as the limit leaves room for; the package itself in any case.

    Args:
        package: the name that dpkg knows it by.
        limit_bytes: for their files together.
        size_of: bytes of a package's files; None: as they are on this machine.
    """
    measure = size_of or _size_of
    found, left = [package], limit_bytes - measure(package)
    for name in _nearest_first(package):
        size = measure(name)
        if size <= left:
            found.append(name)
            left -= size
    return found


def _nearest_first(package: str) -> Iterator[str]:
    known = installed()
    provided = {other: name for name, one in known.items() for other in one.provides}
    seen, waiting = {package}, [package]
    while waiting:
        one = known.get(waiting.pop(0))
        for alternatives in one.depends if one else ():
            name = next((there for other in alternatives if (there := other if other in known else provided.get(other))), None)
            if name is None or name in seen or THERE_ALREADY.fullmatch(name) or FOR_INSTALLING.fullmatch(name):
                continue
            seen.add(name)
            waiting.append(name)
            yield name


@cache
def installed() -> dict[str, Package]:
    """All packages of this machine by name; none where there is no dpkg."""
    shown = "${db:Status-Status}\\t${Package}\\t${Pre-Depends}, ${Depends}\\t${Provides}\\n"
    found = {}
    for line in _asked("dpkg-query", "--show", "--showformat", shown).splitlines():
        status, name, depends, provides = line.split("\t")
        if status == "installed":
            wanted = tuple(tuple(map(_bare, one.split("|"))) for one in depends.split(",") if one.strip())
            found[name] = Package(name, wanted, tuple(_bare(one) for one in provides.split(",") if one.strip()))
    return found


@cache
def _size_of(package: str) -> int:
    return sum(one.stat().st_size for one in files_of(package) if one.is_file() and not one.is_symlink())


def _bare(dependency: str) -> str:
    """``libc6:any (>= 2.34)`` is ``libc6``."""
    return re.split(r"[\s:(\[]", dependency.strip(), maxsplit=1)[0]


def _merged(path: str) -> str:
    return f"/usr{path}" if re.match(r"/(s?bin|lib(64)?)/", path) else path


def _before_usr_was_merged(file: Path) -> Sequence[str]:
    """The same file without /usr: packages may still list /usr/bin/ss as /bin/ss."""
    return [path.removeprefix("/usr") for path in (str(file), str(file.resolve())) if re.match(r"/usr/(s?bin|lib)/", path)]


def _asked(*command: str) -> str:
    def ask() -> str:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
        ).stdout

    try:
        return remembered(command, DPKG, ask)
    except OSError:
        return ""
