"""The first process inside: makes the file system complete, runs one command, powers off.

It has the standard library and nothing of the testbed. What it is to do is in /job/job.json, a folder that it shares with the outside; what
came of it goes to /job/status.json. Its console, a file outside, tells that virtual time goes on, and what the command prints.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import termios
import time
from pathlib import Path

from virtual_time.console import tell

JOB = Path("/job")
HEARTBEAT_S = 1.0
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
RB_POWER_OFF = 0x4321FEDC
FAILED = 125
"""Exit code where the command could not be run at all."""

MOUNTS = (
    ("proc", "/proc", "proc", None),
    ("sysfs", "/sys", "sysfs", None),
    ("devtmpfs", "/dev", "devtmpfs", None),
    ("devpts", "/dev/pts", "devpts", "ptmxmode=0666"),
    ("tmpfs", "/dev/shm", "tmpfs", None),
    ("tmpfs", "/tmp", "tmpfs", "mode=1777"),
    ("tmpfs", "/run", "tmpfs", None),
    ("none", str(JOB), "hostfs", None),
)
"""Source, folder, type, options."""

_libc = ctypes.CDLL("libc.so.6", use_errno=True)


def main() -> None:
    """Run the job and power off, whatever happens."""
    exit_code = FAILED
    os.environ["PATH"] = PROGRAMS
    try:
        _prepare()
        exit_code = _run(json.loads((JOB / "job.json").read_text()))
    except BaseException as error:
        print(f"init: {type(error).__name__}: {error}", flush=True)
    finally:
        tell("exit", status=exit_code)
        os.sync()
        _libc.reboot(RB_POWER_OFF)


def _prepare() -> None:
    console = termios.tcgetattr(1)
    console[1] &= ~termios.OPOST  # lines end as they were written
    termios.tcsetattr(1, termios.TCSANOW, console)
    for source, folder, kind, options in MOUNTS:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if _libc.mount(source.encode(), folder.encode(), kind.encode(), 0, options and options.encode()) != 0:
            raise OSError(ctypes.get_errno(), f"mounting {folder}: {os.strerror(ctypes.get_errno())}")
    Path("/run/netns").mkdir()
    Path("/dev/fd").symlink_to("/proc/self/fd")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _run(job: dict[str, object]) -> int:
    environment, command, folder = job["environment"], job["command"], job["folder"]
    if not isinstance(environment, dict) or not isinstance(command, list) or not isinstance(folder, str):
        raise TypeError("job.json")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    out = Path("/out")
    out.mkdir()
    child = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD}),
    )  # fmt: skip
    status = None
    while status is None:
        signal.sigtimedwait({signal.SIGCHLD}, HEARTBEAT_S)
        status = _reap(child.pid)
        tell("time", virtual_s=round(time.monotonic(), 3))
    if any(out.iterdir()):
        shutil.copytree(out, JOB / "out", dirs_exist_ok=True, symlinks=True)
    return os.waitstatus_to_exitcode(status)


def _reap(wanted: int) -> int | None:
    """Take in processes that have ended, orphans too; the status of the one that is wanted, if it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == wanted:
            found = status
