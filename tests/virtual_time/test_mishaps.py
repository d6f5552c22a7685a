"""Mishaps inside or outside: one clear line, an end, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import UserError
from tests.harness.scenario_file import own_scenario_file
from tests.harness.waiting import wait_for
from tests.virtual_time.inside import needs_virtual_time
from virtual_time.job import Job, Outside
from virtual_time.process_table import processes_in
from virtual_time.scratch import PREFIX
from virtual_time.session import Session

pytestmark = [needs_virtual_time, pytest.mark.timeout(120)]

PROJECT = Path(__file__).resolve().parents[2]
MEMORY_FOLDER = Path("/dev/shm")
STAGGERED = PROJECT / "scenario" / "examples" / "staggered.toml"
END_S = 60.0
# On a busy machine the kernel alone takes some seconds until the program begins.
PATIENCE_S = 8.0
FOREVER = "import time\nwhile True: print('awake', flush=True) or time.sleep(1)"


@pytest.fixture(scope="module")
def session() -> Session:
    return Session.prepare()


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test has a temporary folder of its own, and leaves nothing in it."""
    folder = tmp_path_factory.mktemp("scratch")
    temporary_files_go_to(folder, monkeypatch)
    before = set(MEMORY_FOLDER.glob("*"))
    yield folder
    assert not processes_in(folder)
    assert list(folder.iterdir()) == []
    assert {file for file in MEMORY_FOLDER.glob("*") if not file.name.startswith("sem.")} <= before


def temporary_files_go_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)


def ended(session: Session, program: str, *, out: Path | None = None, **job: float) -> str:
    """The message about a program that does not come to its end."""
    with pytest.raises(UserError) as caught:
        session.run(Job(["python3", "-c", program], seed=1, **job), Outside(out))  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(
    ("program", "limit_s", "patience_s", "what"),
    [
        pytest.param("while True: pass", 600.0, PATIENCE_S, "stands still", id="computes"),
        # Such a loop gets a microsecond a call (docs/timing.md), so it comes to the limit, on a quick machine sooner.
        pytest.param(
            "import os\nwhile not os.path.exists('/job/something'): pass", 0.01, END_S, "not ended within 0.01 s", id="looks-again"
        ),
        pytest.param("import threading; threading.Event().wait()", 600.0, PATIENCE_S, "not ended within 600 s", id="deadlock"),
        pytest.param(
            "import os, time\nwhile not os.path.exists('/host/something'): time.sleep(1)",
            600.0,
            PATIENCE_S,
            "not ended within 600 s",
            id="waits-for-the-outside",
        ),
    ],
)
def test_a_program_that_never_ends_is_ended_and_named(session: Session, program: str, limit_s: float, patience_s: float, what: str) -> None:
    said = ended(session, program, patience_s=patience_s, limit_s=limit_s)
    assert what in said
    assert "python3 (process" in said


def test_a_program_that_asks_for_the_time_again_and_again_gets_there(session: Session) -> None:
    assert session.run(Job(["python3", "-c", "import time\nwhile time.monotonic() < 0.02: pass"], seed=1)) == 0


PANIC = """
import re
for line in open("/proc/1/maps"):
    found = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp.*libc", line)
    if found:
        break
begin, end = (int(one, 16) for one in found.groups())
with open("/proc/1/mem", "r+b", 0) as memory:
    memory.seek(begin)
    memory.write(b"\\xcc" * (end - begin))
import time
time.sleep(10)
"""


def test_a_kernel_panic(session: Session) -> None:
    said = ended(session, PANIC)
    assert "the kernel inside gave up" in said
    assert "Attempted to kill init" in said


@pytest.mark.parametrize(("memory_mb", "what"), [(64, "too small for the file system"), (448, "448 MB, is used up")])
def test_too_little_memory(session: Session, memory_mb: int, what: str) -> None:
    assert what in ended(session, "content = []\nwhile True: content.append(b'x' * 10**6)", memory_mb=memory_mb)


def test_a_command_that_is_not_there(session: Session) -> None:
    with pytest.raises(UserError, match="no-such-program"):
        session.run(Job(["no-such-program"], seed=1))


def test_a_signal_is_an_exit_code_as_shells_have_it(session: Session) -> None:
    assert session.run(Job(["python3", "-c", "import os; os.kill(os.getpid(), 15)"], seed=1)) == 128 + signal.SIGTERM


@pytest.fixture
def small_disk(nothing_is_left: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("not root: a small disk cannot be mounted")
    folder = nothing_is_left / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=True)
    yield folder
    assert list(folder.iterdir()) == []
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


@pytest.mark.parametrize(
    "program",
    ["open('/out/samples', 'wb').write(bytes(5_000_000))", "for number in range(100_000): print('a line of text for the console', number)"],
    ids=["results", "console"],
)
def test_a_full_disk(session: Session, small_disk: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    temporary_files_go_to(small_disk, monkeypatch)
    assert "disk is full" in ended(session, program)


def test_a_full_disk_for_what_came_out(session: Session, small_disk: Path) -> None:
    out = small_disk / "results"
    out.mkdir()
    said = ended(session, "open('/out/samples', 'wb').write(bytes(5_000_000))", out=out)
    for file in out.iterdir():
        file.unlink()
    out.rmdir()
    assert f"cannot write {out / 'samples'}: No space left on device" in said


def test_files_may_not_be_large(session: Session) -> None:
    command = [sys.executable, "-m", "virtual_time", "true"]
    done = subprocess.run(["prlimit", "--fsize=1000000", *command], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ulimit -f" in done.stderr


class Started:
    """``python -m virtual_time`` with a program that goes on for ever, in a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "virtual_time", "--limit-s", "1e9", "--", "python3", "-c", FOREVER]
        self.process = subprocess.Popen(
            command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "awake\n"

    def kernel(self) -> int:
        """The kernel's process: the first in its session."""
        return next(one for one in processes_in(self.folder) if os.getsid(one) == one)

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=END_S)
        return self.process.returncode, said


@pytest.fixture
def started(session: Session, nothing_is_left: Path) -> Started:
    return Started(nothing_is_left)


@pytest.mark.parametrize(("number", "group"), [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)])
def test_interrupted(started: Started, number: signal.Signals, group: bool) -> None:
    (os.killpg if group else os.kill)(started.process.pid, number)
    assert started.end() == (130, "interrupted; nothing is left running\n")


def test_the_kernel_is_killed(started: Started) -> None:
    os.kill(started.kernel(), signal.SIGKILL)
    code, said = started.end()
    assert code == 2
    assert "ended by SIGKILL" in said


def test_the_starter_is_killed(started: Started, session: Session) -> None:
    started.process.kill()
    started.end()
    wait_for("the end of the kernel and its processes", lambda: not processes_in(started.folder))
    (left,) = started.folder.glob(f"{PREFIX}*")
    os.utime(left, (time.time() - 60,) * 2)
    assert session.run(Job(["true"], seed=1)) == 0, "the next run removes what is left"


@pytest.mark.parametrize("group", [False, True], ids=["alone", "group"])
def test_an_interrupted_run_of_a_scenario(session: Session, nothing_is_left: Path, group: bool) -> None:
    with own_scenario_file(STAGGERED.read_text()) as file:
        command = [sys.executable, "-m", "testbed", "run", str(file), "--schemes", "linux:cubic", "--time", "virtual"]
        process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_for("a kernel", lambda: processes_in(nothing_is_left), limit_s=END_S)
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=END_S)
    assert (process.returncode, said) == (130, "interrupted; everything that was started is down again\n")


def test_a_folder_in_use_is_left_alone(started: Started, session: Session) -> None:
    (used,) = started.folder.glob(f"{PREFIX}*")
    os.utime(used, (time.time() - 60,) * 2)
    assert session.run(Job(["true"], seed=1)) == 0
    assert used.exists()
    started.process.terminate()
    started.end()
