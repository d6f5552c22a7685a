"""``ENTRIES=1`` shows what a run costs, and changes nothing of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time

pytestmark = needs_virtual_time

FORWARDER = REPOSITORY / "tests" / "own_programs" / "forwarder"
LIMIT_S = 120
CHECKSUM = re.compile(r"checksum of the samples: (.+)")


def said_by_a_run(scenario: Path, *words: str) -> str:
    command = [sys.executable, "-m", "testbed", "run", str(scenario), *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=LIMIT_S, check=False, env={"COLUMNS": "200"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_programs_and_what_they_were_entered_for_are_listed(tmp_path: Path) -> None:
    scenario = Path(shutil.copytree(FORWARDER, tmp_path / "forwarder")) / "run.toml"
    scenario.write_text(scenario.read_text().replace("duration_s = 5", "duration_s = 1.5"))
    counted, plain = said_by_a_run(scenario, "--entries"), said_by_a_run(scenario)
    assert re.search(r"forwarding\s*│ [0-9,]+ io_uring_enter.*│\s+[0-9,]+ │\s+[0-9,]+ │\s+[0-9.]+ │", counted)
    assert re.search(r"all programs\s*│\s*│\s+[0-9,]+ │\s+[0-9,]+ │\s+[0-9.]+ │", counted)
    assert "all programs" not in plain
    assert CHECKSUM.findall(counted) == CHECKSUM.findall(plain) != []
