"""The modules of a benchmark, for a job in virtual time: the testbed's file system has none of ``bench``."""

from __future__ import annotations

from pathlib import Path

from bench.tools import PROJECT

LOADED = "/job/modules"
"""Where they are inside: the job's PYTHONPATH."""


def modules_inside(package: Path) -> dict[str, Path]:
    """The job's files (virtual_time/job.py) with a package, and with the packages that it is in.

    Args:
        package: folder of the package, below ``bench``.
    """
    above = [folder / "__init__.py" for folder in package.parents if folder.is_relative_to(PROJECT / "bench")]
    return {f"modules/{file.relative_to(PROJECT)}": file for file in (*above, *package.glob("*.py"))}
