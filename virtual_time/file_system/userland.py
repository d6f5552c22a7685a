"""The programs inside: Debian's Python, Mininet and iproute2 of this machine, and the Python packages of the testbed.

A run depends on their versions, so they are an input of it like the scenario; the layer's digest tells them.
"""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from common.errors import UserError
from virtual_time import quick_imports
from virtual_time.file_system.layer import LayerContent, files_below
from virtual_time.file_system.shared_libraries import is_elf, needed_libraries

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
"""The same inside as outside: code that is compiled outside runs inside."""

COMMANDS = {
    PYTHON: "python3",
    "bash": "bash",
    "dash": "dash",
    "mnexec": "mininet",
    "ip": "iproute2",
    "ss": "iproute2",
    "ifconfig": "net-tools",
    "ping": "iputils-ping",
    "sysctl": "procps",
    "ps": "procps",
    "unshare": "util-linux",
    "taskset": "util-linux",
    "chrt": "util-linux",
    "grep": "grep",
    "sed": "sed",
    "kill": "procps",
    "pgrep": "procps",
    "which": "debianutils",
    "nice": "coreutils",
    "rm": "coreutils",
    "cp": "coreutils",
    "mv": "coreutils",
    "ln": "coreutils",
    "chmod": "coreutils",
    "date": "coreutils",
    "echo": "coreutils",
    "id": "coreutils",
    "tee": "coreutils",
    "wc": "coreutils",
    "head": "coreutils",
    "tail": "coreutils",
    "cut": "coreutils",
    "sort": "coreutils",
    "tr": "coreutils",
    "touch": "coreutils",
    "timeout": "coreutils",
    "stty": "coreutils",
    "env": "coreutils",
    "cat": "coreutils",
    "ls": "coreutils",
    "sleep": "coreutils",
    "true": "coreutils",
    "uname": "coreutils",
    "mkdir": "coreutils",
    "hostname": "hostname",
}
"""Commands inside, and the Debian packages that have them."""

MININET = "/usr/lib/python3/dist-packages/mininet"
OF_MININET = ("packaging",)
"""Python packages that some releases of Mininet import, and others do not."""

TEST_PACKAGES = ("pytest", "pytest-timeout", "pytest-rerunfailures", "hypothesis", "scapy", "matplotlib")
PACKAGES = ("finsy", "pydantic", "rich", "numpy", "simpleeval", "typer")
"""Python packages that a run imports; those which they need come with them."""

STDLIB_LEFT_OUT = (
    *("test", "tests", "idlelib", "lib2to3", "tkinter", "turtledemo", "pydoc_data", "ensurepip"),
    f"config-{PYTHON.removeprefix('python')}-x86_64-linux-gnu",
)
INSTALLATION_NOTES = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
"""Files in which pip notes how and where it installed a package."""

PACKAGES_LEFT_OUT = ("tests", "test", "f2py", "include", "testing", "__pycache__", "..")
"""Folders of packages; ``..`` stands for all files that they install outside of their own."""

SUFFIXES_LEFT_OUT = (".pyi", ".h", ".pyc", ".a")
"""Of files that no program reads while it runs."""

INSIDE_PACKAGES = f"/usr/local/lib/{PYTHON}/dist-packages"
"""Where Debian's Python looks by itself."""

TEXTS = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/resolv.conf": "",
}
LINKS = {
    "/bin": "usr/bin",
    "/sbin": "usr/sbin",
    "/lib": "usr/lib",
    "/lib64": "usr/lib64",
    "/usr/bin/python3": PYTHON,
    "/usr/bin/sh": "dash",
    "/dev/fd": "/proc/self/fd",
}
FOLDERS = {"/proc": 0o755, "/sys": 0o755, "/dev": 0o755, "/run": 0o755, "/tmp": 0o1777, "/root": 0o700, "/var/tmp": 0o1777}
DEVICES = {"/dev/console": (5, 1), "/dev/null": (1, 3)}
COMMANDS_INSIDE = "/usr/local/bin"
"""Where other programs are inside, wherever they are outside."""

LIBRARY_FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
"""Libraries below these are at the same path inside."""

OTHER_LIBRARIES_INSIDE = "/usr/lib"
"""Where the others are: the last folder that the loader looks into by itself."""


@cache
def userland(packages: tuple[str, ...] = PACKAGES) -> LayerContent:
    """Everything that is not of the checkout. Finding every program's libraries takes a second, so it is done once.

    Args:
        packages: Python packages that are imported.

    Raises:
        UserError: something is not installed.
    """
    files = _commands()
    stdlib = Path(sysconfig.get_path("stdlib"))
    files |= files_below(stdlib, f"/usr/lib/{PYTHON}", skip=(*STDLIB_LEFT_OUT, "dist-packages", "site-packages"))
    mininet = files_below(Path(MININET), MININET, skip=("test",))
    files |= mininet
    files[f"/usr/lib/{PYTHON}/sitecustomize.py"] = Path(quick_imports.__file__)
    files |= _python_packages((*packages, *_packages_of(mininet.values())))
    for library in needed_libraries(sorted({file for file in files.values() if _has_code(file) and is_elf(file)})):
        if not library.is_relative_to(sys.prefix):  # those that packages bring are found beside them
            files[path_inside(library)] = library
    return LayerContent(files, TEXTS, LINKS, FOLDERS, DEVICES)


def _packages_of(mininet: Iterable[Path]) -> tuple[str, ...]:
    """Python packages that this release's Mininet imports."""
    text = b"".join(file.read_bytes() for file in mininet)
    return tuple(name for name in OF_MININET if f"from {name}".encode() in text)


def testing() -> LayerContent:
    """The same, and the packages that tests need besides."""
    return userland((*PACKAGES, *TEST_PACKAGES))


def command_inside(command: Path) -> Path:
    """Where one of the programs of :func:`commands_layer` is inside."""
    return Path(COMMANDS_INSIDE, command.name)


def commands_layer(commands: Iterable[Path], beside: LayerContent) -> LayerContent:
    """Other programs, with their libraries: only their contents count, not their places outside.

    Args:
        commands: where they are outside; libraries that are loaded by name may be among them.
        beside: the userland that they are added to.

    Raises:
        UserError: one of them is a script, or a library is not installed, or the userland has another library of that name.
    """
    files = {path_inside(command) if ".so" in command.suffixes else str(command_inside(command)): command for command in commands}
    for command in files.values():
        if not is_elf(command):
            raise UserError(
                f"{command} is a script: the programs it starts are missing in virtual time",
                "put the folder of the program itself first on PATH, or use TIME=real",
            )
    for found in needed_libraries(list(files.values())):
        files[library_inside(found, beside)] = found.parent.resolve() / found.name  # the name is what the loader asks for
    return LayerContent(files)


def library_inside(found: Path, beside: LayerContent) -> str:
    """Where a shared library is inside, if the loader outside finds it there.

    Raises:
        UserError: the userland has another library of that name.
    """
    library = found.parent.resolve() / found.name
    if any(map(library.is_relative_to, LIBRARY_FOLDERS)):
        return path_inside(library)
    _check_no_other(library, beside)
    return f"{OTHER_LIBRARIES_INSIDE}/{library.name}"


def _check_no_other(library: Path, beside: LayerContent) -> None:
    """Refuse a library if the userland has another of its name, which the loader would find first."""
    for inside, other in beside.files.items():
        same_name = inside.startswith(f"{OTHER_LIBRARIES_INSIDE}/") and Path(inside).name == library.name
        if same_name and other.read_bytes() != library.read_bytes():
            raise UserError(f"{library} and {other} are different libraries of one name: no room for both in virtual time", "use TIME=real")


def _commands() -> dict[str, Path]:
    found, missing = {}, set()
    for command, package in COMMANDS.items():
        file = shutil.which(command, path="/usr/sbin:/usr/bin:/sbin:/bin")
        if file is None:
            missing.add(package)
        else:
            found[path_inside(Path(file))] = Path(file)
    if missing:
        names = " ".join(sorted(missing))
        raise UserError(f"Debian packages are missing: {names}", f"apt-get install --no-install-recommends {names}")
    return found


def path_inside(file: Path) -> str:
    """The path of a program or library inside, where /bin, /sbin and /lib are links into /usr."""
    path = str(file)
    return f"/usr{path}" if re.match(r"/(s?bin|lib(64)?)/", path) else path


def _has_code(file: Path) -> bool:
    return ".so" in file.suffixes or file.suffix == "" or file.parent.name in ("bin", "sbin")


def _python_packages(wanted: Iterable[str]) -> dict[str, Path]:
    """Files of packages that are installed beside this Python, and of those which they need."""
    files: dict[str, Path] = {}
    todo, seen = list(wanted), set()
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise UserError(f"the Python package {name} is not installed in {sys.prefix}", "run `make setup`") from None
        for requirement in distribution.requires or []:
            found = re.match(r"[A-Za-z0-9._-]+", requirement)
            if found and "extra ==" not in requirement and _applies(requirement):
                todo.append(found[0])
        for file in distribution.files or []:
            path = Path(str(distribution.locate_file(file)))
            wanted_file = not set(file.parts) & set(PACKAGES_LEFT_OUT) and path.suffix not in SUFFIXES_LEFT_OUT
            noted = file.name in INSTALLATION_NOTES and file.parent.name.endswith(".dist-info")
            if wanted_file and not noted and path.is_file():
                files[f"{INSIDE_PACKAGES}/{file}"] = path
    return files


def _applies(requirement: str) -> bool:
    from packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({"extra": ""})
