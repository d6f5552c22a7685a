"""Results on disk: kept whole, found again, measured anew where they do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.plan.cell import Cell
from tests.engine.cells import one_cell


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    return one_cell(tmp_path)


def test_a_result_is_found_again(cell: Cell, tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    assert not store.is_done(cell)
    store.save(CellRecord.of(cell, values={"x": 1.5, "never": None}, series={"time_s": [0.0, 1.0]}))
    loaded = ResultStore(tmp_path).load(cell)
    assert loaded is not None
    assert loaded.values == {"x": 1.5, "never": None}
    assert loaded.key == cell.key
    assert store.is_done(cell)
    assert store.file(cell).relative_to(tmp_path) == Path("cells/counting/rate=10,delay_ms=5/reno-1.json")


def test_a_result_without_measurement_is_measured_again(cell: Cell, tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.save(CellRecord.of(cell, failure="none of 5 runs kept the link model"))
    assert not store.is_done(cell)
    store.forget([cell])
    assert store.load(cell) is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"experiment": "table9"}', b"\xff\xfe"])
def test_a_broken_file_counts_as_nothing(cell: Cell, tmp_path: Path, content: bytes) -> None:
    store = ResultStore(tmp_path)
    store.save(CellRecord.of(cell))
    store.file(cell).write_bytes(content)
    assert store.load(cell) is None
    assert not store.is_done(cell)


def test_a_crash_while_writing_leaves_the_old_result(cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ResultStore(tmp_path)
    store.save(CellRecord.of(cell, values={"x": 1.0}))
    monkeypatch.setattr("os.fsync", lambda _file: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.save(CellRecord.of(cell, values={"x": 2.0}))
    loaded = store.load(cell)
    assert loaded is not None
    assert loaded.values == {"x": 1.0}
