"""Measures cells in virtual time, each in a kernel of its own, as many side by side as there are processors."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from experiments.report.definition import ReportDefinition
from experiments.run.bring_up import needed_schemes
from experiments.run.cell import Cell
from experiments.run.inside import PROGRESS
from experiments.run.job import CellJob
from experiments.run.options import RunOptions
from experiments.run.progress import CellProgress
from experiments.run.provenance import project_commit
from experiments.run.record import INPUTS, LEFT_OUT, SAMPLES, CellRecord
from experiments.run.store import ResultStore
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.module_registry import FOLDER_VARIABLE
from hosts.cca.modules import CACHE_FOLDER, build_possible
from hosts.cca.scheme_names import Scheme
from protocol.errors import UserError
from virtual_time.console import Event
from virtual_time.environment import inside_environment
from virtual_time.scratch import cannot_write, scratch_folder
from virtual_time.session import Session

MAX_FAILURES_IN_A_ROW = 3
DIGITS = 16
JOB = "cell.json"
MODULES = "modules"
PROGRAMS = "programs"


class VirtualRuns:
    """Measures cells; each result is kept as soon as it is there.

    Args:
        store: where results go.
        options: how.
        definitions: what is measured, by the experiment's name.
    """

    def __init__(self, store: ResultStore, options: RunOptions, definitions: Mapping[str, ReportDefinition]) -> None:
        self._store = store
        self._options = options
        self._console = options.console
        self._definitions = definitions
        self._commit = project_commit()
        self._failures_in_a_row = 0
        self._stop = threading.Event()
        self._modules: dict[Scheme, Path] = {}
        self._programs = {name: file.read_bytes() for name, file in options.programs.files(PROGRAMS).items()}

    def run(self, cells: Sequence[Cell]) -> None:
        """Measure them.

        Raises:
            UserError: virtual time cannot be had here, or one cell after the other failed.
        """
        if not cells:
            return
        toolchain = self._options.toolchain
        session = Session.prepare(commands=[one for one in (toolchain.p4c, toolchain.bmv2) if one is not None])
        schemes = {scheme.text: scheme for cell in cells for scheme in needed_schemes(cell)}
        self._modules, missing = build_possible(
            schemes.values(), KernelTree(session.kernel.objects), CACHE_FOLDER, jobs=session.side_by_side
        )
        cells = self._without_missing(cells, {one.name: one.reason for one in missing})
        with CellProgress(cells, self._console) as progress, self._pool(session) as pool:
            waiting = {pool.submit(self._measure, session, cell, progress): cell for cell in cells}
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    cell = waiting.pop(future)
                    self._keep(cell, future)
                    progress.finish(cell)

    def _without_missing(self, cells: Sequence[Cell], reasons: Mapping[str, str]) -> list[Cell]:
        """Those whose schemes all compile; the others' records say why not."""
        for text, reason in reasons.items():
            self._console.print(f"{text} is left out: {reason}", markup=False, highlight=False)
        possible = []
        for cell in cells:
            absent = next((reasons[scheme.text] for scheme in needed_schemes(cell) if scheme.text in reasons), None)
            if absent is None:
                possible.append(cell)
            else:
                self._store.save(CellRecord.of(cell, failure=LEFT_OUT + absent.splitlines()[0], commit=self._commit))
        return possible

    @contextmanager
    def _pool(self, session: Session) -> Iterator[ThreadPoolExecutor]:
        pool = ThreadPoolExecutor(session.side_by_side, thread_name_prefix="cell")
        try:
            yield pool
        finally:
            self._stop.set()  # whoever is still at it ends its kernel
            pool.shutdown(cancel_futures=True)

    def _measure(self, session: Session, cell: Cell, progress: CellProgress) -> CellRecord:
        def tell(event: Event) -> None:
            if event["event"] == PROGRESS:
                progress.at(cell, event["elapsed_s"])

        progress.at(cell, 0.0)
        options = self._options
        programs = options.programs.below(f"/job/{PROGRAMS}")
        job = CellJob.of(cell, self._definitions[cell.experiment], options.toolchain, options.grpc_base_port, programs)
        files = {JOB: job.model_dump_json(indent=1).encode()} | self._modules_of(cell) | self._programs
        started, begin_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        with scratch_folder() as out:
            text: list[str] = []
            status = session.run(
                ["python3", "-m", "experiments.run.inside", f"/job/{JOB}", "/out"],
                seed=cell.scenario.seed,
                out=out,
                files=files,
                environment=inside_environment(**{FOLDER_VARIABLE: f"/job/{MODULES}"}),
                on_event=tell,
                on_text=text.append,
                stop=self._stop,
            )
            record, samples = ResultStore(out).load(cell), _samples_digest(out / "scratch")
            try:
                self._take_over(cell, out)
            except OSError as error:
                raise cannot_write(error) from None
            if record is None:
                said = "\n".join(text[-12:])
                raise UserError(f"the run ended with exit code {status} and without a result\n{said}".rstrip())
        record.commit, record.started, record.took_s = self._commit, started, round(time.monotonic() - begin_s, 3)
        record.facts |= {
            INPUTS: f"{session.inputs}, cell {_digest(files)}",
            SAMPLES: samples,
        }
        return record

    def _modules_of(self, cell: Cell) -> dict[str, bytes]:
        wanted = {scheme.text for scheme in needed_schemes(cell)}
        return {f"{MODULES}/{file.name}": file.read_bytes() for scheme, file in self._modules.items() if scheme.text in wanted}

    def _keep(self, cell: Cell, future: Future[CellRecord]) -> None:
        try:
            record = future.result()
        except UserError as error:
            record = CellRecord.of(cell, failure=str(error), commit=self._commit)
            self._failures_in_a_row += 1
        else:
            if record.is_result:
                self._failures_in_a_row = 0
        if record.failure:
            self._console.print(f"{cell}: no result: {record.failure}", highlight=False, markup=False)
        self._store.save(record)
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise UserError(f"{self._failures_in_a_row} cells in a row have no result; the last: {record.failure}")

    def _take_over(self, cell: Cell, out: Path) -> None:
        """Samples and logs go where those of a run in real time are."""
        for logs in sorted((out / "logs").glob("*")):
            target = self._store.folder / "logs" / cell.key.replace("/", "_")
            shutil.rmtree(target, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(logs, target)
        if self._options.keep_samples:
            for samples in sorted((out / "scratch").glob("*")):
                target = self._store.scratch(cell, 1)
                shutil.copytree(samples, target, dirs_exist_ok=True)


def _samples_digest(folder: Path) -> str:
    hashed = hashlib.sha256()
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        hashed.update(f"{file.relative_to(folder)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return hashed.hexdigest()[:DIGITS]


def _digest(files: Mapping[str, bytes]) -> str:
    listed = "".join(f"{name} {hashlib.sha256(content).hexdigest()}\n" for name, content in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()[:DIGITS]
