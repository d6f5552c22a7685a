"""The first process inside: makes the file system complete, runs one command, powers off.

It has the standard library and little of the testbed. Before it looks at its job, the kernel may be copied
(virtual_time/booted_kernel.py): the rest happens in each copy. The job is in /host/job.json. The machine shares the folder /host with the
outside. It copies the command's files from there before the command starts, and copies the files in /out there after the command's end. So
the command meets no file with an owner, a time or a number of the machine outside. The console, a file outside, gets the command's output,
and events that show that virtual time goes on.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import termios
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from common.rounds import until_next_round_s
from virtual_time.console import tell
from virtual_time.places import PROGRAMS
from virtual_time.prepared import Prepared, start_command

HOST = Path("/host")
"""The folder that is shared with the outside: job.json, the job's files in job/, and in the end the files of /out in out/."""

MODULE_VARIABLE = "NODECTL_MODULE"
"""In the first process's environment: the module that is imported before the job is known, by the program that runs it."""

BEGINNING = Path("/proc/beginning")
"""Of the kernel (kernel/patches/0021). A read comes back in each copy of the kernel; a number that is written is the seed from then on."""

JOB = Path("/job")
OUT = Path("/out")
HEARTBEAT_S = 1.0
MOST_FILES = 1 << 20
"""The most files that a program may have open if it asks for them; one process has the sockets of a thousand hosts."""

TICK_S = 0.01
TICKS_UNTIL_FINE = 1000
FINE_S = 1e-6
TURN_MS = 1
"""How long a process that does not wait keeps others waiting, if time goes on meanwhile."""

RB_POWER_OFF = 0x4321FEDC
MS_BIND = 4096
SIGNALLED = 128
"""Exit code of a command that a signal ended: this and the signal's number, as shells have it."""

PROCESSOR = "processor\t: 0\nvendor_id\t: User Mode Linux\nmodel name\t: UML\n\n"
COMMAND_LINE = "nodectl\n"
REPLACED = {"/proc/cpuinfo": PROCESSOR, "/proc/cmdline": COMMAND_LINE}
"""Files of the kernel that tell of the machine outside, and the texts that are read instead."""

SYSTEM = (
    ("proc", "/proc", "proc", None),
    ("sysfs", "/sys", "sysfs", None),
    ("devtmpfs", "/dev", "devtmpfs", None),
    ("devpts", "/dev/pts", "devpts", "ptmxmode=0666"),
    ("tmpfs", "/dev/shm", "tmpfs", None),
    ("tmpfs", "/tmp", "tmpfs", "mode=1777"),
    ("tmpfs", "/run", "tmpfs", None),
)
"""The file systems of any Linux: source, folder, type, options."""

OURS = (("tmpfs", str(JOB), "tmpfs", None),)
SHARED = ("none", str(HOST), "hostfs", None)
"""Each copy of a kernel has a folder of its own, which nobody may have looked into before."""

_libc = ctypes.CDLL("libc.so.6", use_errno=True)


def main() -> None:
    """Run the job and power off, whatever happens."""
    os.environ["PATH"] = PROGRAMS
    try:
        _prepare()
        prepared = Prepared(module) if (module := os.environ.pop(MODULE_VARIABLE, "")) else None
        BEGINNING.read_bytes()
        mount_all([SHARED])
        job = json.loads((HOST / "job.json").read_text())
        BEGINNING.write_text(str(job["seed"]))
        tell("exit", status=_run(job, prepared))
    except BaseException as error:
        tell("exit", error=str(error) or type(error).__name__)
    finally:
        power_off()


def power_off() -> None:
    """End the machine, and first what still computes: the kernel waits for its turn beside that."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    Path("/proc/sys/kernel/printk").write_text("0")  # the kernel need not say that it goes
    os.sync()
    _libc.reboot(RB_POWER_OFF)


def _prepare() -> None:
    console = termios.tcgetattr(1)
    console[1] &= ~termios.OPOST  # lines end as they were written
    termios.tcsetattr(1, termios.TCSANOW, console)
    mount_all((*SYSTEM, *OURS))
    for number, (file, text) in enumerate(sorted(REPLACED.items())):
        replacement = Path(f"/run/replaced-{number}")
        replacement.write_text(text)
        replacement.chmod(0o444)
        _mount(str(replacement), file, "none", MS_BIND, None)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, MOST_FILES))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    _wait_in_turn()
    _wait_for_fine_timers()
    Path("/run/netns").mkdir()
    Path("/dev/fd").symlink_to("/proc/self/fd")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _wait_in_turn() -> None:
    """Let processes run in the order in which they become ready. The usual scheduler goes by the time for which each has run before."""
    Path("/proc/sys/kernel/sched_rt_runtime_us").write_text("-1")
    Path("/proc/sys/kernel/sched_rr_timeslice_ms").write_text(str(TURN_MS))
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))


def _wait_for_fine_timers() -> None:
    """The kernel begins with timers of a tick and changes to fine ones soon after. Programs ask for the resolution once: asyncio, for
    example, ends a sleep early by as much."""
    for _ in range(TICKS_UNTIL_FINE):
        if time.clock_getres(time.CLOCK_MONOTONIC) <= FINE_S:
            return
        time.sleep(TICK_S)
    raise TimeoutError("the kernel's timers have not become fine")


def mount_all(rows: Iterable[tuple[str, str, str, str | None]]) -> None:
    """Mount file systems on folders, which are made if need be.

    Args:
        rows: source, folder, type, options.

    Raises:
        OSError: one cannot be mounted.
    """
    for source, folder, kind, options in rows:
        Path(folder).mkdir(parents=True, exist_ok=True)
        _mount(source, folder, kind, 0, options)


def _mount(source: str, target: str, kind: str, flags: int, options: str | None) -> None:
    if _libc.mount(source.encode(), target.encode(), kind.encode(), flags, options and options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mounting {target}: {os.strerror(ctypes.get_errno())}")


def _run(job: dict[str, Any], prepared: Prepared | None) -> int:
    for name, is_program in sorted(job["files"].items()):  # in an order that is not the outside's
        file = JOB / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((HOST / "job" / name).read_bytes())
        if is_program:
            file.chmod(0o755)
    OUT.mkdir()
    start = start_command if prepared is None else prepared.start
    status = _follow(start(job["command"], job["folder"], job["environment"]), job["limit_s"])
    if any(OUT.iterdir()):
        shutil.copytree(OUT, HOST / "out", dirs_exist_ok=True, symlinks=True)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else SIGNALLED - code


def _follow(child: subprocess.Popen[bytes], limit_s: float) -> int:
    status = None
    while status is None:
        now_s = time.monotonic()
        signal.sigtimedwait({signal.SIGCHLD}, min(until_next_round_s(now_s, HEARTBEAT_S), max(limit_s - now_s, 0)))
        status = _reap(child.pid)
        tell("time", virtual_s=round(time.monotonic(), 3))
        if status is None and time.monotonic() >= limit_s:
            raise TimeoutError(f"the command has not ended within {limit_s:g} s of virtual time; still there: {_others()}")
    return status


def _others() -> str:
    """The processes besides this one and the kernel's own."""
    found = []
    for file in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda one: int(one.parent.name)):
        before, _, after = file.read_text().rpartition(")")
        number, _, name = before.partition(" (")
        if number != "1" and not {number, after.split()[1]} & {"2"}:
            found.append(f"{name} (process {number})")
    return ", ".join(found)


def _reap(wanted: int) -> int | None:
    """Take in processes that have ended, orphans too; returns the status of the wanted one if it is among them."""
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
