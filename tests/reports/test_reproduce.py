"""The experiments that ``make reproduce`` measures for the wishes it is given."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from common.errors import UserError
from engine.collect.record import CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import results_folder
from engine.execute.virtual_runs import VirtualRuns
from engine.plan.cell import Cell
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from engine.plan.task import Task
from reports.paper import Paper
from reports.reproduce import chosen, command_of, effort_of, reproduce
from scenario.run_request import RunRequest, Size
from tests.engine.cells import FILE
from tests.reports.papers import keep_results, rates_of, use_papers
from tests.reports.parts.test_document import PIXEL, References
from topo.toolchain import Toolchain


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    """Three experiments: in every size, not in a quick look, only in full."""
    for name, first in (("always", ""), ("longer", 'sizes = ["normal", "full"]\n'), ("published_size", 'sizes = ["full"]\n')):
        (tmp_path / f"{name}.toml").write_text(first + FILE.replace("repetitions = 2\n", ""))
    return Paper(title="Made up", citation="nobody", experiments=["always", "longer", "published_size"], folder=tmp_path)


@pytest.mark.parametrize(
    ("size", "names", "repetitions", "word"),
    [
        (Size.QUICK, ["always"], 1, " QUICK=1"),
        (Size.NORMAL, ["always", "longer"], 3, ""),
        (Size.FULL, ["always", "longer", "published_size"], 3, " FULL=1"),
    ],
)
def test_each_size_has_its_experiments(paper: Paper, size: Size, names: list[str], repetitions: int, word: str) -> None:
    request = RunRequest(paper="made-up", quick=size is Size.QUICK, full=size is Size.FULL)
    experiments = chosen(paper, (), effort_of(request, virtual=True))
    assert [one.name for one in experiments] == names
    assert {cell.repetition for one in experiments for cell in one.cells()} == set(range(1, repetitions + 1))
    assert command_of(request, virtual=True) == f"make reproduce PAPER=made-up{word}"
    assert command_of(request, virtual=False) == f"make reproduce PAPER=made-up{word} TIME=real"


def test_an_experiment_that_a_size_does_not_have_is_refused(paper: Paper) -> None:
    with pytest.raises(UserError, match=r"published_size of .*: not part of the normal report\n.*full \(FULL=1\)"):
        chosen(paper, ("always", "published_size"), Effort())
    with pytest.raises(UserError, match=r"longer of .*: not part of the quick report\n.*neither QUICK=1 nor FULL=1; FULL=1"):
        chosen(paper, ("longer",), Effort(Size.QUICK))


def test_each_size_keeps_results_of_its_own(tmp_path: Path) -> None:
    folders = [results_folder(tmp_path, "libra", Toolchain(), size, virtual=True).name for size in Size]
    assert folders == ["libra-quick", "libra", "libra-full"]


def test_a_look_and_the_published_sizes_contradict_each_other() -> None:
    with pytest.raises(UserError, match="QUICK=1 and FULL=1 contradict each other"):
        _ = RunRequest(quick=True, full=True).size
    assert [RunRequest(quick=True).size, RunRequest().size, RunRequest(full=True).size] == list(Size)


def options() -> tuple[RunOptions, io.StringIO]:
    said = io.StringIO()
    return RunOptions(RunRequest(grpc_base_port=51590), Console(file=said, width=200), virtual=True), said


def values(cell: Cell) -> dict[str, float | None]:
    rate = float(cell.parameters["rate_mbps"])
    return {"total_mbps": rate * {"nodectl": 0.9, "reno": 0.8, "cubic": 0.7}[cell.scheme], "queue_drops": 0.0}


@pytest.fixture
def _drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(_panels: object, _columns: int, stem: Path) -> None:
        for suffix in ("png", "svg", "csv"):
            stem.with_suffix(f".{suffix}").write_bytes(PIXEL)

    monkeypatch.setattr("reports.figures.figure_maker.draw_panels", draw)
    monkeypatch.setattr("reports.reproduce.check_can_run", lambda *_arguments, **_more: None)


@pytest.mark.usefixtures("_drawn_at_once")
def test_all_papers_are_measured_in_one_go_and_reported_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first", "second")
    measured: list[str] = []

    def run(_self: VirtualRuns, tasks: list[Task]) -> None:
        for task in tasks:
            measured.append(f"{task.store.folder.name} {task.cell.key}")
            task.store.save(CellRecord.of(task.cell, values=values(task.cell)))

    monkeypatch.setattr(VirtualRuns, "run", run)
    given, said = options()
    done = reproduce(RunRequest(paper="all", quick=True), tmp_path, given)
    assert done.complete
    assert len(measured) == len(set(measured)) == 2 * 2 * 3
    assert re.match(r"12 cells to measure.*about .* \(by the usual cost of such cells", said.getvalue())
    names = [str(file.relative_to(tmp_path / "reproduce")) for file in done.files]
    assert names == [
        *(f"{paper}-quick/report.{suffix}" for paper in ("first", "second") for suffix in ("md", "html")),
        "overview-quick.md",
        "overview-quick.html",
    ]
    assert reproduce(RunRequest(paper="all", quick=True), tmp_path, given).complete
    assert len(measured) == 12, "nothing is measured twice"
    with pytest.raises(UserError, match="ONLY= names experiments of one paper"):
        reproduce(RunRequest(paper="all", only="rates"), tmp_path, given)
    with pytest.raises(UserError, match=r"PAPER=third is not known\n.*first, second; or all"):
        reproduce(RunRequest(paper="third"), tmp_path, given)


@pytest.mark.usefixtures("_drawn_at_once")
@pytest.mark.parametrize("kept", [False, True])
def test_one_page_over_all_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first", "second")
    keep_results(ResultStore(tmp_path / "reproduce" / "first"), rates_of("first"), values)
    folder = tmp_path / "docs" if kept else tmp_path / "reproduce"
    done = reproduce(RunRequest(paper="all", report_only=True, reports=folder if kept else None), tmp_path, options()[0])
    assert not done.complete
    in_markdown, in_html = (folder / f"overview.{suffix}" for suffix in ("md", "html"))
    assert done.files[-1 if kept else -2 :] == ([in_markdown] if kept else [in_markdown, in_html])
    text = in_markdown.read_text()
    assert "| [first](first/report.md) | 18 of 18 | 1 | 1 | 1 | 0 | 1 | 2026-11-22 |" in text, "what is said twice counts once"
    assert "Not measured: second." in text
    assert "| reno | 8.0 ± 0.0 [8.0 at 10 … 32.0 at 40] (7.5) |" in text
    assert "| nodectl | 9.0 ± 0.0 [9.0 at 10 … 36.0 at 40] |" in text
    assert "“All is well” (section 1): **confirmed** at all 2 points [rates](first/report.md#made-up)" in text
    assert "“Three times as much” (section 2): **differs**: confirmed at 0 of 2 points, only `total.nodectl > total.reno` at" in text
    assert "“It is slow” (section 3): **not confirmed** (rate_mbps 10: NewReno 8, cubic 7, nodectl 9 | " in text
    assert (
        text.index("The claims that the paper is known for")
        < text.index("“It is slow”")
        < text.index("Its other claims")
        < text.index("“All is well”")
    )
    assert "“It is quiet” (section 4): not judged; without a value: " in text
    assert "9 to 36 (NewReno 8 to 32, cubic 7 to 28), highest at all 2 points" in text
    assert "| first | 18 | 3.60 | 0.042 | 41.7 | — | — | a processor, 2 cores, 4 GB |" in text
    report = (folder / "first" / "report.md").read_text()
    assert re.findall(r"^## Made up$", report, flags=re.MULTILINE), "the links lead to this heading"
    if kept:
        names = [file.name for file in sorted((folder / "first").iterdir()) if file.is_file()]
        assert names == ["rates-rates.png", "report.md"], "the main figure alone, and no page besides"
    else:
        assert 'id="made-up"' in (folder / "first" / "report.html").read_text()
        found = References(in_html.read_text()).fetched
        assert "first/rates-rates.png" not in found, "pictures are inside"
        for reference in found:
            assert reference.startswith("data:") or (folder / reference.partition("#")[0]).exists()
    for reference in re.findall(r"\]\(([^)]*)\)", text):
        assert (folder / reference.partition("#")[0]).exists()


@pytest.mark.usefixtures("_drawn_at_once")
def test_a_figure_of_two_main_values_is_on_the_page_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first")
    file = tmp_path / "papers" / "first" / "paper.toml"
    main = file.read_text().partition("[[main_figures]]")[2]
    file.write_text(f"{file.read_text()}\n[[main_figures]]{main.replace('throughput, Mbit/s', 'the same again')}")
    keep_results(ResultStore(tmp_path / "reproduce" / "first"), rates_of("first"), values)
    reproduce(RunRequest(paper="all", report_only=True), tmp_path, options()[0])
    text = (tmp_path / "reproduce" / "overview.md").read_text()
    assert "the same again" in text
    assert text.count("(first/rates-rates.png)") == 1


@pytest.mark.usefixtures("_drawn_at_once")
def test_a_kept_report_has_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first")
    keep_results(ResultStore(tmp_path / "reproduce" / "first"), rates_of("first"), values)
    reproduce(RunRequest(paper="first", report_only=True, reports=tmp_path / "docs"), tmp_path, options()[0])
    report = (tmp_path / "docs" / "first" / "report.md").read_text()
    given, said = options()
    elsewhere = tmp_path / "elsewhere"
    assert reproduce(RunRequest(paper="first", report_only=True, reports=elsewhere / "docs"), elsewhere, given).files, (
        "nothing is kept there"
    )
    assert not said.getvalue()
    assert reproduce(RunRequest(paper="first", reports=tmp_path / "docs"), elsewhere, given).complete, "and nothing measured"
    assert re.match(
        r"18 cells are taken from the records in .*; FRESH=1 measures them anew\n18 of 18 cells are measured already", said.getvalue()
    )
    assert (tmp_path / "docs" / "first" / "report.md").read_text() == report


@pytest.mark.usefixtures("_drawn_at_once")
def test_a_main_figure_is_one_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_papers(monkeypatch, tmp_path / "papers", "first")
    keep_results(ResultStore(tmp_path / "reproduce" / "first"), rates_of("first"), values)
    file = tmp_path / "papers" / "first" / "paper.toml"
    file.write_text(file.read_text().replace('where = { rate_mbps = 10 }\nover = "rate_mbps"', ""))
    with pytest.raises(UserError, match="leaves 2 points"):
        reproduce(RunRequest(paper="all", report_only=True), tmp_path, options()[0])
    file.write_text(file.read_text().replace('experiment = "rates"', 'experiment = "other"'))
    with pytest.raises(UserError, match=r"main_figures\.0: 'other' is not among `experiments`"):
        reproduce(RunRequest(paper="all", report_only=True), tmp_path, options()[0])
