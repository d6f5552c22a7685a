"""Where things are: in a checkout, and as a wheel has installed them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from common import installation
from common.installation import NOTE, BroughtLayer, Note, cache_folder, read_note

NOTED = Note("1.2", "abc", "0123", {"userland": BroughtLayer("aa", 10), "checkout": BroughtLayer("bb", 5)}, {"curl": "/usr/bin/curl"})
PLACES = """
import json
from common import installation
print(json.dumps({name: str(getattr(installation, name)) for name in ("MADE", "BROUGHT", "RESULTS")}))
"""


def places(project: Path, folder: Path, **environment: str) -> dict[str, str]:
    """The module's places in another tree, called in ``folder``."""
    (project / "common").mkdir(parents=True)
    for name in ("__init__.py", "installation.py"):
        shutil.copy(Path(installation.__file__).with_name(name), project / "common" / name)
    words = {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-S", "-c", PLACES], cwd=folder, env=words, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_this_is_a_checkout() -> None:
    assert installation.INSTALLED is None
    assert installation.MADE == installation.BROUGHT == installation.PROJECT / "build"
    assert installation.RESULTS == installation.PROJECT / "results"


def test_a_checkout_has_all_beside_each_other(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    assert places(tree, tmp_path) == {"MADE": f"{tree}/build", "BROUGHT": f"{tree}/build", "RESULTS": f"{tree}/results"}


def test_what_is_installed_is_not_written_into(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / NOTE).write_text(NOTED.text())
    found = places(tree, tmp_path, XDG_CACHE_HOME="/somewhere", HOME="/home/her")
    assert found == {"MADE": f"/somewhere/nodectl-testbed/{NOTED.digest}", "BROUGHT": f"{tree}/build", "RESULTS": f"{tmp_path}/results"}


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_note(tmp_path) is None
    (tmp_path / NOTE).write_text(NOTED.text())
    assert read_note(tmp_path) == NOTED


def test_wheels_with_another_file_system_have_another_cache() -> None:
    other = Note("1.2", "abc", "0123", {"userland": BroughtLayer("aa", 10), "checkout": BroughtLayer("cc", 5)})
    assert NOTED.digest == "0123-aa-bb" != other.digest


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_CACHE_HOME": "/cache", "HOME": "/home/her"}, "/cache/nodectl-testbed"),
        ({"XDG_CACHE_HOME": "not/absolute", "HOME": "/home/her"}, "/home/her/.cache/nodectl-testbed"),
        ({"XDG_CACHE_HOME": "", "HOME": "/home/her"}, "/home/her/.cache/nodectl-testbed"),
        ({}, f"{tempfile.gettempdir()}/nodectl-testbed-{os.getuid()}"),
    ],
)
def test_the_users_cache(environment: dict[str, str], folder: str) -> None:
    assert cache_folder(environment) == Path(folder)
