"""Reads a scenario file of one point, and writes one, as tests want it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.installation import RESULTS
from scenario.file import read_scenario_file
from scenario.scenario import Scenario


def load_scenario(path: Path) -> Scenario:
    """The scenario at the file's first point.

    Raises:
        UserError: the file is missing, not TOML, or says something impossible.
    """
    file = read_scenario_file(path)
    return file.scenario(file.points()[0])


@contextmanager
def own_scenario_file(text: str) -> Iterator[Path]:
    """A scenario file with a name of its own, so that only its own runs' results are removed with it: other tests run beside it."""
    with tempfile.TemporaryDirectory(prefix="scenario-") as folder:
        file = Path(folder, Path(folder).name).with_suffix(".toml")
        file.write_text(text)
        try:
            yield file
        finally:
            for results in RESULTS.glob(f"{file.stem}-*"):
                shutil.rmtree(results)
