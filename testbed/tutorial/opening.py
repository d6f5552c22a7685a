"""``testbed tutorial FOLDER``: an exercise's network with a prompt, in virtual time, with its files beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from common.errors import UserError
from common.installation import RESULTS
from common.shown_path import shown
from engine.execute.time_choice import uses_virtual_time
from engine.execute.virtual_prompt import Beside, files_of
from reports.scenario_run import new_result_folder
from scenario.data_plane import with_paths
from scenario.run_request import RunRequest
from testbed.prepared_run import prepare
from testbed.prompt import run_virtual, watched
from testbed.tutorial.exercise import SOLUTION, Exercise, read_exercise
from testbed.tutorial.p4utils_packages import note_of_missing, p4utils_packages, wants_p4utils
from testbed.tutorial.p4utils_topology import NAME, json_name, p4info_name, p4utils_topology
from topo.layout import plan_network
from topo.toolchain import Toolchain

EXERCISES, UTILITIES = "exercises", "utils"
"""Folders in which exercises expect themselves and their shared files."""

EMPTY = ("logs", "pcaps")
"""Folders that an exercise's Makefile makes."""


def open_exercise(request: RunRequest, script: Sequence[str] | None = None) -> int:
    """Bring an exercise's network up, and carry out lines of the prompt.

    Args:
        request: the exercise, compiler and switch, and the page beside it; its scenario is not heeded.
        script: lines instead of a user's.

    Returns:
        The prompt's exit code.

    Raises:
        UserError: something of the exercise is wrong or missing, or something did not start.
    """
    page = request.page
    exercise = read_exercise(Path(request.p4app), solution=request.solution)
    for note in exercise.notes:
        print(note)
    if not uses_virtual_time(""):
        raise UserError("an exercise is run in virtual time, which cannot be had here", "make doctor says what is missing")
    content = dict(exercise.content) | ({"p4_defines": list(exercise.defines)} if exercise.defines else {})
    with_paths(content, exercise.folder)
    prepared = prepare(replace(request, scenario=shown(exercise.topology)), content, virtual=True)
    files = _files(exercise, prepared.options.toolchain, solution=request.solution)
    packages: Mapping[str, Path] = {}
    if exercise.addresses is not None:
        plan = plan_network(prepared.scenarios[0])
        # One that is there already, p4-utils would write anew as well.
        files[f"{EXERCISES}/{exercise.title}/{NAME}"] = p4utils_topology(plan, exercise.addresses, _running(exercise)).encode()
        packages = _p4utils([file for file in files.values() if isinstance(file, Path)])
    beside = Beside(f"{EXERCISES}/{exercise.title}", files, packages)
    lines = None if script is None else [*exercise.first, *script]
    results = new_result_folder(RESULTS, exercise.title)
    with watched(prepared, results, page) as prepared:
        return run_virtual(prepared, results, lines, beside)


def _running(exercise: Exercise) -> dict[str, str]:
    return {name: Path(keys["p4"]).stem for name, keys in exercise.content["switches"].items() if "p4" in keys}


def _p4utils(files: Sequence[Path]) -> Mapping[str, Path]:
    """The files of p4-utils that go with an exercise; a line names missing packages."""
    programs = wants_p4utils(files)
    if not programs:
        return {}
    packages, missing = p4utils_packages()
    if missing:
        print(note_of_missing(programs, missing))
    return packages


def _files(exercise: Exercise, toolchain: Toolchain, *, solution: bool) -> dict[str, bytes | Path]:
    """The exercise's own files, those that its Makefile would have compiled, and those that exercises share."""
    here = f"{EXERCISES}/{exercise.title}"
    files: dict[str, bytes | Path] = {f"{here}/{name}": file for name, file in files_of(exercise.folder).items()}
    if solution:
        files |= {f"{here}/{name}": file for name, file in files_of(exercise.folder / SOLUTION).items()}
    shared = exercise.folder.parents[1] / UTILITIES
    if shared.is_dir():
        files |= {f"{UTILITIES}/{name}": file for name, file in files_of(shared).items()}
    for name, source in exercise.programs.items():
        try:
            program, p4info = toolchain.compile(exercise.defines, source)
        except UserError:
            continue  # one that no switch runs need not compile; the others have been
        files[f"{here}/build/{name}.json"] = program
        if exercise.addresses is not None:
            files[f"{here}/{json_name(name)}"], files[f"{here}/{p4info_name(name)}"] = program, p4info
        files[f"{here}/build/{name}.p4.p4info.txtpb"] = files[f"{here}/build/{name}.p4.p4info.txt"] = p4info
    return files | {f"{here}/{name}/.made": b"" for name in EMPTY}
