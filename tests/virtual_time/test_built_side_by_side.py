"""Everything that runs build on demand is built by several processes at once, as cells and runs side by side do."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import hosts.cca.build as bpf
from common.whole_files import UNFINISHED
from engine.collect.description import RunDescription
from engine.collect.kept_records import KeptRecords
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from hosts.cca.compilers import clangs
from hosts.cca.modules import build as build_modules
from hosts.cca.scheme_names import parse_all
from hosts.cca.sources import find
from hosts.service.watch_object import watch_object
from reports.overview import write_overview
from reports.scenario_run import new_result_folder, point_latest_to
from tests.engine.cells import one_cell
from tests.harness.scenario_file import load_scenario
from tests.hosts.kernel_for_modules import kernel_tree
from topo import toolchain
from virtual_time.file_system import image
from virtual_time.file_system.layer import LayerContent, files_below, make_layer
from virtual_time.kernel.sources import Sources

AT_ONCE = 4
LIMIT_S = 120


def at_once(work: Callable[[int], object]) -> None:
    """``work`` in processes that begin at the same moment; each is given its number. Raises AssertionError if one fails."""
    context = multiprocessing.get_context("fork")
    together, failures = context.Barrier(AT_ONCE), context.SimpleQueue()

    def one(number: int) -> None:
        try:
            together.wait(LIMIT_S)
            work(number)
        except BaseException:  # told to the test
            failures.put(traceback.format_exc())
            os._exit(1)
        os._exit(0)

    processes = [context.Process(target=one, args=(number,)) for number in range(AT_ONCE)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(LIMIT_S)
    assert failures.empty(), failures.get()
    assert [process.exitcode for process in processes] == [0] * AT_ONCE


def nothing_left(folder: Path) -> bool:
    return not list(folder.rglob(f"{UNFINISHED}*"))


def test_the_host_services_object(tmp_path: Path) -> None:
    """Cells of `make run SCENARIO=web_files` in a fresh clone."""
    if not any(clangs()):
        pytest.skip("clang is not installed")
    at_once(lambda _: watch_object(tmp_path).read_bytes()[:4] == b"\x7fELF" or pytest.fail("half an object"))
    assert nothing_left(tmp_path)


def test_the_schemes_objects(tmp_path: Path) -> None:
    if not any(clangs()):
        pytest.skip("clang is not installed")
    at_once(lambda _: bpf.build(find(["vegas"])[0], tmp_path))
    assert nothing_left(tmp_path)


def test_the_schemes_modules(tmp_path: Path) -> None:
    tree = kernel_tree()
    schemes = parse_all(["vegas"])
    at_once(lambda _: [file.read_bytes() for file in build_modules(schemes, tree, tmp_path).values()])
    assert nothing_left(tmp_path)


def test_p4_programs_and_their_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "MADE", tmp_path)

    def compile_all(_number: int) -> None:
        for defines, source in (((), toolchain.SOURCE.with_name("ecn.p4")), (("WITHOUT_D3",), toolchain.SOURCE)):
            assert all(file.read_bytes().strip().endswith(b"}") for file in toolchain.Toolchain().compile(defines, source))

    at_once(compile_all)
    assert nothing_left(tmp_path)


def test_layers_and_images(tmp_path: Path) -> None:
    tree, cache = tmp_path / "tree", tmp_path / "cache"
    tree.mkdir()
    (tree / "module.py").write_text("VALUE = 1\n")

    def assemble(number: int) -> None:
        """Two of the runs want other programs than the others."""
        content = LayerContent(files_below(tree, "/inside"), texts={"/which": f"{number % 2}" * 100_000})
        for _ in range(3):
            made = make_layer("commands", content, cache)
            assert f"{number % 2}".encode() * 100_000 in image.assemble([made], cache).file.read_bytes()

    at_once(assemble)
    assert nothing_left(cache)
    assert len(list(cache.glob("commands-*.cpio"))) == len(list(cache.glob("image-*.cpio"))) == 2


def test_programs_without_what_debuggers_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "CACHE", tmp_path)
    at_once(lambda _: image._stripped(Path("/bin/true")).read_bytes())
    assert nothing_left(tmp_path)


def test_the_checksum_of_the_kernels_sources(tmp_path: Path) -> None:
    archive = tmp_path / "sources.tar.xz"
    archive.write_bytes(b"sources")
    at_once(lambda _: [Sources(archive, tmp_path / "source.json").checksum for _ in range(20)])
    assert nothing_left(tmp_path)


def test_results_and_descriptions(tmp_path: Path) -> None:
    """Of two `make reproduce` of one paper, whoever has begun the second."""
    cell, folder, report = one_cell(tmp_path), tmp_path / "results", tmp_path / "report"
    staggered = load_scenario(Path("scenario/examples/staggered.toml"))

    def keep(_number: int) -> None:
        for _ in range(20):
            store = ResultStore(folder)
            record = CellRecord.of(cell, values={"x": 1.0})
            store.save(record)
            assert store.load(cell) == record
            assert all(one == record for one in store.any_records(10))
            KeptRecords(report).keep(store, [cell])
            RunDescription.of_prompt("run", staggered, virtual=False).write(folder)
            assert RunDescription.read(folder).prompt
            write_overview([], tmp_path / "overview", "make")

    at_once(keep)
    assert nothing_left(tmp_path)


def test_folders_of_runs_and_which_is_the_latest(tmp_path: Path) -> None:
    def begin(_number: int) -> None:
        for _ in range(20):
            folder = new_result_folder(tmp_path / "results", "staggered")
            point_latest_to(folder)
            assert (folder.parent / "latest").is_dir()

    at_once(begin)
    assert len(list((tmp_path / "results").glob("staggered-*"))) == 20 * AT_ONCE
    assert nothing_left(tmp_path)


def test_a_failure_beside_is_told() -> None:
    """No check of this file that cannot fail."""
    with pytest.raises(AssertionError, match="two fails"):
        at_once(lambda number: SimpleNamespace(number=number) if number != 2 else pytest.fail("two fails"))
