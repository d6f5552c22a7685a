"""A layer of the file system inside: an archive of files of this machine, made once and kept until one of them changes.

Two digests go with it. ``stamp`` tells cheaply whether the archive is still up to date: sizes and times of the files it was made of.
``digest`` is of the contents alone, so it is the same on every machine that has the same files; results name it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from common.whole_files import whole_files
from common.write_errors import cannot_make
from virtual_time.file_system.bytecode import compiled
from virtual_time.file_system.cpio import CpioWriter
from virtual_time.file_system.import_bundle import import_bundle
from virtual_time.quick_imports import BUNDLES

FORMAT = 5
"""Grows when archives are made differently from the same files."""

DIGITS = 12
"""Length of a digest that people read."""

NOTE_SUFFIX = ".json"
"""Of the file beside an archive that tells its digest."""

KEPT_S = 3600.0
"""An archive that nobody has asked for in this time goes when there is a newer one."""


@dataclass(frozen=True)
class LayerContent:
    """The content of a layer.

    Args:
        files: files of this machine, by their paths inside.
        texts: files that are made here, by their paths inside.
        links: symbolic links: path inside, and target.
        folders: empty folders, with their modes.
        devices: character devices for root: major and minor number.
        executable: of ``texts``, those that can be executed.
    """

    files: Mapping[str, Path]
    texts: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, int] = field(default_factory=dict)
    devices: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    executable: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Layer:
    """An archive that is there."""

    archive: Path
    digest: str
    """Of names, modes and contents, compiled Python files too: equal digests mean equal archives."""


def make_layer(name: str, content: LayerContent, cache: Path) -> Layer:
    """The archive of a layer; made if it is not there or files have changed since.

    Other files make another archive, under another name: runs side by side that want different ones do not disturb each other.

    Args:
        name: the beginning of its archives' names.
        content: its files, links, folders and devices.
        cache: folder for archives; made if necessary.

    Raises:
        UserError: a file cannot be read, a Python file has errors, or the archive cannot be written.
    """
    stamp = _stamp(content)
    archive = cache / f"{name}-{stamp[:DIGITS]}.cpio"
    note = archive.with_suffix(NOTE_SUFFIX)
    try:
        known = json.loads(note.read_text())
        if known["stamp"] == stamp and archive.stat().st_size == known["bytes"]:
            with suppress(OSError):  # it is another user's, or its file system is read-only here
                os.utime(note)
            return Layer(archive, known["digest"])
    except (OSError, ValueError, KeyError):
        pass
    try:
        with whole_files(cache) as unfinished:
            digest = _write(unfinished / archive.name, name, content)
            written = (unfinished / archive.name).stat()
            (unfinished / note.name).write_text(json.dumps({"stamp": stamp, "digest": digest, "bytes": written.st_size}))
        _forget_old(name, note, cache)
    except OSError as error:
        raise cannot_make(archive, error) from None
    return Layer(archive, digest)


def files_below(folder: Path, inside: str, *, skip: Iterable[str] = (), suffixes_left_out: tuple[str, ...] = ()) -> dict[str, Path]:
    """All files of a folder and those below it, but for compiled Python files; symbolic links to files count as files.

    Args:
        folder: outside.
        inside: its path inside.
        skip: names of folders, anywhere below, that are left out.
        suffixes_left_out: of files.
    """
    left_out = {"__pycache__", *skip}
    found: dict[str, Path] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in left_out)
        below = Path(root).relative_to(folder)
        for name in sorted(names):
            file = Path(root, name)
            if not name.endswith((".pyc", *suffixes_left_out)) and file.is_file():
                found[f"{inside}/{below / name}".replace("/./", "/")] = file
    return found


def _stamp(content: LayerContent) -> str:
    hashed = hashlib.sha256()
    hashed.update(repr((FORMAT, content.texts, content.links, content.folders, content.devices, content.executable)).encode())
    for inside, file in sorted(content.files.items()):
        try:
            state = file.stat()
        except OSError as error:
            raise UserError(f"cannot read {file}: {error.strerror}") from None
        hashed.update(f"{inside} {file} {state.st_size} {state.st_mtime_ns} {state.st_mode}\n".encode())
    return hashed.hexdigest()


def _write(archive: Path, name: str, content: LayerContent) -> str:
    hashed = hashlib.sha256()
    codes = compiled({inside: file for inside, file in content.files.items() if inside.endswith(".py")})
    with archive.open("wb") as stream, CpioWriter(stream) as writer:
        for inside, mode in sorted(content.folders.items()):
            writer.folder(inside, mode)
            hashed.update(f"folder {inside} {mode:o}\n".encode())
        for inside, (major, minor) in sorted(content.devices.items()):
            writer.character_device(inside, major, minor)
            hashed.update(f"device {inside} {major} {minor}\n".encode())
        for inside, target in sorted(content.links.items()):
            writer.link(inside, target)
            hashed.update(f"link {inside} {target}\n".encode())
        for inside in sorted({*content.files, *content.texts}):
            text = content.texts.get(inside)
            data = content.files[inside].read_bytes() if text is None else text.encode()
            executable = bool(content.files[inside].stat().st_mode & 0o100) if text is None else inside in content.executable
            writer.file(inside, data, executable=executable)
            hashed.update(f"file {inside} {executable} {hashlib.sha256(data).hexdigest()}\n".encode())
        if codes:
            bundle = import_bundle(codes, content.files)
            writer.file(f"{BUNDLES}/{name}", bundle)
            hashed.update(f"bundle {hashlib.sha256(bundle).hexdigest()}\n".encode())
    return hashed.hexdigest()[:DIGITS]


def _forget_old(name: str, new: Path, cache: Path) -> None:
    """Remove old archives, by the clock of the files, which may not be that of this process."""
    now_s = new.stat().st_mtime
    for note in cache.glob(f"{name}-{'[0-9a-f]' * DIGITS}{NOTE_SUFFIX}"):
        with suppress(FileNotFoundError):  # somebody else has
            if now_s - note.stat().st_mtime > KEPT_S:
                note.unlink()
                note.with_suffix(".cpio").unlink()


__all__ = ["Layer", "LayerContent", "files_below", "make_layer"]
