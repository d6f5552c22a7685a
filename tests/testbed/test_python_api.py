"""`testbed.run`: the claims of its page, its frames against the run engine's own values, its errors; and the notebook."""

from __future__ import annotations

import json
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import testbed
from reports.results import Results
from scenario.run_request import REPRODUCE, RunRequest
from testbed.command_line.app import app
from tests.harness.long_tests import only_long
from tests.harness.pages import Page
from tests.harness.switches import REPOSITORY
from virtual_time.session import explain_missing

PAGE = Page("python-api.md")
NOTEBOOKS = sorted((REPOSITORY / "view" / "notebook").glob("*.ipynb"))
NOTEBOOK_S = 280


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The variables that the page's examples leave, run one after the other."""
    if missing := explain_missing():
        pytest.skip(f"no virtual time: {missing}")
    variables: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("testbed.prepared_run.RESULTS", tmp_path_factory.mktemp("results"))
        for block in PAGE.blocks("python"):
            exec(compile(block.text, f"docs/{PAGE}", "exec"), variables)
    return variables


@pytest.fixture(scope="module")
def result(examples: dict[str, Any]) -> testbed.Result:
    found = examples["result"]
    assert isinstance(found, testbed.Result)
    return found


def test_the_examples_do_what_they_say(examples: dict[str, Any], result: testbed.Result) -> None:
    assert (result.folder / "two.svg").read_text().startswith("<?xml")
    assert set(examples["late"]["transmission"]) == {"A", "B"}


def test_columns_are_those_of_the_page(result: testbed.Result) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.text.splitlines() if line.startswith("| `")]
    frames = {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in rows if len(row) == 3}
    assert set(frames) >= {"throughput", "shares", "rtt", "queues", "drops", "events", "senders", "values"}
    for name, documented in frames.items():
        columns = list(getattr(result, name).columns)
        assert columns[:2] == ["scheme", "repetition"], name
        assert columns[2 : 2 + len(documented)] == documented, name
        assert name == "senders" or len(columns) == 2 + len(documented), name


def test_throughput_is_what_the_engine_measured(result: testbed.Result) -> None:
    for record in result.records:
        for name in "AB":
            rows = result.throughput.query("scheme == @record.scheme and transmission == @name")
            assert rows["time_s"].round(4).tolist() == record.series[f"throughput.{name}.time_s"]
            assert rows["throughput_mbps"].round(4).tolist() == record.series[f"throughput.{name}"]


def test_drops_and_queues_are_what_the_engine_measured(result: testbed.Result) -> None:
    for record in result.records:
        last = result.drops.query("scheme == @record.scheme").groupby("link").last()
        assert last["queue_drops"].sum() == record.values["queue_drops"]
        queues = result.queues.query("scheme == @record.scheme")
        assert set(queues["link"]) >= {"s1-s2", "s2-s1", "s1-h1", "h1-s1"}
        assert queues["queue_packets"].max() <= 100


def test_shares_and_events_tell_the_same_story(result: testbed.Result) -> None:
    assert set(result.shares["scheme"]) == {"nodectl"}
    shares = result.shares.query("transmission == 'A'")
    assert shares["share_mbps"].tolist() == [36.0, 18.0, 18.0]
    assert shares["time_s"].iloc[-1] == pytest.approx(3.0, abs=0.1)
    reduced = result.events[result.events["text"].str.contains("A reduced 36.0 → 18.0")].iloc[0]
    assert (reduced["source"], reduced["port"]) == ("s1", 4)
    assert 0 < shares["time_s"].iloc[1] - reduced["time_s"] < 0.05
    assert result.events["time_s"].is_monotonic_increasing or len(set(result.events["scheme"])) > 1


def test_rtt_is_at_least_the_paths(result: testbed.Result) -> None:
    assert result.rtt["rtt_ms"].between(60, 120).mean() > 0.95


def test_values_are_those_of_the_records(result: testbed.Result) -> None:
    found = result.values.query("name == 'mean_mbps' and transmission == 'A' and scheme == 'nodectl'")["value"].item()
    assert found == Results(result.records).mean("mean_mbps.A", "nodectl")


def test_a_notebook_shows_the_picture(result: testbed.Result) -> None:
    assert result._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ("no_such_scenario", {}, "there is no scenario 'no_such_scenario'"),
        ({"base": "staggered", "durations": 3}, {}, "key `durations`: unknown key"),
        ({"title": "nothing"}, {}, "topology"),
        ({"base": "staggered"}, {"schemes": ["no_such_scheme"]}, "no_such_scheme"),
        ({"base": "staggered"}, {"capture": ["s1-s9"]}, "there is no s1-s9 in this network"),
        ({"base": "staggered"}, {"time": "tomorrow"}, "TIME=tomorrow is not known"),
        ({"base": "staggered"}, {"size": "huge"}, "run takes no 'size'"),
        ({"base": "staggered"}, {"quick": True, "full": True}, "QUICK=1 and FULL=1 contradict each other"),
        ({"base": "staggered"}, {"seed": "two"}, "seed='two' is not of the type that run takes"),
        ({"base": "staggered"}, {"repetitions": True}, "repetitions=True is not of the type that run takes: int"),
        ({"base": "staggered"}, {"emulate": True}, "run takes no 'emulate'"),
        ({"base": "staggered"}, {"kernels": ["6.12", "6.12"]}, "KERNELS=6.12,6.12 names a kernel twice"),
        (3, {}, "a scenario is a name"),
    ],
)
def test_mistakes_are_said_before_anything_starts(given: Any, options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(testbed.TestbedError, match=re.escape(words)):
        testbed.run(given, folder=tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_wishes_are_the_fields_of_the_request() -> None:
    request = RunRequest.from_python(REPRODUCE, {"only": ["table7", "table8"], "quick": True, "reports": "kept", "repetitions": None})
    assert request == RunRequest(only="table7,table8", quick=True, reports=Path("kept"))
    with pytest.raises(testbed.TestbedError, match="reproduce takes no 'capture'"):
        RunRequest.from_python(REPRODUCE, {"capture": "all"})


OF_COMMANDS = {
    "run": "run", "cli": "open_prompt", "tutorial": "open_prompt", "reproduce": "reproduce", "claims": "claims", "lab": "check_lab",
    "labs": "labs", "handout": "write_handout", "grade": "Grading", "live": "LiveServer", "replay": "LiveServer", "export": "export",
    "pictures": "draw_pictures", "kernel": "build_kernel", "doctor": "examine",
}  # fmt: skip
"""Commands, and the names in Python of the same."""

OF_THE_COMMAND_LINE = {"init", "check", "new", "docs", "python", "man", "bench"}
"""Those that write files to begin with, serve pages, or are about the command line itself."""


def test_each_command_has_its_like_in_python() -> None:
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert commands == OF_COMMANDS.keys() | OF_THE_COMMAND_LINE
    without_page = {"LiveServer"} if find_spec("aiohttp") is None else set()  # the live page's packages are an extra
    assert all(callable(getattr(testbed, name)) for name in {*OF_COMMANDS.values()} - without_page)
    assert set(testbed.__all__) == {*testbed.PLACES, "TestbedError"}


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_are_kept_without_output(file: Path) -> None:
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells if cell["cell_type"] == "code")


@only_long
@pytest.mark.timeout(NOTEBOOK_S + 60)
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="JupyterLab is not installed")
    pytest.importorskip("ipykernel", reason="JupyterLab is not installed")
    if missing := explain_missing():
        pytest.skip(f"no virtual time: {missing}")
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=NOTEBOOK_S, resources={"metadata": {"path": str(file.parent)}}).execute()
    pictures = [out for cell in notebook.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
    assert len(pictures) >= 3
    if folder := os.environ.get("NODECTL_NOTEBOOK_OUT"):
        nbformat.write(notebook, Path(folder) / file.name)
