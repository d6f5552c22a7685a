"""The archives of the file system inside, compressed for the wheel: userland, checkout, and additions for programs of scenarios."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.installation import BroughtLayer
from common.whole_files import whole_file
from engine.execute.virtual_runs import PROGRAM_PACKAGES
from engine.plan.program_files import PROGRAMS as WHERE
from engine.plan.program_files import libbpf
from virtual_time.file_system.brought_layers import SUFFIX
from virtual_time.file_system.layer import DIGITS, Layer
from virtual_time.file_system.made_layers import CHECKOUT, COMMANDS, PROGRAMS, USERLAND, made_layers

ORDINARY_PROGRAMS = ("curl", "iperf3", "nginx")
"""That the examples, templates and papers run."""

COMPRESSOR = ("xz", "--threads=2", "--block-size=96MiB", "--x86", "--lzma2=preset=9", "--stdout")
"""Blocks are compressed side by side. Most of an archive is machine code, which the filter for it makes 6 % smaller."""


@dataclass(frozen=True)
class PackedLayer:
    """A compressed archive.

    Args:
        name: as virtual_time/file_system/brought_layers.py asks for it.
        file: the compressed one.
        brought: its entry in the note.
    """

    name: str
    file: Path
    brought: BroughtLayer


def program_places() -> dict[str, str]:
    """Where the ordinary programs are, by name.

    Raises:
        UserError: one is not installed.
    """
    found = {name: shutil.which(name, path=WHERE) for name in ORDINARY_PROGRAMS}
    if missing := [name for name, place in found.items() if place is None]:
        raise UserError(f"not installed, and the wheel is to bring them: {', '.join(missing)}", "make packages")
    return {name: str(place) for name, place in found.items()}


def packed_layers(cache: Path) -> Iterator[PackedLayer]:
    """All of them.

    Args:
        cache: folder for compressed archives; those of the same content are compressed once.

    Raises:
        UserError: something is not installed.
    """
    programs = [Path(place) for place in program_places().values()]
    made = made_layers(commands=[libbpf()], programs=programs, packages=PROGRAM_PACKAGES)
    for name, layers in _named(made).items():
        yield _packed(name, layers, cache)


def _named(made: Sequence[Layer]) -> dict[str, list[Layer]]:
    """The layers of each archive, by its name; a Python package and its dependencies are one archive."""
    by_name = {layer.archive.name.rpartition("-")[0]: layer for layer in made}
    packages = {name: [by_name[f"packages-{name}"], *([by_name[name]] if name in by_name else [])] for name in PROGRAM_PACKAGES}
    return {name: [by_name[name]] for name in (USERLAND, COMMANDS, PROGRAMS, CHECKOUT)} | packages


def _packed(name: str, layers: Sequence[Layer], cache: Path) -> PackedLayer:
    digests = " ".join(layer.digest for layer in layers)
    digest = layers[0].digest if len(layers) == 1 else hashlib.sha256(digests.encode()).hexdigest()[:DIGITS]
    file = cache / f"{name}-{digest}{SUFFIX}"
    if not file.exists():
        with whole_file(file) as unfinished, unfinished.open("wb") as stream:
            with subprocess.Popen(COMPRESSOR, stdin=subprocess.PIPE, stdout=stream) as compressor:
                assert compressor.stdin is not None
                for layer in layers:
                    with layer.archive.open("rb") as source:
                        shutil.copyfileobj(source, compressor.stdin, 1 << 22)
                compressor.stdin.close()
            if compressor.returncode != 0:
                raise UserError(f"{name} could not be compressed; xz's messages are above", "apt-get install xz-utils")
    return PackedLayer(name, file, BroughtLayer(digest, sum(layer.archive.stat().st_size for layer in layers)))
