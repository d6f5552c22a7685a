"""Ordinary programs in virtual time: with the files of their packages, and with their exit codes in the run's result."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from engine.collect.store import ResultStore
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from reports.scenario_run import run_experiment
from scenario.run_request import RunRequest
from virtual_time.session import explain_missing

pytestmark = [
    pytest.mark.skipif(explain_missing() is not None, reason="the user-mode kernel is not built: virtual time is NOT tested"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: it is NOT tested"),
]

SCENARIO = """
schema = 2
title = "Programs, for the tests"
topology = { kind = "dumbbell", pairs = 1, access = { rate_mbps = 100, delay_ms = 1 }, bottleneck = { rate_mbps = 20, delay_ms = 2 } }

[files]
"www/file" = 100_000
"fetch.sh" = '''#!/bin/sh
no-such-program http://$1/file | wc -c
'''
"repository.sh" = '''#!/bin/sh -e
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q --bare r.git
cd r.git
git update-ref refs/heads/master $(git commit-tree -m first $(git mktree < /dev/null))
git update-server-info
'''

[[programs]]
name = "web"
host = "h1"
command = ["sh", "-c", "cd $folder/www && ../repository.sh && exec python3 -m http.server 80 --bind $h1"]
listens_on = 80

[[programs]]
name = "clone"
host = "h2"
command = ["git", "clone", "http://$h1/r.git", "/tmp/clone"]

[[programs]]
name = "script"
host = "h2"
command = ["$folder/fetch.sh", "$h1"]

[[programs]]
name = "wrong"
host = "h2"
command = ["cp", "/no/such/file", "/tmp/there"]

[[programs]]
name = "unimportant"
host = "h2"
command = ["false"]
may_fail = true

[run]
schemes = ["cubic"]
duration_s = 5
"""


def test_programs_run_with_what_they_start_and_those_that_fail_make_the_run_fail(tmp_path: Path) -> None:
    file = tmp_path / "programs.toml"
    file.write_text(SCENARIO)
    folder, said = tmp_path / "results", StringIO()
    experiment = ReportedExperiment.read(file, Effort())
    options = RunOptions(RunRequest(), Console(file=said, width=200), virtual=True)
    assert not run_experiment(experiment, folder, options)
    (record,) = ResultStore(folder).records(experiment.cells())
    ends = record.programs
    assert {name: (one.how, one.has_failed) for name, one in ends.items()} == {
        "clone": ("exit code 0", False),
        "script": ("exit code 0, not found: no-such-program", True),
        "wrong": ("exit code 1", True),
        "unimportant": ("exit code 1", False),
    }
    assert "/no/such/file" in ends["wrong"].said
    assert record.failure is not None
    assert [line.partition(":")[0] for line in record.failure.splitlines()] == ["program script failed", "program wrong failed"]
    shown = said.getvalue()
    for words in ("FAILED: exit code 1", "cannot stat '/no/such/file'", "Cloning into '/tmp/clone'"):
        assert words in shown
    (wrong,) = folder.glob("scratch/*/said-wrong.txt")
    assert "cannot stat" in wrong.read_text()
    assert str(wrong) in shown.replace("\n", "")
