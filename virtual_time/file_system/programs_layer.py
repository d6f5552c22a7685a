"""Ordinary programs inside: each with its Debian package and dependencies, a script with its interpreter.

A program is at its own path inside, and in ``/usr/local/bin`` by its name, wherever it is outside.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from virtual_time.file_system.debian_packages import files_of, package_of, packages_with
from virtual_time.file_system.layer import LayerContent
from virtual_time.file_system.shared_libraries import is_elf, needed_libraries
from virtual_time.file_system.userland import command_inside, library_inside, path_inside
from virtual_time.places import PROGRAMS

SCRIPT = b"#!"
ENV = "env"
MOUNTED = ("/tmp", "/run", "/dev", "/proc", "/sys", "/job", "/host", "/out")
"""Folders that are made anew inside: an archive's files there are not seen."""

PASSWD = "/etc/passwd"
ACCOUNTS = {"openssh-server": "sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n"}
"""Accounts that the installation of a package adds."""


def programs_layer(programs: Iterable[Path], beside: LayerContent) -> LayerContent:
    """Programs with all that they need of this machine.

    Args:
        programs: where they are outside; absolute.
        beside: the userland that they are added to, which is not changed.

    Raises:
        UserError: a shared library or the interpreter of a script is not installed.
    """
    files: dict[str, Path] = {}
    links: dict[str, str] = {}
    texts: dict[str, str] = {}
    strict: list[Path] = []
    others: list[Path] = []
    waiting, seen = list(programs), set[Path]()
    packages: dict[str, None] = {}
    while waiting:
        program = waiting.pop(0)
        if program in seen or is_there(program, beside):
            continue
        seen.add(program)
        own = path_inside(program)
        if is_made_anew(program):
            own = str(command_inside(program))
        files[own] = program
        if own != str(command_inside(program)):
            links[str(command_inside(program))] = own
        if is_elf(program):
            strict.append(program)
        elif (interpreter := interpreter_of(program)) is not None:
            waiting.append(interpreter)
        if (package := package_of(program)) is not None:
            others += files_of(package)
            packages |= dict.fromkeys(packages_with(package))
    for package in packages:
        for file in files_of(package):
            _add(file, files, links)
        if package in ACCOUNTS:
            texts[PASSWD] = texts.get(PASSWD, beside.texts.get(PASSWD, "")) + ACCOUNTS[package]
    of_packages = [one for one in others if not one.is_symlink() and one.is_file() and is_elf(one)]
    for library in [*needed_libraries(strict), *needed_libraries(of_packages, may_be_missing=True)]:
        files[library_inside(library, beside)] = library
    there = beside.files.keys() | beside.links.keys()
    files = {path: file for path, file in files.items() if path not in there}
    links = {path: target for path, target in links.items() if path not in there and path not in files}
    return LayerContent(files, texts, links)


def interpreter_of(script: Path, content: bytes | None = None) -> Path | None:
    """The program that the first line of a script names; None: there is no such line, so a shell reads it.

    Args:
        script: which, for messages.
        content: its content; None: it is read.

    Raises:
        UserError: that program is not installed, or the script cannot be read.
    """
    try:
        first = (script.read_bytes() if content is None else content).partition(b"\n")[0]
    except OSError as error:
        raise UserError(f"{script} cannot be read: {error.strerror}") from None
    if not first.startswith(SCRIPT):
        return None
    words = first.removeprefix(SCRIPT).decode(errors="replace").split()
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word] if words and Path(words[0]).name == ENV else words
    found = shutil.which(names[0], path=PROGRAMS) if names else None
    if found is None:
        named = names[0] if names else first.decode(errors="replace")
        raise UserError(f"{script} is a script for {named}, which is not installed", "install it, or name another one in the first line")
    return Path(found)


def is_there(program: Path, beside: LayerContent) -> bool:
    """Whether the userland has a program at this path already."""
    own = path_inside(program)
    return own in beside.files or own in beside.links


def is_made_anew(file: Path) -> bool:
    """Whether a file is in a folder that is made anew inside."""
    return path_inside(file).startswith(tuple(f"{folder}/" for folder in MOUNTED))


def _add(file: Path, files: dict[str, Path], links: dict[str, str]) -> None:
    inside = path_inside(file)
    if file.is_symlink():
        target = str(file.readlink())
        if target.startswith("/etc/alternatives/"):
            target = path_inside(file.resolve())
        links[inside] = target
    else:
        files[inside] = file


__all__ = ["interpreter_of", "is_made_anew", "is_there", "programs_layer"]
