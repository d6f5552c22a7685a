"""Measures cells in virtual time, each in a kernel of its own: as many side by side as there are processors, or on a cluster."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from common.errors import UserError
from common.write_errors import cannot_write
from engine.collect.provenance import describe_machine, project_commit
from engine.collect.record import INPUTS, SAMPLES, CellRecord, Cost
from engine.collect.store import ResultStore
from engine.execute.growing_files_inside import GROWN
from engine.execute.growing_files_outside import GrowingFilesWriter
from engine.execute.progress import PROGRESS, CellProgress
from engine.execute.record_keeper import RecordKeeper
from engine.plan.cell import Cell, logs_name
from engine.plan.cell_work import CellWorks
from engine.plan.data_plane import FOLDER
from engine.plan.job import CellJob
from engine.plan.machine_needs import memory_mb, patience_s
from engine.plan.module_files import environment_with_modules, module_files, own_source_files
from engine.plan.options import RunOptions
from engine.plan.program_files import as_inside, libbpf, programs_of, service_environment, service_files
from engine.plan.schemes import needed_schemes, p4_source_of
from engine.plan.task import Task
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.modules import CACHE_FOLDER, build_possible
from hosts.cca.scheme_names import Scheme
from topo.layout import plan_network
from topo.toolchain import SOURCE, Toolchain, program_of
from virtual_time.cluster.driver import Cluster
from virtual_time.console import Event
from virtual_time.copies import Copies
from virtual_time.file_system.userland import command_inside
from virtual_time.init import JOB, OUT
from virtual_time.job import BEGINS, Job, Outside, Place
from virtual_time.scratch import scratch_folder
from virtual_time.session import Inputs, Session

DIGITS = 16
CELL = "cell.json"
MODULE = "engine.execute.inside"
COMPILED = "compiled"
PROGRAM_PACKAGES = ("scapy",)
"""Python packages that programs on hosts and controllers of others may import."""


@dataclass(frozen=True)
class _Ground:
    """Everything that the cells of one kernel run on."""

    place: Place
    inputs: Inputs
    modules: Mapping[Scheme, Path]


class VirtualRuns:
    """Measures cells; each result is kept as soon as it is there.

    Args:
        options: with ``virtual``; the request's ``cluster`` says where kernels run.
    """

    def __init__(self, options: RunOptions) -> None:
        self._options = options
        self._console = options.console
        self._commit = project_commit()
        self._records = RecordKeeper(options.console, self._commit)
        self._stop = threading.Event()
        self._compiling = threading.Lock()
        self._own_sources = {name: file.read_bytes() for name, file in own_source_files().items()}

    def run(self, tasks: Sequence[Task]) -> None:
        """Measure them.

        Raises:
            UserError: virtual time cannot be had here, or one cell after the other failed.
        """
        if not tasks:
            return
        bmv2 = self._options.toolchain.bmv2
        programs = programs_of(task.cell.scenario for task in tasks)
        libraries = [libbpf()] if any(task.cell.scenario.programs for task in tasks) else []
        packages = PROGRAM_PACKAGES if any(task.cell.scenario.programs or task.cell.scenario.controller for task in tasks) else ()
        grounds: dict[str, _Ground] = {}
        possible: list[Task] = []
        with ExitStack() as places:
            for kernel in dict.fromkeys(task.cell.scenario.run.kernel for task in tasks):
                session = Session.prepare(
                    kernel=kernel, commands=[*([bmv2] if bmv2 else []), *libraries], programs=programs, packages=packages
                )
                of_kernel = [task for task in tasks if task.cell.scenario.run.kernel == kernel]
                schemes = {scheme.text: scheme for task in of_kernel for scheme in needed_schemes(task.cell)}
                modules, missing = build_possible(
                    schemes.values(), KernelTree(session.kernel.objects), CACHE_FOLDER, jobs=session.side_by_side
                )
                possible += self._records.possible(of_kernel, {one.name: one.reason for one in missing})
                place = places.enter_context(self._place(session, len(of_kernel)))
                grounds[kernel] = _Ground(place, session.inputs, modules)
            self._run(possible, grounds)

    def _run(self, tasks: Sequence[Task], grounds: Mapping[str, _Ground]) -> None:
        if not tasks:
            return
        cells = [task.cell for task in tasks]
        side_by_side = max(ground.place.side_by_side for ground in grounds.values())
        with (
            CellProgress(cells, self._console, cost=CellWorks().expected_cost, side_by_side=side_by_side) as progress,
            self._pool(side_by_side) as pool,
        ):
            waiting = {pool.submit(self._measure, grounds[task.cell.scenario.run.kernel], task, progress): task for task in tasks}
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    task = waiting.pop(future)
                    progress.finish(task.cell, self._keep(task, future))

    def _place(self, session: Session, jobs: int) -> AbstractContextManager[Place]:
        if self._options.request.cluster:
            return Cluster(session, self._options.request.cluster, [PROGRESS, GROWN])
        return Copies(session) if jobs > session.side_by_side else nullcontext(session)

    @contextmanager
    def _pool(self, side_by_side: int) -> Iterator[ThreadPoolExecutor]:
        pool = ThreadPoolExecutor(side_by_side, thread_name_prefix="cell")
        try:
            yield pool
        finally:
            self._stop.set()  # a thread that still measures ends its kernel
            pool.shutdown(cancel_futures=True)

    def _measure(self, ground: _Ground, task: Task, progress: CellProgress) -> CellRecord:
        cell = task.cell
        started, begin_s, times_begun = datetime.now(UTC), time.monotonic(), 0
        growing = GrowingFilesWriter(_logs_folder(task), task.store.folder / "scratch")

        def tell(event: Event) -> None:
            nonlocal started, begin_s, times_begun
            if event["event"] == PROGRESS:
                progress.at(cell, event["elapsed_s"])
            elif event["event"] == GROWN:
                growing.take(event)
            elif event["event"] == BEGINS:
                if times_begun:
                    self._console.print(f"{cell}: the worker that measured it is gone; it is measured again", highlight=False, markup=False)
                started, begin_s, times_begun = datetime.now(UTC), time.monotonic(), times_begun + 1
                progress.at(cell, 0.0)
                growing.begin()

        options = self._options
        program = self._compiled_outside(cell)
        compiled = {} if program is None else self._compiled(cell, program)
        data_plane = options.data_planes.of(cell.scenario)
        if program is not None and not program.is_relative_to(SOURCE.parent):
            data_plane = data_plane.with_program(program, compiled, plan_network(cell.scenario).switches)
        scenario = cell.scenario.with_kernel("")  # which runs it, so it need not know
        job = CellJob.of(
            replace(cell, scenario=as_inside(scenario) if scenario.programs else scenario),
            task.measurements,
            self._toolchain_inside(is_compiled=program is not None),
            options.request,
            data_plane.plane.below(JOB / FOLDER),
            watched=options.watched,
        )
        files = {CELL: job.model_dump_json(indent=1).encode()} | _modules_of(cell, ground) | compiled | self._own_sources
        files |= {f"{FOLDER}/{name}": content for name, content in data_plane.files.items()}
        environment = environment_with_modules()
        if cell.scenario.programs:
            files |= service_files()
            environment |= service_environment()
        with scratch_folder() as out:
            text: list[str] = []
            processor_s: list[float] = []
            command = ["python3", "-m", MODULE, str(JOB / CELL), str(OUT)]
            work = Job(
                command,
                cell.scenario.seed,
                memory_mb(cell.scenario),
                patience_s(cell.scenario),
                files=files,
                environment=environment,
                counts_entries=options.request.entries,
                module=MODULE,
            )
            status = ground.place.run(work, Outside(out, tell, text.append, processor_s.append, stop=self._stop))
            record, samples = ResultStore(out).load(cell), _samples_digest(out / "scratch")
            try:
                self._take_over(task, out, keep_samples=options.request.keep_samples or record is None or not record.is_result)
            except OSError as error:
                raise cannot_write(error) from None
            if record is None:
                said = with_paths_outside("\n".join(text[-12:]), task.store.folder, _logs_folder(task))
                raise UserError(f"the run ended with exit code {status} and without a result\n{said}".rstrip())
        if record.failure:
            record.failure = with_paths_outside(record.failure, task.store.folder, _logs_folder(task))
        record.commit, record.started = self._commit, started.isoformat(timespec="seconds")
        record.took_s = round(time.monotonic() - begin_s, 3)
        if processor_s:
            record.cost = Cost(processor_s=round(sum(processor_s), 2), machine=describe_machine())
        record.facts |= {
            INPUTS: f"{ground.inputs}{f', program {_digest(compiled)}' if compiled else ''}, cell {_digest(files)}",
            SAMPLES: samples,
        }
        return record

    def _toolchain_inside(self, *, is_compiled: bool) -> Toolchain:
        bmv2 = self._options.toolchain.bmv2
        return Toolchain(bmv2=bmv2 and command_inside(bmv2), compiled=JOB / COMPILED if is_compiled else None)

    def _compiled_outside(self, cell: Cell) -> Path | None:
        """The cell's P4 program if it is compiled before the run; None: the embedded compiler does it inside.

        The reasons: p4c is not there inside, and neither are programs that are not the testbed's, nor the files that they include.
        """
        source = p4_source_of(needed_schemes(cell))
        is_there_inside = self._options.toolchain.p4c is None and source.is_relative_to(SOURCE.parent)
        return None if is_there_inside else source

    def _compiled(self, cell: Cell, source: Path) -> dict[str, bytes]:
        """The compiler's output, by its names among the files of a job."""
        with self._compiling:  # cells side by side often have the same program
            variant = cell.scenario.nodectl
            compiled = self._options.toolchain.compile(variant.defines, program_of(variant, source))
            return {f"{COMPILED}/{file.name}": file.read_bytes() for file in compiled}

    def _keep(self, task: Task, future: Future[CellRecord]) -> float | None:
        """Returns the processor seconds that it took, as far as they are known."""
        try:
            record = future.result()
        except UserError as error:
            self._records.failed(task, error)
            return None
        self._records.measured(task, record)
        return None if record.cost is None else record.cost.processor_s

    def _take_over(self, task: Task, out: Path, *, keep_samples: bool) -> None:
        """Samples and logs go where those of a run in real time are."""
        for logs in sorted((out / "logs").glob("*")):
            _move(logs, _logs_folder(task))
        if keep_samples:
            for samples in sorted((out / "scratch").glob("*")):
                _move(samples, task.store.scratch(task.cell, 1))


def _modules_of(cell: Cell, ground: _Ground) -> dict[str, bytes]:
    wanted = {scheme.text for scheme in needed_schemes(cell)}
    modules = module_files(file for scheme, file in ground.modules.items() if scheme.text in wanted)
    return {name: file.read_bytes() for name, file in modules.items()}


def with_paths_outside(text: str, results: Path, logs: Path) -> str:
    """A text from inside, with the places of files outside.

    Args:
        text: with paths below ``/out``.
        results: the folder of the results.
        logs: of the cell's logs in it.
    """
    text = re.sub(rf"{OUT}/logs/[^/\s]+", lambda _: str(logs), text)
    return re.sub(rf"{OUT}/(?=scratch/)", lambda _: f"{results}/", text)


def _logs_folder(task: Task) -> Path:
    return task.store.folder / "logs" / logs_name(task.cell.key)


def _move(folder: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(folder, target)


def _samples_digest(folder: Path) -> str:
    hashed = hashlib.sha256()
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        hashed.update(f"{file.relative_to(folder)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return hashed.hexdigest()[:DIGITS]


def _digest(files: Mapping[str, bytes]) -> str:
    listed = "".join(f"{name} {hashlib.sha256(content).hexdigest()}\n" for name, content in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()[:DIGITS]
