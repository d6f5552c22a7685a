"""A run's own process imports nothing of P4Runtime, which takes a tenth of a second of each run in virtual time."""

from __future__ import annotations

import subprocess
import sys

OF_A_RUN = "engine.execute.inside", "topo.testbed"
HEAVY = {"grpc", "finsy", "matplotlib", "polars", "pandas"}


def test_a_run_imports_none_of_the_heavy_modules() -> None:
    show = f"import sys, {', '.join(OF_A_RUN)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout.split()
    assert set(OF_A_RUN) <= set(loaded)
    assert not HEAVY & set(loaded)
