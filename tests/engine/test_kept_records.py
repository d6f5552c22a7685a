"""Records that are kept with a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.collect.kept_records import KeptRecords
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from tests.engine.cells import experiment


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "results")


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path, store: ResultStore) -> None:
    cells = experiment(tmp_path).cells()
    for number, cell in enumerate(cells[:-1]):
        store.save(CellRecord.of(cell, values={"total_mbps": number / 7, "nothing": None}, series={"x": [0.1, 0.2]}))
    store.save(CellRecord.of(cells[-1], failure="no luck"))
    kept = KeptRecords(tmp_path / "report")
    kept.keep(store, cells)
    elsewhere = ResultStore(tmp_path / "elsewhere")
    assert kept.bring_to(elsewhere, cells) == len(cells) - 1
    assert [elsewhere.load(cell) for cell in cells[:-1]] == [store.load(cell) for cell in cells[:-1]]
    assert elsewhere.load(cells[-1]) is None, "a cell without a result is measured again"
    assert kept.bring_to(elsewhere, cells) == 0, "what is there stays"


def test_keeping_some_leaves_the_others_and_the_same_makes_the_same_file(tmp_path: Path, store: ResultStore) -> None:
    cells = experiment(tmp_path).cells()
    for cell in cells:
        store.save(CellRecord.of(cell, values={"total_mbps": 1.0}))
    kept = KeptRecords(tmp_path / "report")
    kept.keep(store, cells[:2])
    kept.keep(store, cells[2:])
    (file,) = (tmp_path / "report" / "records").iterdir()
    first = file.read_bytes()
    again = KeptRecords(tmp_path / "again")
    again.keep(store, cells)
    assert (tmp_path / "again" / "records" / file.name).read_bytes() == first
    assert kept.bring_to(ResultStore(tmp_path / "elsewhere"), cells) == len(cells)


@pytest.mark.parametrize("content", [b"", b"no such thing", b"\xfd7zXZ\x00\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, store: ResultStore, content: bytes) -> None:
    cells = experiment(tmp_path).cells()
    folder = tmp_path / "report" / "records"
    folder.mkdir(parents=True)
    file = folder / f"{cells[0].experiment}.jsonl.xz"
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"no records can be read.*\n.*restore the file, or remove it"):
        KeptRecords(tmp_path / "report").bring_to(store, cells)


def test_a_repetition_of_a_run_that_draws_nothing_is_not_kept(tmp_path: Path, store: ResultStore) -> None:
    cells = experiment(tmp_path).cells()
    records = [CellRecord.of(cell, values={"total_mbps": 1.0}).model_copy(update={"drawn": []}) for cell in cells]
    for record in records:
        store.save(record)
    KeptRecords(tmp_path / "report").keep(store, cells)
    KeptRecords(tmp_path / "report").bring_to(elsewhere := ResultStore(tmp_path / "elsewhere"), cells)
    assert [one.repetition for one in elsewhere.records(cells)] == [1] * sum(cell.repetition == 1 for cell in cells)
    assert max(cell.repetition for cell in cells) > 1
