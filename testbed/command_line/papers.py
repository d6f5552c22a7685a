"""``reproduce`` and ``claims``: papers, measured and judged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from common.installation import KEPT_REPORTS, RESULTS
from common.terminal import terminal
from scenario.run_request import REPRODUCE, RunRequest
from testbed.command_line.from_request import taking_a_request
from testbed.command_line.scenarios import EXIT_NO_RESULT


def add_to(app: typer.Typer) -> None:
    """Make them commands of ``app``."""
    app.command(REPRODUCE)(reproduce)
    app.command()(claims)


@taking_a_request(REPRODUCE)
def reproduce(request: RunRequest) -> None:
    """Measure the tables and figures of a paper, or of all, and write reports with measured beside published."""
    from common.shown_path import shown
    from testbed.python_reproduce import reproduced

    console = terminal()
    try:
        done = reproduced(request, RESULTS, console)
    except KeyboardInterrupt:
        console.print("results are kept; the same command continues from here", highlight=False)
        raise
    for file in done.files:
        console.print(f"report: {shown(file)}", highlight=False)
    if not done.complete and not request.report_only:
        raise typer.Exit(EXIT_NO_RESULT)


def claims(
    reports: Annotated[Path, typer.Option(help="folder of kept reports; their records judge the claims")] = KEPT_REPORTS,
    before: Annotated[Path | None, typer.Option(help="folder of reports with earlier verdicts; left out, the same folder")] = None,
) -> None:
    """Print a table of all claims of all papers: the kept report's verdicts, and those of today's rules on the kept records."""
    from reports.document.markdown import render
    from reports.reproduce import claims as judged

    sys.stdout.write(render([judged(reports, before or reports)]))
