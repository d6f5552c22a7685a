"""The emulated machine's file system: the userland that the wheel brings, its Python packages for Linux, the wheel's own files, the job."""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from common.errors import UserError
from common.installation import NOTE, cache_folder
from common.whole_files import unfinished_folder, whole_file
from testbed.emulated.job import JOB, RESULTS, WORK
from testbed.emulated.linux_packages import install
from testbed.emulated.wheel_files import MODULE, WheelFiles, wheel_files
from virtual_time.file_system.cpio import CpioWriter

PROGRAMS = ("/opt/wheel", "/opt/packages")
INIT = f"""#!/usr/bin/python3
import sys
sys.path.insert(0, "{PROGRAMS[0]}/{MODULE}/tree")
from testbed.emulated.guest_init import main
main()
""".encode()
"""The first process: guest_init.py, out of the wheel."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOST_OWN_BYTES = 64_000_000
CHUNK_BYTES = 1 << 22
PYTHON = re.compile(rb"usr/bin/(python3\.\d+)\0")
USERLAND = "userland"
USERLAND_ARCHIVE = f"{MODULE}/tree/build/layers/{USERLAND}.cpio.xz"


def write_file_system(target: Path, words: Sequence[str], environment: Mapping[str, str], here: Path) -> None:
    """Write the archive that the emulated machine's kernel unpacks.

    Args:
        target: the file.
        words: the testbed's command line inside.
        environment: variables for it, besides those that this sets.
        here: the folder that the person is in; files that ``words`` name come along.

    Raises:
        UserError: a file cannot come along, or Python packages cannot be had.
    """
    wheel = wheel_files()
    own = dict(_own_files(words, here))
    folder = cache_folder() / "emulated"
    with target.open("wb") as stream:
        with _base(wheel, folder).open("rb") as base:
            shutil.copyfileobj(base, stream, CHUNK_BYTES)
        with CpioWriter(stream) as archive:
            archive.file("/init", INIT, executable=True)
            job = {"words": list(words), "environment": {"PATH": PATH, "HOME": "/root", "PYTHONPATH": ":".join(PROGRAMS), **environment}}
            archive.file(str(JOB), json.dumps(job).encode())
            for name, content in own.items():
                archive.file(f"{WORK}/{name}", content)


def _base(wheel: WheelFiles, folder: Path) -> Path:
    """The part that is the same for every command; made once for a wheel, and older ones are removed."""
    note = json.loads(wheel.read(f"{MODULE}/tree/{NOTE}"))
    name = "-".join([note["version"], str(note["commit"]), note["kernel"], note["layers"][USERLAND][0]])
    base = folder / f"{name}.cpio"
    if not base.exists():
        for older in folder.glob("*.cpio"):
            older.unlink()
        with whole_file(base) as unfinished, unfinished.open("wb") as stream:
            with lzma.open(io.BytesIO(wheel.read(USERLAND_ARCHIVE))) as source:
                shutil.copyfileobj(source, stream, CHUNK_BYTES)
            stream.flush()
            python = _python(unfinished)
            with CpioWriter(stream) as archive:
                _add(archive, PROGRAMS[0], wheel.all())
            _add_packages(stream, wheel.needs(), python, folder)
    return base


def _python(userland: Path) -> str:
    """The Python of the userland, such as 3.11."""
    found = PYTHON.search(userland.read_bytes())
    if found is None:
        raise UserError("the wheel's userland has no Python")
    return found[1].decode().removeprefix("python")


def _add_packages(stream: BinaryIO, needs: Sequence[str], python: str, folder: Path) -> None:
    with unfinished_folder(folder) as packages:
        install(needs, packages, python)
        with CpioWriter(stream) as archive:
            _add(
                archive,
                PROGRAMS[1],
                ((file.relative_to(packages).as_posix(), file.read_bytes()) for file in sorted(packages.rglob("*")) if file.is_file()),
            )


def _add(archive: CpioWriter, root: str, files: Iterator[tuple[str, bytes]]) -> None:
    for name, content in files:
        archive.file(f"{root}/{name}", content, executable=content.startswith((b"\x7fELF", b"#!")))


def _own_files(words: Sequence[str], here: Path) -> Iterator[tuple[str, bytes]]:
    """The files that the words of a command line name, with all that are beside them."""
    size = 0
    for named in {folder for word in words for folder in _folder_of(word.rpartition("=")[2], here)}:
        for file in _files_below(named):
            size += file.stat().st_size
            if size > MOST_OWN_BYTES:
                raise UserError(f"{named} has more than {MOST_OWN_BYTES // 10**6} MB", "call the command in a folder of its own")
            yield file.relative_to(here.resolve()).as_posix(), file.read_bytes()


def _files_below(folder: Path) -> Iterator[Path]:
    """Without hidden ones, results of runs, and environments of Python's."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_own(name) and not Path(place, name, "pyvenv.cfg").exists())
        yield from (Path(place, name) for name in sorted(files) if _is_own(name))


def _is_own(name: str) -> bool:
    return not name.startswith(".") and name != RESULTS


def _folder_of(word: str, here: Path) -> list[Path]:
    if not word or word.startswith("-") or not (here / word).exists():
        return []
    place = (here / word).resolve()
    if not place.is_relative_to(here.resolve()):
        raise UserError(f"{word} is not below the folder that you are in", "the emulated machine gets files from there only")
    return [place if place.is_dir() else place.parent]
