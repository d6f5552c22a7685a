"""The contents of the packages. Both kinds hold the same files; each says where its own system wants a kind of file."""

from __future__ import annotations

import enum
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from switch.packages import notices

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
NAME = "nodectl-p4"
MODULE = "nodectl_p4"
SUMMARY = "A P4_16 compiler and a v1model switch in place of p4lang's p4c and BMv2"
README = HERE / "README.md"
LICENSE = "Apache-2.0"
COMMANDS = (
    *("p4c", "p4c-bm2-ss", "simple_switch_grpc", "simple_switch", "simple_switch_CLI", "p4switch", "p4test", "p4sim", "p4graph"),
    "p4-language-server",
)
MANUAL = "write_manual"
"""The program that writes the manual; it is in no package."""
INCLUDES = REPOSITORY / "switch" / "p4include"
ENTRY_POINTS = f"[pytest11]\n{MODULE} = {MODULE}.pytest_plugin\n"
REQUIRES_PYTHON = ">=3.8"
"""The oldest Python whose syntax the module keeps to, and the oldest that is tried."""


class Kind(enum.Enum):
    """A kind of file; the value is where a Debian package has it. A wheel puts them where its environment is."""

    COMMAND = "usr/bin"
    MODULE = f"usr/lib/python3/dist-packages/{MODULE}"
    METADATA = "usr/lib/python3/dist-packages"
    INCLUDE = f"usr/share/{NAME}/p4include"
    LICENSE = f"usr/share/doc/{NAME}"
    SHARED = "usr/share"


@dataclass(frozen=True)
class File:
    """A file of a package."""

    kind: Kind
    name: str
    """Its path in the folder for its kind."""
    data: bytes


def version() -> str:
    """The toolchain's own version."""
    manifest = tomllib.loads((REPOSITORY / "switch" / "Cargo.toml").read_text())
    return str(manifest["workspace"]["package"]["version"])


def python_metadata() -> bytes:
    """The description of the package for pip (core metadata)."""
    fields = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        f"License-Expression: {LICENSE}",
        "License-File: LICENSE",
        f"License-File: {notices.FILE}",
        f"Requires-Python: {REQUIRES_PYTHON}",
        "Provides-Extra: test",
        'Requires-Dist: pytest>=7; extra == "test"',
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(fields) + "\n\n" + README.read_text()).encode()


def files(binaries: Path, runnable: Path) -> Iterator[File]:
    """All files of a package.

    `binaries` has the commands that are packed; `runnable` has `write_manual` for the processor of this machine.
    Raises FileNotFoundError if one is not built, CalledProcessError if the manual cannot be written.
    """
    for name in COMMANDS:
        yield File(Kind.COMMAND, name, _built(binaries / name).read_bytes())
    for path in sorted((HERE / MODULE).iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield File(Kind.MODULE, path.name, path.read_bytes())
    for path in sorted(INCLUDES.glob("*.p4")):
        yield File(Kind.INCLUDE, path.name, path.read_bytes())
    yield File(Kind.LICENSE, "LICENSE", (REPOSITORY / "LICENSE").read_bytes())
    yield File(Kind.LICENSE, notices.FILE, notices.text(REPOSITORY / "switch" / "Cargo.toml").encode())
    yield File(Kind.METADATA, "METADATA", python_metadata())
    yield File(Kind.METADATA, "entry_points.txt", ENTRY_POINTS.encode())
    yield from _manual(runnable)


def _manual(runnable: Path) -> Iterator[File]:
    """Manual pages and shell completion, where man and the shells look for them."""

    def name_of(path: Path) -> str:
        match path.parent.name:
            case "bash":
                return f"bash-completion/completions/{path.stem}"
            case "zsh":
                return f"zsh/site-functions/{path.name}"
            case "fish":
                return f"fish/vendor_completions.d/{path.name}"
            case section:
                return f"man/{section}/{path.name}"

    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([_built(runnable / MANUAL), temporary], check=True)
        for path in sorted(Path(temporary).rglob("*")):
            if path.is_file():
                yield File(Kind.SHARED, name_of(path), path.read_bytes())


def _built(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: build the toolchain first (`make switch`)")
    return path
