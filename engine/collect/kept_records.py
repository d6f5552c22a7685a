"""Records that are kept with a report: a checkout elsewhere goes on from them, and writes the report again without measuring."""

from __future__ import annotations

import lzma
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from pydantic import ValidationError

from common.errors import UserError
from common.whole_files import write_whole
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.plan.cell import Cell

FOLDER = "records"
SUFFIX = ".jsonl.xz"


class KeptRecords:
    """One compressed file an experiment, ``EXPERIMENT.jsonl.xz``, a line each cell that has a result.

    Args:
        report: folder of the report they are kept with.
    """

    def __init__(self, report: Path) -> None:
        self._folder = report / FOLDER

    def bring_to(self, store: ResultStore, cells: Iterable[Cell]) -> int:
        """Put the results of those cells into ``store`` that has none of them, and say how many.

        Raises:
            UserError: a file is damaged.
        """
        brought = 0
        for experiment, missing in _by_experiment(cell for cell in cells if not store.is_done(cell)):
            kept = self._read(experiment)
            for record in (kept[cell.key] for cell in missing if cell.key in kept):
                store.save(record)
                brought += 1
        return brought

    def record(self, cell: Cell) -> CellRecord | None:
        """The record of a cell; None: there is none.

        Raises:
            UserError: a file is damaged.
        """
        return self._read(cell.experiment).get(cell.key)

    def keep(self, store: ResultStore, cells: Iterable[Cell]) -> None:
        """Keep the results of those cells, beside those of others; but no repetition of a run that draws nothing, which reports leave out.

        Raises:
            UserError: a file is damaged.
        """
        for experiment, found in _by_experiment(cells):
            kept = self._read(experiment)
            results = {record.key: record for record in store.records(found) if record.is_result}
            new = {key: record for key, record in (kept | results).items() if record.is_run_of_its_own}
            if new != kept:
                lines = "".join(new[key].model_dump_json() + "\n" for key in sorted(new))
                write_whole(self._file(experiment), lzma.compress(lines.encode(), preset=9))

    def _file(self, experiment: str) -> Path:
        return self._folder / (experiment + SUFFIX)

    def _read(self, experiment: str) -> dict[str, CellRecord]:
        file = self._file(experiment)
        try:
            lines = lzma.decompress(file.read_bytes()).decode().splitlines()
            return {record.key: record for record in map(CellRecord.model_validate_json, lines)}
        except FileNotFoundError:
            return {}
        except (OSError, lzma.LZMAError, UnicodeError, ValidationError) as error:
            raise UserError(
                f"{file}: no records can be read: {error}", "restore the file, or remove it to measure its cells anew"
            ) from error


def _by_experiment(cells: Iterable[Cell]) -> Iterable[tuple[str, list[Cell]]]:
    for experiment, group in groupby(cells, key=lambda cell: cell.experiment):
        yield experiment, list(group)
