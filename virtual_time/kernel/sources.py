"""A kernel's sources: an archive or a tree, its version and checksum, and unpacking it with patches."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.whole_files import write_whole
from virtual_time.kernel.releases import RELEASES, Version

LEFT_OUT = (
    "Documentation/*",
    "tools/testing/*",
    "drivers/gpu/*.[ch]",
    "drivers/net/ethernet/*.[ch]",
    "drivers/net/wireless/*.[ch]",
    "drivers/media/*.[ch]",
    "drivers/staging/*.[ch]",
    "sound/*.[ch]",
)
"""Half of the sources, which no build of ours reads."""

BUILT = ("*.o", "*.ko", "*.a", "*.cmd", ".config*", "include/config", "include/generated", "arch/*/include/generated", ".git", "vmlinux*")
"""Files in a tree that belong to somebody's build of it."""

_VERSION = re.compile(r"^VERSION = (\d+)\nPATCHLEVEL = (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Sources:
    """Linux' sources.

    Args:
        path: of an archive, or of a tree.
        memory: a file that remembers what is found out about archives, which takes seconds.
    """

    path: Path
    memory: Path

    @cached_property
    def version(self) -> Version:
        """Of Linux.

        Raises:
            UserError: these are no sources of Linux.
        """
        text = self._known["makefile"] if self.path.is_file() else _text(self.path / "Makefile")
        found = _VERSION.search(text)
        if found is None:
            raise UserError(f"{self.path}: these are no sources of Linux: no Makefile at their top says a version")
        return Version(int(found[1]), int(found[2]))

    @cached_property
    def checksum(self) -> str:
        """Of an archive's content; of a tree's files, their sizes and times."""
        if self.path.is_file():
            return str(self._known["sha256"])
        hashed = hashlib.sha256()
        for name in self._files():
            state = (self.path / name).lstat()
            hashed.update(f"{name} {state.st_size} {state.st_mtime_ns}\n".encode())
        return hashed.hexdigest()

    def unpack(self, folder: Path) -> None:
        """Put the files that a build needs into a new folder, without the archive's own top folder.

        Raises:
            UserError: it cannot be unpacked.
        """
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        result = _unpacked(self.path, folder) if self.path.is_file() else _copied(self.path, self._files(), folder)
        if result.returncode != 0 or not (folder / "arch" / "um").is_dir():
            said = result.stderr.decode(errors="replace").strip()[-400:]
            raise UserError(f"{self.path} cannot be unpacked, or has no kernel sources: {said}")
        (folder / "Documentation").mkdir(exist_ok=True)
        (folder / "Documentation" / "Kconfig").touch()  # the configuration reads it

    @cached_property
    def _known(self) -> dict[str, Any]:
        state = self.path.stat()
        stamp = f"{self.path} {state.st_size} {state.st_mtime_ns}"
        known = _remembered(self.memory)
        if stamp not in known:
            with self.path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            known |= {stamp: {"sha256": digest, "makefile": _makefile_in(self.path)}}
            write_whole(self.memory, json.dumps(known, indent=1) + "\n")
        found: dict[str, Any] = known[stamp]
        return found

    def _files(self) -> list[str]:
        """Names of a tree's files: those that git knows or would take, or all but those of a build."""
        if (self.path / ".git").exists():
            listed = ["git", "-C", str(self.path), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        else:
            built = [word for name in BUILT for word in ("-o", "-path", f"*/{name}")][1:]
            listed = ["find", str(self.path), "(", *built, ")", "-prune", "-o", "-not", "-type", "d", "-printf", "%P\\0"]
        result = subprocess.run(listed, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise UserError(f"{self.path} cannot be read: {result.stderr.strip()[-400:]}")
        listed_files = [(name, self.path / name) for name in set(result.stdout.split("\0")) if name]
        return sorted(name for name, file in listed_files if file.is_symlink() or file.is_file())  # git also lists what is gone


def apply_patches(folder: Path, patches: Sequence[Path], version: Version) -> None:
    """Apply patches to sources, in order.

    Raises:
        UserError: one does not fit these sources.
    """
    for patch in patches:
        command = ["patch", "--strip=1", "--forward", "--batch", "--silent", "--directory", str(folder), "--input", str(patch)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise UserError(
                f"{patch.name} does not fit these sources of Linux {version}:\n{result.stdout.strip()}",
                f"the testbed's own patches are tested with Linux {' and '.join(RELEASES)}; one's own fit what is left by those",
            )


def _unpacked(archive: Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    left_out = [f"--exclude=*/{pattern}" for pattern in LEFT_OUT]
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(folder), "--strip-components=1", *left_out]
    return subprocess.run(command, capture_output=True, check=False)


def _copied(tree: Path, names: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    left_out = [f"--exclude={pattern}" for pattern in LEFT_OUT]
    listed = folder.with_name(f"{folder.name}.files")
    listed.write_text("\0".join(names))
    packing = ["tar", "--create", "--directory", str(tree), "--no-recursion", *left_out, "--null", f"--files-from={listed}"]
    with subprocess.Popen(packing, stdout=subprocess.PIPE) as packed:
        result = subprocess.run(["tar", "--extract", "--directory", str(folder)], stdin=packed.stdout, capture_output=True, check=False)
    listed.unlink()
    return result


def _makefile_in(archive: Path) -> str:
    wanted = ["--occurrence=1", "--wildcards", "--no-wildcards-match-slash", "*/Makefile"]
    command = ["tar", "--extract", "--to-stdout", "--file", str(archive), *wanted]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(errors="replace")


def _remembered(memory: Path) -> dict[str, Any]:
    try:
        known = json.loads(memory.read_text())
        return {stamp: one for stamp, one in known.items() if {"sha256", "makefile"} <= set(one)}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
