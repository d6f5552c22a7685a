"""A paper measured from Python: ``testbed.reproduce``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from common.installation import RESULTS
from engine.execute.runner import REPRODUCE as PAPERS
from engine.execute.time_choice import uses_virtual_time
from engine.plan.options import RunOptions
from reports.reproduce import Reproduced, command_of
from reports.reproduce import reproduce as measure_and_report
from scenario.run_request import REPRODUCE, RunRequest
from view.atlas.atlas_page import write_atlas


def reproduce(paper: str = "nodectl", *, folder: str | Path = RESULTS, progress: bool = False, **wishes: Any) -> Reproduced:
    """Measure the tables and figures of a paper, or of ``all``, and write reports with measured beside published.

    Args:
        paper: a folder of reports/papers/.
        folder: for the results; those that are there already are kept.
        progress: show on standard error how far it is.
        wishes: the options of ``testbed reproduce`` by their names: ``only="table7"``, ``quick=True``, ``report_only=True``.

    Returns:
        The reports' files, and whether every cell has a result.

    Raises:
        TestbedError: there is no such paper, or something that is needed is missing.
    """
    request = replace(RunRequest.from_python(REPRODUCE, wishes), paper=paper)
    return reproduced(request, Path(folder), Console(stderr=True) if progress else Console(quiet=True))


def reproduced(request: RunRequest, folder: Path, console: Console) -> Reproduced:
    """Carry out a request that is made already."""
    options = RunOptions.of(request, console, virtual=uses_virtual_time(request.time, request.only_virtual))
    done = measure_and_report(request, folder, options)
    pages = [
        file
        for one in done.measured
        if one.paper.has_maps
        for file in write_atlas(one.experiments, one.results, folder / PAPERS / one.report, command_of(request, virtual=options.virtual))
    ]
    return replace(done, files=[*done.files, *pages])
