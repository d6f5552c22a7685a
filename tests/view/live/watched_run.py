"""``python -m tests.view.live.watched_run FOLDER``: ``make run LIVE=1 TRACE=C`` into a folder of the test's."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from common.command_line import let_signals_interrupt, run_command
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from engine.plan.tracing import trace_filter
from reports.experiment import ReportedExperiment
from reports.scenario_run import run_experiment
from scenario.run_request import RunRequest
from testbed.page_beside import page_beside
from tests.view.live.page_server import PROJECT

SCENARIO = PROJECT / "scenario" / "examples" / "staggered.toml"
SCHEMES = "nodectl,cubic"
TRACED = "C"
WIDE = 200


def main(folder: Path) -> int:
    """Prints the page's address first; exit code 1 if there is no result."""
    experiment = ReportedExperiment.read(SCENARIO, Effort(schemes=SCHEMES))
    trace = trace_filter(TRACED, [scenario for _, scenario in experiment.scenarios])
    options = RunOptions(RunRequest(trace=trace), Console(width=WIDE), virtual=True)
    return 0 if run_experiment(experiment, folder, options, page_beside(folder, [], print)) else 1


if __name__ == "__main__":
    from common.command_end import end_with

    let_signals_interrupt()
    end_with(lambda: run_command(lambda: main(Path(sys.argv[1]))))
