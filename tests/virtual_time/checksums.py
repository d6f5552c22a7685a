"""``python -m tests.virtual_time.checksums SCENARIO FOLDER [CLUSTER [SWITCH COMPILER]]``: run a scenario in virtual time.

Says the checksums of its samples and of its inputs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from rich.console import Console

from common.command_line import let_signals_interrupt, run_command
from engine.collect.record import INPUTS, SAMPLES
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import EMBEDDED, RunRequest
from virtual_time import environment

UNMASKED = "NODECTL_TEST_UNMASKED"
"""Set: NumPy inside may use everything that the processor can."""


def main(scenario: Path, folder: Path, cluster: str = "", switch: str = EMBEDDED, compiler: str = "") -> int:
    """Prints JSON: samples and inputs by scheme; exit code 1 if there is no result."""
    if UNMASKED in os.environ:
        environment.NUMPY_FEATURES = "AVX512_SPR".ljust(len(environment.NUMPY_FEATURES))
    experiment = ReportedExperiment.read(scenario)
    store = ResultStore(folder)
    options = RunOptions.of(RunRequest(switch=switch, compiler=compiler, cluster=cluster), Console(stderr=True), virtual=True)
    Runner(store, options).run([experiment])
    records = store.records(experiment.cells())
    print(json.dumps({one.scheme: {"samples": one.facts.get(SAMPLES), "inputs": one.facts.get(INPUTS)} for one in records}))
    return 0 if records and all(one.is_result for one in records) else 1


if __name__ == "__main__":
    from common.command_end import end_with

    let_signals_interrupt()
    end_with(lambda: run_command(lambda: main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])))
