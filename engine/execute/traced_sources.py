"""The P4 programs that a trace speaks of, kept in the run's folder: they may change afterwards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from common.installation import PROJECT
from common.write_errors import cannot_write
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from engine.plan.schemes import needed_schemes, p4_source_of
from engine.plan.tracing import SOURCE_NAMES, SOURCES, source_names
from topo.toolchain import SOURCE, program_of

ELSEWHERE = "elsewhere"


def keep_sources(folder: Path, cells: Sequence[Cell], options: RunOptions) -> None:
    """Copy the P4 programs that the cells' traces may speak of: the testbed's, and every file that others are made of, of any folder,
    as the compiler says.

    Args:
        folder: of the run.
        cells: that are to be measured.
        options: of the run; without a wish for a trace nothing is kept.

    Raises:
        UserError: they cannot be written, or a program cannot be compiled.
    """
    named = _of_others(cells, options)
    try:
        for file in sorted(SOURCE.parent.rglob("*.p4")):
            _copy(file, folder / SOURCES / file.relative_to(SOURCE.parent))
        if named:
            places = {name: str(Path(ELSEWHERE, *file.parts[1:])) for name, file in named.items()}
            for name, file in named.items():
                _copy(file, folder / SOURCES / places[name])
            index = folder / SOURCES / SOURCE_NAMES
            before = source_names(index)  # other schemes may have been measured into the same folder
            index.write_text(json.dumps(before | places, indent=1), encoding="utf-8")
    except OSError as error:
        raise cannot_write(error) from None


def _of_others(cells: Sequence[Cell], options: RunOptions) -> dict[str, Path]:
    """Files of programs that are not beside the testbed's, by the names that the compiler gives them."""
    wanted: dict[tuple[Path, tuple[str, ...]], None] = {}
    for cell in cells:
        variant, scenario = cell.scenario.nodectl, cell.scenario
        brought = p4_source_of(needed_schemes(cell))
        if not brought.is_relative_to(SOURCE.parent):
            wanted[program_of(variant, brought), variant.defines] = None
        wanted |= {(program, (*variant.defines, *scenario.p4_defines)): None for program in scenario.p4_programs}
    found: dict[str, Path] = {}
    for source, defines in wanted:
        program, _ = options.toolchain.compile(defines, source)
        names = set(_names(json.loads(program.read_text(encoding="utf-8"))))
        # Names are from the project's folder or the root. Those of the compiler's own files may be names alone.
        found |= {name: file for name in sorted(names) if (file := (PROJECT / name).resolve()).is_file()}
    return found


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        place = part.get("source_info")
        if isinstance(place, dict) and isinstance(place.get("filename"), str):
            yield place["filename"]
    if isinstance(part, dict | list):
        for one in part.values() if isinstance(part, dict) else part:
            yield from _names(one)


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
