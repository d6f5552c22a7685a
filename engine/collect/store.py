"""Results on disk: one JSON file a cell, written whole or not at all, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from common.whole_files import is_unfinished, whole_file
from engine.collect.record import CellRecord
from engine.plan.cell import Cell


class ResultStore:
    """The results of an experiment or a paper, in ``folder/cells``; pictures and reports go to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cells = folder / "cells"

    def file(self, cell: Cell) -> Path:
        """Where a cell's result is, or will be."""
        return self._file(cell.key)

    def _file(self, key: str) -> Path:
        return self._cells / f"{key}.json"

    def load(self, cell: Cell) -> CellRecord | None:
        """A cell's result, or None: not measured yet, or its file cannot be read (then it is to be measured anew)."""
        return _read(self.file(cell))

    def records(self, cells: Iterable[Cell]) -> list[CellRecord]:
        """The results of those cells that have one."""
        return [record for cell in cells if (record := self.load(cell)) is not None]

    def any_records(self, most: int) -> list[CellRecord]:
        """Some of those that are kept here."""
        # Not rglob, which fails at a folder that another run removes meanwhile.
        found = (Path(folder) / name for folder, _, names in os.walk(self._cells) for name in names if name.endswith(".json"))
        files = islice(sorted(file for file in found if not is_unfinished(file)), most)
        return [record for file in files if (record := _read(file)) is not None]

    def is_done(self, cell: Cell) -> bool:
        """Whether there is a result that counts, of a run that drew what the cell draws now."""
        record = self.load(cell)
        return record is not None and record.is_result and record.drawn == list(cell.drawn)

    def save(self, record: CellRecord) -> None:
        """Keep a result. After a crash at any moment there is the old file or the new one, never half of one."""
        with whole_file(self._file(record.key)) as unfinished, unfinished.open("w", encoding="utf-8") as stream:
            stream.write(record.model_dump_json(indent=1) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def forget(self, cells: Iterable[Cell]) -> None:
        """Remove results, to measure them afresh."""
        for cell in cells:
            self.file(cell).unlink(missing_ok=True)

    def scratch(self, cell: Cell, attempt: int) -> Path:
        """An empty folder for the samples and logs of one attempt."""
        folder = self.folder / "scratch" / f"{cell.key.replace('/', '_')}-attempt{attempt}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _read(file: Path) -> CellRecord | None:
    try:
        return CellRecord.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
