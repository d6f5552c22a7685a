"""Programs of a run import what they need alone: in virtual time, imports are most of a run's bring-up."""

from __future__ import annotations

import subprocess
import sys

import pytest

PICTURES_AND_TABLES = {"matplotlib", "polars", "pandas"}
P4RUNTIME = {"grpc", "finsy"}


@pytest.mark.parametrize(
    ("modules", "without"),
    [
        (("engine.execute.inside",), PICTURES_AND_TABLES),
        (("engine.execute.virtual_runs", "topo.testbed"), P4RUNTIME | PICTURES_AND_TABLES),
        (("controller.command_line",), {"numpy", "rich.console", "rich.table"} | PICTURES_AND_TABLES),
        (("hosts.fork_server",), {"numpy", "rich.console"} | P4RUNTIME | PICTURES_AND_TABLES),
        (("hosts.service.quick_start",), {"asyncio", "numpy", "pydantic", "argparse"} | P4RUNTIME),
    ],
)
def test_heavy_modules_stay_out(modules: tuple[str, ...], without: set[str]) -> None:
    show = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout.split())
    assert set(modules) <= loaded
    assert not without & loaded
