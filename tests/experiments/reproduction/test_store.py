"""Results on disk: kept whole, found again, measured anew where they do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.fidelity import FidelityVerdict
from experiments.reproduction.attempts import RepetitionTime, measure_cell
from experiments.reproduction.cell import Cell, CellRecord, Measurement
from experiments.reproduction.store import ResultStore

CELL = Cell("table9", "reno", 1, {"delay_ms": 30, "loss_percent": 0.5})


def verdict(accepted: bool) -> FidelityVerdict:
    return FidelityVerdict(accepted, 0.0 if accepted else 0.02, "s1-s2 egress", 100.0, 900.0, 1000)


def record(cell: Cell = CELL, **fields: object) -> CellRecord:
    return CellRecord.model_validate(
        {"experiment": cell.experiment, "scheme": cell.scheme, "repetition": cell.repetition, "parameters": dict(cell.parameters), **fields}
    )


def test_a_result_is_found_again(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    assert not store.is_done(CELL)
    store.save(record(values={"x": 1.5, "never": None}, series={"time_s": [0.0, 1.0]}))
    loaded = ResultStore(tmp_path).load(CELL)
    assert loaded is not None
    assert loaded.values == {"x": 1.5, "never": None}
    assert loaded.cell == CELL
    assert store.is_done(CELL)
    assert store.file(CELL).name == "reno-1.json"
    assert store.file(CELL).parent.name == "delay_ms=30,loss_percent=0.5"


def test_a_result_without_measurement_is_measured_again(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.save(record(failure="none of 5 runs kept the link model"))
    assert not store.is_done(CELL)


@pytest.mark.parametrize("content", [b"", b"{", b'{"experiment": "table9"}', b"\xff\xfe"])
def test_a_broken_file_counts_as_nothing(tmp_path: Path, content: bytes) -> None:
    store = ResultStore(tmp_path)
    store.save(record())
    store.file(CELL).write_bytes(content)
    assert store.load(CELL) is None
    assert not store.is_done(CELL)


def test_a_crash_while_writing_leaves_the_old_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ResultStore(tmp_path)
    store.save(record(values={"x": 1.0}))
    monkeypatch.setattr("os.fsync", lambda _file: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.save(record(values={"x": 2.0}))
    loaded = store.load(CELL)
    assert loaded is not None
    assert loaded.values == {"x": 1.0}


def test_rejected_measurements_are_repeated_and_counted(tmp_path: Path) -> None:
    given = iter([False, False, True])
    folders: list[Path] = []

    def measure(_cell: Cell, folder: Path) -> Measurement:
        folders.append(folder)
        accepted = next(given)
        return Measurement(verdict(accepted), {"x": 1.0 if accepted else 99.0})

    result = measure_cell(CELL, measure, ResultStore(tmp_path).scratch, commit="c")
    assert result.values == {"x": 1.0}
    assert len(result.rejected) == 2
    assert result.failure is None
    assert len(set(folders)) == 3
    assert not any(folder.exists() for folder in folders)


def test_repetition_is_bounded_and_a_rejected_value_is_never_kept(tmp_path: Path) -> None:
    result = measure_cell(
        CELL, lambda _cell, _folder: Measurement(verdict(False), {"x": 99.0}), ResultStore(tmp_path).scratch, commit="c", attempts=4
    )
    assert len(result.rejected) == 4
    assert result.values == {}
    assert not result.is_result
    assert "4 runs" in (result.failure or "")


def test_when_the_time_for_repeating_is_used_up_one_rejection_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr("experiments.reproduction.attempts.time.monotonic", lambda: now_s)

    def rejected(_cell: Cell, _folder: Path) -> Measurement:
        nonlocal now_s
        now_s += 4.0
        return Measurement(verdict(False), {})

    shared = RepetitionTime(6.0)
    first, second = (measure_cell(CELL, rejected, ResultStore(tmp_path).scratch, commit="c", repetition_time=shared) for _ in range(2))
    assert len(first.rejected) == 3
    assert first.failure == "none of 3 runs kept the link model; the time for repeating runs was used up"
    assert len(second.rejected) == 1
    assert not second.is_result
