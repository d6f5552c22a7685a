"""``testbed init FOLDER``: a folder to work in, with a copy of all that one begins with by changing it."""

from __future__ import annotations

import shutil
from pathlib import Path

from common.errors import UserError
from common.installation import PROJECT
from common.shown_path import shown
from common.write_errors import cannot_write
from hosts.cca.sources import SOURCE_FOLDER, SOURCE_SUFFIX
from labs.catalogue import labs
from labs.student_folder import write_labs
from testbed.places import SCENARIOS
from testbed.starting.catalogue import USUAL, template_named
from testbed.starting.making import make_folder

LABS, SCENARIO_FILES, PROGRAM, SCHEMES, NOTEBOOKS = "labs", "scenarios", "program", "schemes", "notebooks"
OWN_SCHEME = "mycca"


def make_working_folder(folder: Path) -> dict[str, str]:
    """Copy everything.

    Args:
        folder: a new one, or one that is empty.

    Returns:
        The parts of the folder, by name, with the use of each.

    Raises:
        UserError: the folder is not empty, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{shown(folder)} is there and not empty; nothing was changed", "give the name of a new folder")
    try:
        write_labs(labs(), folder / LABS)
        shutil.copytree(SCENARIOS, folder / SCENARIO_FILES)
        shutil.copytree(PROJECT / "view" / "notebook", folder / NOTEBOOKS)
        make_folder(folder / PROGRAM, template_named(USUAL))
        (folder / SCHEMES).mkdir()
        shutil.copyfile(SOURCE_FOLDER / "template.c", folder / SCHEMES / f"{OWN_SCHEME}{SOURCE_SUFFIX}")
    except OSError as error:
        raise cannot_write(error) from None
    place = shown(folder)
    return {
        LABS: "testbed labs lists them; in this folder, testbed lab 1 checks the first",
        SCENARIO_FILES: f"testbed run {place}/{SCENARIO_FILES}/staggered.toml",
        PROGRAM: f"a P4 program, its tests and a run: testbed check {place}/{PROGRAM}",
        SCHEMES: f"a congestion control: NODECTL_SCHEMES={place}/{SCHEMES} testbed run --schemes {OWN_SCHEME},reno",
        NOTEBOOKS: f"testbed python -m jupyterlab {place}/{NOTEBOOKS}, if JupyterLab is installed",
    }
