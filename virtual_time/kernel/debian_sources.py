"""Sources of a Linux release out of Debian's archive, without installing their package: as anyone, and beside this machine's apt."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from common.debian_archive import apt_lines
from common.errors import UserError
from common.whole_files import unfinished_folder, whole_file
from virtual_time.kernel.releases import Release


def archive_of(release: Release, cache: Path) -> Path:
    """The archive of a release's sources: the installed package's, or the fetched one's.

    Args:
        release: the one that is wanted.
        cache: where fetched archives are kept.

    Raises:
        UserError: it is not installed, and cannot be fetched.
    """
    installed, fetched = Path("/", release.archive_in_package), cache / f"{release.package}.tar.xz"
    if installed.is_file():
        return installed
    if release.suite is None:
        raise UserError(
            f"the Debian package {release.package} is not installed",
            f"apt-get install --no-install-recommends {release.package}, or KERNEL_SOURCE=PATH with sources of Linux {release.version}",
        )
    if not fetched.is_file():
        print(f"{time.strftime('%T')} fetching Debian's {release.package} (once; 170 MB)", flush=True)
        _fetch(release, release.suite, fetched)
    return fetched


def _fetch(release: Release, suite: str, archive: Path) -> None:
    try:
        lines = apt_lines(suite)
    except UserError as error:
        raise UserError(f"Linux {release.version} cannot be fetched: {error.what}", "KERNEL=PATH takes sources that you have") from None
    archive.parent.mkdir(parents=True, exist_ok=True)
    with unfinished_folder(archive.parent) as folder:
        (folder / "sources.list").write_text("".join(f"{line}\n" for line in lines))
        apt = ["apt-get", *_own_places(folder)]
        _run([*apt, "update"], folder, f"Debian's list of {suite} cannot be fetched")
        _run([*apt, "download", release.package], folder, f"Debian's package {release.package} cannot be fetched from {suite}")
        package = next(folder.glob("*.deb"))
        with whole_file(archive) as unfinished, unfinished.open("wb") as stream, _files_of(package) as files:
            taken = ["tar", "--extract", "--to-stdout", f"./{release.archive_in_package}"]
            if subprocess.run(taken, stdin=files.stdout, stdout=stream, check=False).returncode != 0:
                raise UserError(f"{package.name} has no {release.archive_in_package}")


def _own_places(folder: Path) -> list[str]:
    """Options by which apt touches nothing of this machine's, so that anyone may use it."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    places = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "root",  # its own user may not write here
        "Debug::NoLocking": "true",
    }
    return ["-qq", *(word for name, place in places.items() for word in ("-o", f"{name}={place}"))]


def _run(command: Sequence[str], folder: Path, failure: str) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"{failure}: {result.stderr.strip()[-400:]}", "KERNEL=PATH takes sources that you have")


def _files_of(package: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
