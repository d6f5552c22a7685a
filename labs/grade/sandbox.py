"""A command in a sandbox made by bubblewrap: a file system of its own, no network, nobody else's processes, and limits.

As root, the command runs as a user of its own, whom nobody else is; otherwise as the calling user, in a namespace of its own.
"""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from labs.grade.limits import Limits
from virtual_time.process_table import PARENT, processes, stat_fields

FIRST_USER = 64_000
USERS = 750
"""Hand-ins run as these users, whose numbers Debian gives to nobody; after so many hand-ins the numbers begin again."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime")
"""The machine's files in which its programs and its Python look things up."""

PYTHON_SETTINGS = f"/etc/python{sys.version_info.major}.{sys.version_info.minor}"
MOST_EXPENDABLE = 1000
"""The highest oom_score_adj, proc_pid_oom_score_adj(5)."""

LOOK_INTERVAL_S = 0.1
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
BLOCK_BYTES = 1 << 16
LAST_WORDS_BYTES = 2000
MOST_RESULT_BYTES = 4 << 20


@dataclass(frozen=True)
class FileSystem:
    """The files that a command sees besides programs and libraries.

    Args:
        read_only: files and folders of this machine, by their paths inside.
        writable: empty folders, which are in memory.
        hidden: files and folders that look empty.
    """

    read_only: Mapping[Path, Path]
    writable: Sequence[Path] = ()
    hidden: Sequence[Path] = ()


@dataclass(frozen=True)
class Ended:
    """How a command in a sandbox ended.

    Args:
        status: its exit code; None: it was ended.
        why: it was ended, in words; empty if it was not.
        result: the bytes that it wrote to the pipe for results.
        said: the end of its output.
        took_s: real seconds.
    """

    status: int | None
    why: str
    result: bytes
    said: str
    took_s: float


@dataclass
class _Read:
    """The bytes that have come by the pipes."""

    result: bytearray = field(default_factory=bytearray)
    said: bytearray = field(default_factory=bytearray)
    printed_bytes: int = 0


def check_usable() -> None:
    """Whether there is bubblewrap, and this machine lets it make namespaces.

    Raises:
        UserError: there is none, or it does not.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise UserError("bubblewrap is not installed; hand-ins are checked in its sandbox alone", "apt-get install bubblewrap")
    result = subprocess.run([*_namespaces(), "--ro-bind", "/", "/", "true"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"bubblewrap cannot make a sandbox here: {result.stderr.strip()}", "run it as root, or allow user namespaces")


def run(
    command: Sequence[str], files: FileSystem, limits: Limits, *, user: int, processor: int, environment: Mapping[str, str], folder: Path
) -> Ended:
    """Run a command to its end, or end it when a limit is reached. Everything that it started ends with it.

    Args:
        command: program and arguments; ``{result}`` in one of them is the number of the open file that results are written to.
        files: those that it sees.
        limits: those that it has to keep.
        user: number of the user that it runs as, if this is root.
        processor: that it runs on; the caller shares processors out, since the sandboxes do not see each other.
        environment: of it, complete.
        folder: where it starts.
    """
    result_read, result_write = os.pipe()
    arguments = [part.replace("{result}", str(result_write)) for part in command]
    begin_s = time.monotonic()
    # Where memory runs out, the kernel ends the processes in a sandbox before all others.
    whole = [
        "choom",
        f"--adjust={MOST_EXPENDABLE}",
        "--",
        "taskset",
        "--cpu-list",
        str(processor),
        *_bubblewrap(files, limits, environment, folder),
        "--",
        *_limited(limits, user),
    ]
    try:
        process = subprocess.Popen(
            [*whole, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(result_write,),
            start_new_session=True,
        )
    except OSError as error:
        os.close(result_read)
        raise UserError(f"cannot start choom: {error.strerror}", "apt-get install util-linux") from None
    finally:
        os.close(result_write)
    read = _Read()
    try:
        why = _follow(process, result_read, read, limits, begin_s)
    finally:
        process.kill()  # its namespace of processes ends with it
        process.wait()
        os.close(result_read)
        if process.stdout is not None:
            process.stdout.close()
    said = read.said.decode(errors="replace").strip()
    return Ended(None if why else process.returncode, why, bytes(read.result), said, time.monotonic() - begin_s)


def _namespaces() -> list[str]:
    command = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        return [*command, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]
    return [*command, "--unshare-user"]


def _bubblewrap(files: FileSystem, limits: Limits, environment: Mapping[str, str], folder: Path) -> list[str]:
    command = [*_namespaces(), "--clearenv"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    for path in map(Path, SYSTEM):
        command += ["--symlink", str(path.readlink()), str(path)] if path.is_symlink() else ["--ro-bind-try", str(path), str(path)]
    settings = (*SETTINGS, PYTHON_SETTINGS)
    above = {parent for inside in (*files.read_only, *map(Path, settings)) for parent in inside.parents if parent != Path("/")}
    for path in sorted(above):  # those that bubblewrap makes by itself nobody else may enter
        command += ["--perms", "0755", "--dir", str(path)]
    for setting in settings:
        command += ["--ro-bind-try", setting, setting]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += _memory(Path("/dev/shm"), limits.kernel_memory_bytes) + _memory(Path("/tmp"), limits.disk_bytes)
    for inside, outside in files.read_only.items():
        command += ["--ro-bind", str(outside), str(inside)]
    for path in files.hidden:
        command += ["--tmpfs", str(path), "--remount-ro", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    for path in files.writable:
        command += _memory(path, limits.disk_bytes)
    return [*command, "--chdir", str(folder)]


def _memory(path: Path, size_bytes: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size_bytes), "--tmpfs", str(path)]


def _limited(limits: Limits, user: int) -> list[str]:
    """Limits are set inside, where processes of other sandboxes do not count."""
    command = [
        "prlimit", f"--nproc={limits.processes}", f"--as={limits.process_memory_bytes}", f"--fsize={limits.file_bytes}",
        f"--nofile={limits.open_files}", f"--cpu={limits.processor_s}", "--core=0", "--",
    ]  # fmt: skip
    if os.geteuid() == 0:
        command += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--"]
    return command


def _follow(process: subprocess.Popen[bytes], result: int, read: _Read, limits: Limits, begin_s: float) -> str:
    """Read until it has ended or has to be ended; returns why it has to be, or nothing."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(result, selectors.EVENT_READ)
        looked_s = begin_s
        while selector.get_map():
            for key, _ in selector.select(LOOK_INTERVAL_S):
                _take(selector, key.fd, result, read)
            now_s = time.monotonic()
            if now_s - begin_s > limits.time_s:
                return f"it took longer than {limits.time_s:.0f} s"
            if read.printed_bytes > limits.output_bytes or len(read.result) > MOST_RESULT_BYTES:
                return f"it printed more than {limits.output_bytes >> 20} MB"
            if now_s - looked_s > LOOK_INTERVAL_S:
                looked_s = now_s
                if memory_bytes(process.pid) > limits.memory_bytes:
                    return f"it used more than {limits.memory_bytes >> 20} MB of memory"
                if process.poll() is not None:  # any process that still holds the pipes is gone with its namespace
                    _drain(selector, result, read)
                    return ""
    process.wait()
    return ""


def _drain(selector: selectors.BaseSelector, result: int, read: _Read) -> None:
    while selector.get_map() and (ready := selector.select(LOOK_INTERVAL_S)):
        for key, _ in ready:
            _take(selector, key.fd, result, read)


def _take(selector: selectors.BaseSelector, file: int, result: int, read: _Read) -> None:
    new = os.read(file, BLOCK_BYTES)
    if not new:
        selector.unregister(file)
    elif file == result:
        read.result += new
    else:
        read.printed_bytes += len(new)
        read.said = (read.said + new)[-LAST_WORDS_BYTES:]


def memory_bytes(process: int) -> int:
    """The bytes of memory that a process and all its descendants hold, without those of files."""
    return sum(_anonymous_bytes(one) for one in _descendants(process))


def _descendants(process: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for one in processes():
        for parent in stat_fields(one, PARENT) or ():
            children.setdefault(parent, []).append(one)
    todo = [process]
    while todo:
        one = todo.pop()
        yield one
        todo += children.get(one, [])


def _anonymous_bytes(process: int) -> int:
    try:
        resident, shared = Path(f"/proc/{process}/statm").read_text().split()[1:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE_BYTES
