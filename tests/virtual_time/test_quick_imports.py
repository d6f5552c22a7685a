"""Imports from a bundle find what Python would have found, and leave the rest to it."""

from __future__ import annotations

import importlib.util
import marshal
import mmap
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from virtual_time import quick_imports
from virtual_time.file_system.import_bundle import import_bundle
from virtual_time.quick_imports import BundleFinder

SOURCES = {
    "alone.py": "VALUE = 'alone'",
    "package/__init__.py": "from package.below import VALUE",
    "package/below.py": "VALUE = __name__",
    "both.py": "VALUE = 'the module'",
    "both/__init__.py": "VALUE = 'the package'",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, source in SOURCES.items():
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source + "\n")
    extension = Path(mmap.__file__)
    (tmp_path / "tree" / extension.name).write_bytes(extension.read_bytes())
    return tmp_path / "tree"


@pytest.fixture
def finder(tree: Path) -> BundleFinder:
    files = sorted(str(file) for file in tree.rglob("*") if file.is_file())
    code = {file: marshal.dumps(compile(Path(file).read_text(), file, "exec")) for file in files if file.endswith(".py")}
    found = BundleFinder()
    found.add(memoryview(import_bundle(code, files)))
    return found


@pytest.mark.parametrize("name", ["alone", "package", "package.below", "both", "mmap"])
def test_a_module_is_found_as_python_finds_it(finder: BundleFinder, tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, "path", [str(tree)])
    path = [str(tree / "package")] if "." in name else None
    ours, pythons = finder.find_spec(name, path), PathFinder.find_spec(name, path)
    assert ours is not None
    assert pythons is not None
    for attribute in ("name", "origin", "submodule_search_locations", "parent", "has_location", "cached"):
        assert getattr(ours, attribute) == getattr(pythons, attribute), attribute


def test_its_code_is_that_of_the_bundle(finder: BundleFinder, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tree)])
    (tree / "alone.py").write_text("VALUE = 'changed since'\n")
    spec = finder.find_spec("alone")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.VALUE == "alone"
    assert module.__file__ == str(tree / "alone.py")


def test_the_first_folder_of_the_path_counts(finder: BundleFinder, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tree)])
    assert finder.find_spec("alone") is None, "a folder that is not in the bundle may have it"
    monkeypatch.setattr(sys, "path", ["/usr/lib/python311.zip", str(tree)])
    assert finder.find_spec("alone") is not None
    assert finder.find_spec("absent") is None


def test_later_bundles_come_to_earlier_ones(finder: BundleFinder, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(tree / "more.py")
    finder.add(memoryview(import_bundle({file: marshal.dumps(compile("VALUE = 2", file, "exec"))}, [file])))
    monkeypatch.setattr(sys, "path", [str(tree)])
    assert finder.find_spec("alone") is not None
    assert finder.find_spec("more") is not None


def test_python_takes_it_for_its_site(tree: Path, tmp_path: Path) -> None:
    """As inside: from another folder, by the name that Python looks for. Modules imported or run with -m come from the bundle."""
    (tree / "start.py").write_text(
        "import package; print(package.VALUE, package.__spec__.loader.__class__.__name__, __spec__.loader.__class__.__name__)"
    )
    files = [str(tree / name) for name in ("package/__init__.py", "package/below.py", "start.py")]
    code = {file: marshal.dumps(compile(Path(file).read_text(), file, "exec")) for file in files}
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles" / "layer").write_bytes(import_bundle(code, files))
    site = tmp_path / "site" / "sitecustomize.py"
    site.parent.mkdir()
    site.write_text(Path(quick_imports.__file__).read_text().replace(quick_imports.BUNDLES, str(tmp_path / "bundles")))
    environment = {"PYTHONPATH": f"{site.parent}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "start"], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.stdout == "package.below BundledLoader BundledLoader\n", done.stderr
