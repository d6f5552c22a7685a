"""A copy of a kernel that has booted computes what a kernel of its own would, has everything of its own, and ends as one."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from common.errors import UserError
from tests.harness.waiting import wait_for
from tests.virtual_time.inside import needs_virtual_time
from tests.virtual_time.test_mishaps import PROJECT, temporary_files_go_to
from virtual_time.booted_kernel import BootedKernel
from virtual_time.copies import Copies
from virtual_time.job import Job, Outside, Place
from virtual_time.kernel_process import CopiedKernel
from virtual_time.process_table import is_running, processes_in
from virtual_time.session import Session

pytestmark = [needs_virtual_time, pytest.mark.timeout(180)]

MODULE = "json.tool"
"""A module of the standard library that does something when it is run."""

DRAWS = "import os, time; print(os.urandom(16).hex(), time.monotonic_ns(), time.time_ns(), os.getpid())"
FOREVER = "import time\nwhile True: print('awake', flush=True) or time.sleep(1)"


@pytest.fixture(scope="module")
def session() -> Session:
    return Session.prepare()


@pytest.fixture
def copies(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Copies]:
    """Nothing of them is left afterwards."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    temporary_files_go_to(folder, monkeypatch)
    with Copies(session) as place:
        yield place
    assert not processes_in(folder)
    assert list(folder.iterdir()) == []


def said(place: Place, command: list[str], *, stop: threading.Event | None = None, **job: Any) -> list[str]:
    """The lines that a command prints; it succeeds."""
    text: list[str] = []
    given: dict[str, Any] = {"seed": 1, "module": MODULE} | job
    work = Job(command, **given)
    assert place.run(work, Outside(on_text=text.append, stop=stop or threading.Event())) == 0, text
    return text


def started(copies: Copies) -> list[int]:
    """The processes of the kernels that wait."""
    return [kernel.process for kernel in copies.booted]


def test_the_same_numbers_at_the_same_time_as_in_a_kernel_that_boots(session: Session, copies: Copies) -> None:
    own = said(session, ["python3", "-c", DRAWS])
    assert [said(copies, ["python3", "-c", DRAWS]) for _ in range(3)] == [own] * 3
    assert len(started(copies)) == 1
    other = said(copies, ["python3", "-c", DRAWS], seed=2)
    assert other == said(session, ["python3", "-c", DRAWS], seed=2)
    assert other[0].split()[0] != own[0].split()[0]
    assert other[0].split()[1:] == own[0].split()[1:]


def test_a_module_is_run_as_python_runs_it(session: Session, copies: Copies) -> None:
    files = {"a.json": b'{"b": [1, 2]}'}
    command = ["python3", "-m", MODULE, "--compact", "/job/a.json"]
    text = said(session, command, files=files, module="")
    assert text == ['{"b":[1,2]}']
    assert said(session, command, files=files) == said(copies, command, files=files) == text


def test_files_and_memory_are_its_own(session: Session, copies: Copies) -> None:
    file = f"/usr/lib/python{sys.version_info.major}.{sys.version_info.minor}/typing.py"
    write = f"""
import mmap, pathlib
first = open({file!r}, "rb").read()
assert not pathlib.Path("/tmp/mine").exists()
pathlib.Path("/tmp/mine").write_text("x")
with open({file!r}, "r+b") as stream:
    stream.seek(5000)
    stream.write(b"written")
    stream.flush()
    with mmap.mmap(stream.fileno(), 0) as mapped:
        mapped[9000:9006] = b"mapped"
        assert mapped[5000:5007] == b"written"
again = open({file!r}, "rb").read()
assert again == first[:5000] + b"written" + first[5007:9000] + b"mapped" + first[9006:]
import hashlib
print(hashlib.sha256(first).hexdigest())
"""
    before = hashlib.sha256(session.image.file.read_bytes()).hexdigest()
    first = said(copies, ["python3", "-c", write])
    assert said(copies, ["python3", "-c", write]) == first == said(session, ["python3", "-c", write])
    assert hashlib.sha256(session.image.file.read_bytes()).hexdigest() == before


def test_threads_side_by_side_have_a_kernel_each(copies: Copies) -> None:
    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda _: said(copies, ["python3", "-c", DRAWS]), range(4)))
    assert texts == [texts[0]] * 4
    assert 1 <= len(started(copies)) <= 2


def test_another_machine_is_another_kernel(copies: Copies) -> None:
    memory = "print(open('/proc/meminfo').readline().split()[1])"
    small, large = (int(said(copies, ["python3", "-c", memory], memory_mb=mb)[0]) for mb in (1024, 2048))
    assert small < 1024 << 10 < large
    assert len(started(copies)) == 1, "the small one has been ended"


def test_one_that_is_killed_says_so_and_the_next_one_is_well(copies: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    before = CopiedKernel.__init__

    def made(self: CopiedKernel, pid: int) -> None:
        before(self, pid)
        self.kill()

    with monkeypatch.context() as patched:
        patched.setattr(CopiedKernel, "__init__", made)
        with pytest.raises(UserError, match="its kernel was ended by SIGKILL"):
            said(copies, ["python3", "-c", FOREVER])
    said(copies, ["true"])


def test_a_kernel_that_no_longer_waits_is_booted_again(copies: Copies) -> None:
    said(copies, ["true"])
    (waiting,) = started(copies)
    os.kill(waiting, signal.SIGKILL)
    wait_for("its end", lambda: not is_running(waiting))
    said(copies, ["true"])
    assert started(copies) != [waiting]


def test_a_module_that_is_not_there(copies: Copies) -> None:
    with pytest.raises(UserError, match=r"no\.such\.module cannot be imported"):
        said(copies, ["true"], module="no.such.module")


def test_it_ends_when_it_is_told_to(copies: Copies) -> None:
    stop = threading.Event()
    timer = threading.Timer(5.0, stop.set)
    timer.start()
    with pytest.raises(UserError, match="interrupted"):
        said(copies, ["python3", "-c", FOREVER], stop=stop)
    timer.join()


def test_nothing_is_left_of_a_copy_that_nobody_has_heard_of(copies: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()

    def made_too_late(kernel: BootedKernel) -> None:
        """The copy is there, and its number does not arrive."""
        wait_for("the copy", lambda: len({os.getpgid(one) for one in processes_in(Path(tempfile.gettempdir()))}) == 2)
        stop.set()

    with monkeypatch.context() as patched:
        patched.setattr(BootedKernel, "_answer", made_too_late)
        with pytest.raises(UserError, match="interrupted"):
            said(copies, ["python3", "-c", FOREVER], stop=stop)
    assert not processes_in(Path(tempfile.gettempdir()))
    said(copies, ["true"])


def test_nothing_is_left_of_a_program_that_is_killed(tmp_path: Path) -> None:
    program = (
        "from virtual_time.copies import Copies; from virtual_time.job import Job, Outside; from virtual_time.session import Session\n"
        f"Copies(Session.prepare()).run(Job(['python3', '-c', {FOREVER!r}], 1, module={MODULE!r}), "
        "Outside(on_text=lambda line: print(line, flush=True)))"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "awake\n"
        assert len({Path(f"/proc/{one}/cwd").readlink() for one in processes_in(tmp_path)}) == 2, "the one that waits, and its copy"
        process.kill()
    wait_for("their end", lambda: not processes_in(tmp_path))
