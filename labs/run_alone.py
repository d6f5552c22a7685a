"""A lab's network with the student's files in it, whatever its checks say: to see the effect of a change."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from common.errors import UserError
from common.shown_path import shown
from labs.check.measured import Measured, schemes_from
from labs.check.student_programs import StudentPrograms
from labs.check.vocabulary import Failed
from labs.checking import Request, measure_run, schemes_of
from reports.results import Results
from reports.summary.notes import notes
from reports.summary.picture import with_run_picture
from reports.summary.table import for_terminal, summary_tables
from topo.toolchain import Toolchain
from view.recording.pictures_of_run import draw_pictures

QUEUES = "queues.png"
TOLD = ("took_ms.", "retransmits.", "smoothed_rtt_ms")
"""Values that questions of the labs are about, and that the table does not have."""


def show_run(request: Request, console: Console) -> None:
    """Measure the lab's run, and show its table, the files that ran, and where the pictures are.

    Raises:
        UserError: the lab has no run, or this one has no result.
    """
    try:
        scenario, programs, measured = measure_run(request)
    except Failed as failed:
        raise UserError(f"lab {request.lab.number}: {failed.message}", "\n".join(failed.details)) from None
    with schemes_from(schemes_of(request)):
        _tell(request, scenario, programs, measured, console)


def _tell(request: Request, scenario: Path, programs: StudentPrograms, measured: Measured, console: Console) -> None:
    experiment = with_run_picture(programs.experiment(scenario))
    results = Results(measured.records)
    for table in summary_tables(experiment, results):
        console.print(for_terminal(table, experiment.title))
    console.print(f"your files: {', '.join(shown(file) for file in request.files.values())}", highlight=False, soft_wrap=True)
    for line in notes(experiment, results, Toolchain()):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for name, value in sorted(measured.records[0].values.items()):
        if name.startswith(TOLD) and value is not None:
            console.print(f"{name}: {value:.4g}", highlight=False, soft_wrap=True)
    console.print(f"\npicture: {shown(measured.pictures[0])}", highlight=False, soft_wrap=True)
    pictures = request.work / "pictures"
    draw_pictures(measured.folder, pictures)
    console.print(f"queues over time: {shown(pictures / QUEUES)}", highlight=False, soft_wrap=True)
    console.print(f"values, samples and logs: {shown(measured.folder)}", highlight=False, soft_wrap=True)
