"""Measurements as pandas frames: one row an observation, its cell in the first columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from reports.results import Results
from reports.summary.picture import draw_run
from testbed.cell_files import CellFiles
from topo.frame_capture import FILE


@dataclass(frozen=True)
class Result:
    """A scenario that was carried out.

    The frames' first columns are ``scheme``, ``repetition`` and the parameters of the scenario's grid, if it has one. ``time_s`` is seconds
    after the start of the transmissions. Each property says its columns and their units.

    Args:
        experiment: the one that was measured.
        options: of the measurement.
        folder: where records, samples, logs and pictures are.
    """

    experiment: ReportedExperiment
    options: RunOptions
    folder: Path

    @cached_property
    def records(self) -> list[CellRecord]:
        """One for each scheme, point of the grid and repetition: values, verdict, and the seed, commit and kernel of the run."""
        return self._store.records(self.experiment.cells())

    @cached_property
    def values(self) -> pd.DataFrame:
        """The values in the table: ``name`` (with the unit), ``transmission`` (empty where it is about all of them), ``value``."""
        parts = []
        for record in self.records:
            rows = [(*name.partition(".")[::2], value) for name, value in record.values.items()]
            parts.append(_of_cell(record, pd.DataFrame(rows, columns=["name", "transmission", "value"])))
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def throughput(self) -> pd.DataFrame:
        """Payload that receivers read, in bins of 100 ms: ``transmission``, ``time_s`` (the bin's middle), ``throughput_mbps``."""
        return self._collect(CellFiles.throughput)

    @cached_property
    def rtt(self) -> pd.DataFrame:
        """The kernel's smoothed RTT at the sender, every millisecond: ``transmission``, ``time_s``, ``rtt_ms``."""
        return self._collect(CellFiles.rtt)

    @cached_property
    def senders(self) -> pd.DataFrame:
        """All that senders sample of their connections: ``transmission``, ``time_s``, and the columns of ``hosts/sender_samples.py``."""
        return self._collect(CellFiles.senders)

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Rates that the network allocated, at each change and at the end: ``transmission``, ``time_s``, ``share_mbps`` (of frames)."""
        return self._collect(CellFiles.shares)

    @cached_property
    def queues(self) -> pd.DataFrame:
        """The waiting packets, every 10 ms: ``link`` (a direction, ``s1-s2``), ``time_s``, ``queue_packets``, ``queue_bytes``."""
        return self._collect(CellFiles.queues)

    @cached_property
    def drops(self) -> pd.DataFrame:
        """Packets since the start, every 10 ms: ``link``, ``time_s``, ``queue_drops``, ``loss_drops``, ``down_drops``."""
        return self._collect(CellFiles.drops)

    @cached_property
    def events(self) -> pd.DataFrame:
        """Events of the run: ``time_s``, ``source`` (``scenario``, or the switch that the controller speaks of), ``port``, ``text``."""
        return self._collect(CellFiles.events)

    @property
    def captures(self) -> list[Path]:
        """Files of recorded frames (docs/wireshark.md)."""
        return sorted(self.folder.glob(f"logs/*/{FILE}"))

    def draw(self, file: str | Path, point: int = 0) -> Path:
        """Draw throughput and losses over time, a panel for each scheme.

        Args:
            file: PNG, SVG or PDF, by its suffix.
            point: of the grid, counted from 0.

        Returns:
            The file.
        """
        parameters, scenario = self.experiment.scenarios[point]
        results = Results(self.records)
        draw_run(scenario, [results.select(scheme, parameters)[0] for scheme in scenario.run.schemes], Path(file))
        return Path(file)

    def _repr_png_(self) -> bytes:
        """The picture, where a notebook shows the result."""
        return self.draw(self.folder / "notebook.png").read_bytes()

    def __repr__(self) -> str:
        return f"Result of {self.experiment.name!r} ({', '.join(self.experiment.schemes)}) in {self.folder}"

    @property
    def _store(self) -> ResultStore:
        return ResultStore(self.folder)

    def _collect(self, read: Callable[[CellFiles], pd.DataFrame]) -> pd.DataFrame:
        return pd.concat([_of_cell(record, read(files)) for record, files in self._cells()], ignore_index=True)

    def _cells(self) -> Iterator[tuple[CellRecord, CellFiles]]:
        cells: dict[str, Cell] = {cell.key: cell for cell in self.experiment.cells()}
        for record in self.records:
            yield record, CellFiles(self.folder, cells[record.key], self.options)


def _of_cell(record: CellRecord, frame: pd.DataFrame) -> pd.DataFrame:
    for name, value in reversed({"scheme": record.scheme, "repetition": record.repetition, **record.parameters}.items()):
        frame.insert(0, name, value)
    return frame
