"""The first process of the emulated machine: runs one command of the testbed, hands its results out by a serial line, powers off.

The machine that starts it puts this file into its file system as ``/init``, and the job as ``/job.json`` (guest_files.py).
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import subprocess
import tarfile
import termios
import tty
from pathlib import Path

CONSOLE, OUTPUT = "/dev/ttyS0", "/dev/ttyS1"
WORK = Path("/work")
RESULTS = "results"
STATUS = "status"
"""In the archive that is handed out: the command's exit code. It comes last, so an archive without it is not whole."""

RB_POWER_OFF = 0x4321FEDC
MOUNTS = (
    ("proc", "/proc", "proc", None),
    ("sysfs", "/sys", "sysfs", None),
    ("devtmpfs", "/dev", "devtmpfs", None),
    ("devpts", "/dev/pts", "devpts", "ptmxmode=0666"),
    ("tmpfs", "/dev/shm", "tmpfs", "mode=1777"),
    ("tmpfs", "/tmp", "tmpfs", "mode=1777"),
    ("tmpfs", "/run", "tmpfs", None),
)
"""Source, folder, type, options."""


def main() -> None:
    """Run the job and power off, whatever happens."""
    libc = ctypes.CDLL("libc.so.6", use_errno=True)
    for source, folder, kind, options in MOUNTS:
        Path(folder).mkdir(parents=True, exist_ok=True)
        libc.mount(source.encode(), folder.encode(), kind.encode(), 0, options and options.encode())
    os.setsid()
    console = os.open(CONSOLE, os.O_RDWR)  # the session's first terminal is the one that Ctrl-C comes from
    for number in range(3):
        os.dup2(console, number)
    try:
        _run(json.loads(Path("/job.json").read_text()))
    except BaseException as error:
        print(f"the emulated machine: {type(error).__name__}: {error}", flush=True)
    finally:
        os.sync()
        libc.reboot(RB_POWER_OFF)


def _run(job: dict[str, object]) -> None:
    WORK.mkdir(exist_ok=True)
    words, environment = job["words"], job["environment"]
    assert isinstance(words, list)
    assert isinstance(environment, dict)
    os.environ.update(environment)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    status = subprocess.run(["python3", "-m", "nodectl_testbed", *words], cwd=WORK, check=False).returncode
    with open(OUTPUT, "wb", buffering=0) as line:  # noqa: PTH123 - a device
        tty.setraw(line.fileno(), termios.TCSANOW)
        _hand_out(io.BufferedWriter(line), status)
        termios.tcdrain(line.fileno())


def _hand_out(stream: io.BufferedWriter, status: int) -> None:
    with tarfile.open(fileobj=stream, mode="w|gz") as archive:
        if (WORK / RESULTS).exists():
            archive.add(WORK / RESULTS, RESULTS)
        text = str(status).encode()
        entry = tarfile.TarInfo(STATUS)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    stream.flush()
