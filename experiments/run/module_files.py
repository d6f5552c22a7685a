"""The congestion controls' modules among the files of a job, where the loader inside looks for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hosts.cca.module_registry import FOLDER_VARIABLE
from virtual_time.environment import inside_environment
from virtual_time.init import JOB

FOLDER = "modules"


def module_files(modules: Iterable[Path]) -> dict[str, Path]:
    """Modules by their names among the files of a job."""
    return {f"{FOLDER}/{file.name}": file for file in modules}


def environment_with_modules() -> dict[str, str]:
    """The complete environment of a command that finds its modules there."""
    return inside_environment(**{FOLDER_VARIABLE: str(JOB / FOLDER)})
