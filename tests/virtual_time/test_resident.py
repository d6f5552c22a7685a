"""The program that lives in the kernel's own process (virtual_time/kernel/patches/0014) does what it does in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.virtual_time.inside import needs_virtual_time
from virtual_time.boot import RESIDENT
from virtual_time.job import Job, Outside
from virtual_time.session import Session

pytestmark = [
    needs_virtual_time,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc"),
    pytest.mark.timeout(120),
]

SOURCE = Path(__file__).with_name("resident.c")
MOVED_IN = "lives in the kernel's process"
LEFT = 3
"""The exit status of the program."""
RUN_AND_TELL = r"""
import subprocess, sys
from pathlib import Path
import os
Path(sys.argv[1]).chmod(0o755)
status = subprocess.run([sys.argv[1]]).returncode
log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
try:
    while True:
        line = os.read(log, 8192).decode(errors="replace")
        if "lives in the kernel" in line:
            print(line.split(";", 1)[1].splitlines()[0])
except BlockingIOError:
    pass
sys.exit(status)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("resident") / "program"
    subprocess.run(["gcc", "-O1", "-pthread", "-fPIE", "-pie", "-o", str(file), str(SOURCE)], check=True)
    return file.read_bytes()


def lines_of(name: str, program: bytes) -> list[str]:
    """The texts that it prints, started by this name."""
    text: list[str] = []
    job = Job(["python3", "-c", RUN_AND_TELL, f"/job/{name}"], seed=1, files={name: program}, patience_s=60.0)
    assert Session.prepare().run(job, Outside(on_text=text.append)) == LEFT, text
    return text


def test_residents_compute_what_others_do(program: bytes) -> None:
    in_own_process = lines_of("another", program)
    resident = lines_of(RESIDENT, program)
    assert not any(MOVED_IN in line for line in in_own_process)
    moved_in = [line for line in resident if MOVED_IN in line]
    # Its first fork that starts the same program finds the place taken, or, after its end, free.
    assert moved_in[0] == f"{RESIDENT} {MOVED_IN}"
    assert [line for line in resident if line not in moved_in] == in_own_process
    assert "vectors stay: 1" in resident
    assert [line for line in resident if line.startswith("fault")] == ["fault 0", "fault 1", "fault 2"]
    assert {"gone page: fault", "started anew: child", "child: 7", "killed: 9"} <= set(resident)
