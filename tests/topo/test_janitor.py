"""The janitor cleans up after a run that was killed, and leaves everything alone after one that ended well."""

import os
import subprocess
import sys
from pathlib import Path

from tests.harness.waiting import wait_for
from topo.janitor import MARK, Janitor, kill_groups, marked_processes, start_time

RUN_THAT_DIES = """
import os, signal, subprocess, sys, pathlib
from topo.janitor import Janitor
janitor = Janitor()
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
janitor.watch_process(child.pid)
folder = pathlib.Path(sys.argv[1]); folder.mkdir()
janitor.watch_path(folder)
print(child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


RUN_THAT_DIES_WHILE_IT_STARTS_SOMETHING = """
import os, signal, subprocess
from topo.janitor import Janitor
janitor = Janitor()
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
print(child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def wait_for_end(pid: int) -> None:
    wait_for("the end of the process that was started", lambda: start_time(pid) is None)


def test_killed_run_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "runtime"
    run = subprocess.run([sys.executable, "-c", RUN_THAT_DIES, str(folder)], capture_output=True, text=True, check=False)
    wait_for_end(int(run.stdout))
    wait_for("the end of its folder", lambda: not folder.exists())


def test_what_was_being_started_when_the_run_was_killed_goes_as_well() -> None:
    run = subprocess.run([sys.executable, "-c", RUN_THAT_DIES_WHILE_IT_STARTS_SOMETHING], capture_output=True, text=True, check=False)
    wait_for_end(int(run.stdout))


def test_other_runs_and_the_own_process_are_not_marked() -> None:
    janitor = Janitor()
    try:
        mark = os.environ[MARK]
        child = subprocess.Popen(["sleep", "60"])
        other = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: "another"})
        try:
            # A process that has just been started has no environment for a moment.
            wait_for("their environment", lambda: all(Path(f"/proc/{process.pid}/environ").read_bytes() for process in (child, other)))
            assert child.pid in marked_processes(mark)
            assert not {other.pid, os.getpid()} & set(marked_processes(mark))
        finally:
            for process in (child, other):
                process.kill()
                process.wait()
    finally:
        janitor.close()
    assert os.environ.get(MARK) != mark


def test_good_end_touches_nothing(tmp_path: Path) -> None:
    janitor = Janitor()
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        janitor.watch_process(child.pid)
        janitor.watch_path(tmp_path)
        janitor.close()
        assert child.poll() is None
        assert tmp_path.exists()
    finally:
        child.kill()
        child.wait()


def test_a_pid_that_another_process_has_taken_over_is_left_alone() -> None:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        kill_groups({child.pid: "1"})
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
