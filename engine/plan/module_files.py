"""The congestion controls' modules among the files of a job, where the loader inside looks for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hosts.cca.module_registry import FOLDER_VARIABLE
from hosts.cca.sources import OWN_FOLDER_VARIABLE, own_folder
from virtual_time.environment import inside_environment
from virtual_time.init import JOB

FOLDER = "modules"
OWN_FOLDER = "schemes"


def module_files(modules: Iterable[Path]) -> dict[str, Path]:
    """Modules by their names among the files of a job."""
    return {f"{FOLDER}/{file.name}": file for file in modules}


def environment_with_modules() -> dict[str, str]:
    """The complete environment of a command that finds its modules there, and the sources of schemes that are not the testbed's."""
    own = {} if own_folder() is None else {OWN_FOLDER_VARIABLE: str(JOB / OWN_FOLDER)}
    return inside_environment(**{FOLDER_VARIABLE: str(JOB / FOLDER)}, **own)


def own_source_files() -> dict[str, Path]:
    """The sources of schemes that are not the testbed's, by their names among the files of a job: their runner asks for their needs."""
    own = own_folder()
    if own is None:
        return {}
    return {f"{OWN_FOLDER}/{file.name}": file for pattern in ("*.bpf.c", "*.h", "*.toml") for file in sorted(own.glob(pattern))}
