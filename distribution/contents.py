"""What is in the packages."""

from __future__ import annotations

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
NAME = "nodectl-p4"
MODULE = "nodectl_p4"
SUMMARY = "A P4_16 compiler and a v1model switch in place of p4lang's p4c and BMv2"
LICENSE = "Apache-2.0"
COMMANDS = ("p4c", "p4c-bm2-ss", "simple_switch_grpc", "simple_switch_CLI", "p4switch", "p4test", "p4sim", "p4graph")
INCLUDES = REPOSITORY / "switch" / "p4include"


def version() -> str:
    """The toolchain's own version."""
    manifest = tomllib.loads((REPOSITORY / "switch" / "Cargo.toml").read_text())
    return str(manifest["workspace"]["package"]["version"])


def command_paths(folder: Path) -> list[Path]:
    """The built commands. Raises FileNotFoundError if one is missing."""
    paths = [folder / name for name in COMMANDS]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there: build the toolchain first (`make switch`)")
    return paths


def module_files() -> list[Path]:
    """The files of the Python module."""
    return sorted(path for path in (HERE / MODULE).iterdir() if path.suffix == ".py" or path.name == "py.typed")
