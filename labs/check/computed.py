"""Files to be handed in that a solution computes from a run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from common.errors import UserError
from labs.catalogue import Files, Lab


def with_computed(lab: Lab, solution: Files, run_folder: Callable[[], Path], target: Path) -> Files:
    """The files to hand in of a solution, or of one that was changed: its programs are run, its other files are as they are.

    Args:
        lab: of the solution.
        solution: files and programs, by their names.
        run_folder: measures the lab's run and returns the folder with its results; asked only if there is a program.
        target: folder for the files that programs print; made if necessary.

    Raises:
        UserError: a program ends with an error.
    """
    computed = lab.declaration.computed
    found = {name: solution[name] for name in lab.declaration.files if name not in computed}
    for name, program in computed.items():
        command = [sys.executable, str(solution[program]), str(run_folder())]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise UserError(f"lab {lab.number}: {solution[program]} ended with exit code {result.returncode}: {result.stderr.strip()}")
        target.mkdir(parents=True, exist_ok=True)
        found[name] = target / name
        found[name].write_text(result.stdout, encoding="utf-8")
    return found
