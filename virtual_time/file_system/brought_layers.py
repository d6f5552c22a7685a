"""The layers of a file system inside that the wheel brings: unpacked once, into the user's cache."""

from __future__ import annotations

import fcntl
import lzma
import shutil
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError
from common.installation import BROUGHT, Note
from common.whole_files import whole_file
from virtual_time.file_system.image import CACHE
from virtual_time.file_system.layer import Layer
from virtual_time.file_system.made_layers import CHECKOUT, COMMANDS, PROGRAMS, USERLAND

FOLDER = BROUGHT / "layers"
SUFFIX = ".cpio.xz"
CHUNK_BYTES = 1 << 22
LIBBPF = "libbpf.so.1"
"""The one library among the commands."""

REMEDY = "a checkout on Debian can have it: see CONTRIBUTING.md"


def brought_layers(
    note: Note,
    *,
    with_tests: bool = False,
    commands: Sequence[Path] = (),
    programs: Sequence[Path] = (),
    packages: Sequence[str] = (),
    cache: Path = CACHE,
    folder: Path = FOLDER,
) -> list[Layer]:
    """The same layers as :func:`virtual_time.file_system.made_layers.made_layers`, from the wheel.

    Args:
        note: of the wheel.
        with_tests, commands, programs, packages: as :meth:`virtual_time.session.Session.prepare` has them.
        cache: folder for the unpacked archives.
        folder: the one of the packed archives.

    Raises:
        UserError: the wheel has not brought something, or the cache cannot be written.
    """
    others = [command.name for command in commands if command.name != LIBBPF]
    if with_tests or others:
        raise UserError(f"an installed testbed has no {', '.join(others) or 'tests'} in virtual time", REMEDY)
    names = [USERLAND, *packages]
    names += [COMMANDS] if commands else []
    names += [PROGRAMS] if programs else []
    missing = [name for name in names if name not in note.layers]
    if missing:
        raise UserError(f"an installed testbed has no {', '.join(missing)} in virtual time", REMEDY)
    return [unpacked(name, note, cache, folder) for name in [*names, CHECKOUT]]


def unpacked(name: str, note: Note, cache: Path, folder: Path) -> Layer:
    """A layer's archive in the cache. Of several runs that begin at once, one unpacks and the others wait for it.

    Raises:
        UserError: it cannot be written.
    """
    packed = note.layers[name]
    archive = cache / f"{name}-{packed.digest}.cpio"
    if not _is_whole(archive, packed.bytes):
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with (cache / f"{name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not _is_whole(archive, packed.bytes):
                    _unpack(folder / f"{name}{SUFFIX}", archive)
        except (OSError, lzma.LZMAError) as error:
            room = f"it takes {packed.bytes / 1e6:.0f} MB; XDG_CACHE_HOME names another folder"
            why = error.strerror if isinstance(error, OSError) else error
            raise UserError(f"cannot unpack what was installed to {archive}: {why}", room) from None
    return Layer(archive, packed.digest)


def _unpack(packed: Path, archive: Path) -> None:
    with whole_file(archive) as unfinished, unfinished.open("wb") as stream, lzma.open(packed) as source:
        shutil.copyfileobj(source, stream, CHUNK_BYTES)


def _is_whole(archive: Path, size: int) -> bool:
    try:
        return archive.stat().st_size == size
    except OSError:
        return False
