"""Builds a kernel from sources, configuration and patches, and keeps it under a checksum of all of them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.installation import BROUGHT, INSTALLED
from virtual_time.kernel.choice import KernelChoice
from virtual_time.kernel.debian_sources import archive_of
from virtual_time.kernel.precompiled import COMPILER, HEADERS, SAMPLE, precompile
from virtual_time.kernel.releases import CONFIGURATION, RELEASES, configuration_for, patches_for
from virtual_time.kernel.sources import Sources, apply_patches

CACHE = BROUGHT / "kernel"

STAMP = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01",
    "KBUILD_BUILD_USER": "nodectl",
    "KBUILD_BUILD_HOST": "nodectl",
    "KBUILD_BUILD_VERSION": "1",
}
"""A kernel's notes about its build, fixed: the same inputs give the same file."""

FORMAT = 3
"""Grows when the same inputs are built in another way."""

KEY_DIGITS = 12
KEPT_SUFFIXES = (".h", ".lds", ".mk", ".include", ".sh", ".pl", ".py")
KEPT_NAMES = ("Makefile", "Kconfig", "Kbuild")
ERROR_LINES = 25


@dataclass(frozen=True)
class Kernel:
    """A kernel that is built.

    Args:
        folder: its name is the checksum of everything that the kernel was built from.
    """

    folder: Path

    @property
    def key(self) -> str:
        """Checksum of sources, configuration, patches and compiler."""
        return self.folder.name

    @property
    def program(self) -> Path:
        """The kernel itself, a program."""
        return self.folder / "linux"

    @property
    def objects(self) -> Path:
        """The folder that modules for it are built against: ``make -C OBJECTS ARCH=um M=FOLDER modules``."""
        return self.folder / "objects"

    @property
    def digest(self) -> str:
        """Checksum of the program, the same wherever it was built alike."""
        return (self.folder / "linux.sha256").read_text().strip()


def find(choice: KernelChoice | None = None) -> Kernel | None:
    """A kernel of these sources and this checkout, if it is built; or the one that the wheel brings.

    Args:
        choice: which; None: the one that is used where none is named.
    """
    choice = choice or KernelChoice.of("")
    if INSTALLED is not None and not choice.is_default:
        return None
    try:
        kernel = Kernel(CACHE / (key(choice) if INSTALLED is None else INSTALLED.kernel))
    except UserError:
        return None
    return kernel if kernel.program.exists() else None


def build(choice: KernelChoice | None = None, jobs: int = 1) -> Kernel:
    """The kernel; built if it is not there.

    Args:
        choice: which; None: the one that is used where none is named.
        jobs: compilers at a time.

    Raises:
        UserError: sources are missing, or something does not compile; with the compiler's words.
    """
    choice = choice or KernelChoice.of("")
    CACHE.mkdir(parents=True, exist_ok=True)
    kernel = Kernel(CACHE / key(choice))
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kernel.program.exists():
            print(f"{time.strftime('%T')} building the user-mode kernel, Linux {choice} (once; some minutes)", flush=True)
            _build(kernel, choice, jobs)
    return kernel


def key(choice: KernelChoice) -> str:
    """Checksum of everything that a kernel is built from.

    Raises:
        UserError: there are no sources.
    """
    sources = sources_of(choice)
    hashed = hashlib.sha256(f"{FORMAT} {sorted(STAMP.items())}\n{sources.checksum}\n{configuration_for(sources.version)}".encode())
    for file in (COMPILER, HEADERS, *patches_for(sources.version), *choice.patches):
        hashed.update(file.name.encode() + file.read_bytes())
    hashed.update(subprocess.run(["gcc", "--version"], capture_output=True, check=False).stdout)
    return hashed.hexdigest()[:KEY_DIGITS]


def name_of(text: str) -> str:
    """A kernel's name in folders of results; empty for the usual one. One that is built from a person's files has their checksum in it.

    Args:
        text: that names the kernel.

    Raises:
        UserError: it names none.
    """
    choice = KernelChoice.of(text)
    if choice.is_default:
        return ""
    if choice.text in RELEASES and not choice.patches:
        return f"linux-{choice.text}"
    return f"linux-{key(choice)}"


def sources_of(choice: KernelChoice) -> Sources:
    """The sources of a kernel; a release's are fetched if they are not on this machine.

    Raises:
        UserError: there are none.
    """
    path = archive_of(RELEASES[choice.source], CACHE / "sources") if isinstance(choice.source, str) else choice.source
    return Sources(path, CACHE / "source.json")


def _build(kernel: Kernel, choice: KernelChoice, jobs: int) -> None:
    # The folder may be a link to another one: make names that one.
    target = kernel.folder.parent.resolve() / kernel.key
    work = target.with_name(f"{kernel.key}.partial")
    source, objects = work / "source", work / "objects"
    if work.exists():
        shutil.rmtree(work)  # of a build that failed or was ended
    sources = sources_of(choice)
    sources.unpack(source)
    apply_patches(source, [*patches_for(sources.version), *choice.patches], sources.version)
    objects.mkdir()
    settings = work / CONFIGURATION.name
    settings.write_text(configuration_for(sources.version))
    # Paths of this machine are in no object: a kernel is the same wherever it is built.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))} | STAMP
    maps = f"-ffile-prefix-map={work}=."
    # The configuration, which is part of the kernel, would name the versions of tools that are installed and that nothing here uses.
    # Nobody reads warnings, and gcc is faster without.
    flags = [f"KCFLAGS={maps} -w", f"KAFLAGS={maps}", f"CC={COMPILER}", "RUSTC=none", "PAHOLE=none"]
    make = ["make", "-C", str(source), f"O={objects}", "ARCH=um", *flags]
    _make([*make, "allnoconfig"], environment | {"KCONFIG_ALLCONFIG": str(settings)}, "configured")
    _make([*make, f"-j{jobs}", "prepare", SAMPLE], environment, "compiled")
    if (header := precompile(objects, environment)) is not None:
        environment["PRECOMPILED"] = str(header)
    _make([*make, f"-j{jobs}", "linux", "modules"], environment, "compiled")
    _check_configuration(objects / ".config", settings.read_text())
    settings.unlink()
    shutil.copy2(objects / "linux", work / "linux")
    subprocess.run(["strip", str(work / "linux")], check=True)
    (work / "linux.sha256").write_text(hashlib.sha256((work / "linux").read_bytes()).hexdigest()[:KEY_DIGITS] + "\n")
    for file in work.glob(f"{HEADERS.name}*"):
        file.unlink()
    _keep_what_modules_need(source)
    _keep_what_modules_need(objects, ("Module.symvers", "module.lds", "fixdep", "modpost", ".config", "auto.conf", "modules.order"))
    _make_movable(work)
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


def _make(command: list[str], environment: dict[str, str], done: str) -> None:
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-ERROR_LINES:])
        raise UserError(f"the user-mode kernel could not be {done}:\n{tail}")


def _check_configuration(file: Path, settings: str) -> None:
    """See that the kernel has all settings of our configuration; a name that is gone would go unnoticed otherwise."""
    got = set(file.read_text().splitlines())
    missing = [line for line in settings.splitlines() if line not in got and not (line.endswith(" is not set") and _is_absent(line, got))]
    if missing:
        raise UserError(f"the kernel's configuration does not take {', '.join(missing)}", f"see {CONFIGURATION}")


def _is_absent(line: str, got: set[str]) -> bool:
    name = line.split()[1]
    return not any(one.startswith(f"{name}=") for one in got)


def _keep_what_modules_need(folder: Path, names: tuple[str, ...] = ()) -> None:
    for root, folders, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(root, name)
            in_scripts = "scripts" in path.relative_to(folder).parts
            if not (in_scripts or name.startswith(KEPT_NAMES) or name.endswith(KEPT_SUFFIXES) or name in names):
                path.unlink()
        for name in folders:
            path = Path(root, name)
            if not path.is_symlink() and not any(path.iterdir()):
                path.rmdir()


def _make_movable(folder: Path) -> None:
    """The object tree names its source tree by a path from itself, so that a checkout may be moved."""
    objects = folder / "objects"
    (objects / "linux").symlink_to("../linux")
    (objects / "source").unlink(missing_ok=True)
    (objects / "source").symlink_to("../source")
    makefile, here = objects / "Makefile", "$(dir $(lastword $(MAKEFILE_LIST)))"
    names_output = "KBUILD_OUTPUT" in makefile.read_text()
    output = f"export KBUILD_OUTPUT := $(abspath {here})\n" if names_output else ""
    makefile.write_text(f"{output}include {here}../source/Makefile\n")
