"""A Ray of our own on this machine: nobody else can reach it, and nothing of it is left in the end."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from common.errors import UserError
from virtual_time.scratch import scratch_folder
from virtual_time.tied_start import tied

ALONE = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's name for a machine without others: it listens on the loopback interface alone
    "RAY_AUTH_MODE": "token",  # and it refuses everybody else on this machine
}
ADDRESS_FILE = "ray_current_cluster"
"""The file that Ray writes into its folder when it is up."""

START_S = 180.0
END_S = 10.0
LOOK_INTERVAL_S = 0.1
START_ATTEMPTS = 3
"""On a very busy machine its parts may be too slow for each other."""

MOST_LETTERS = 16
"""Limit for the path of a folder for temporary files: those of Ray's sockets in it must not be too long for the system."""


@contextmanager
def own_ray(processors: int, object_store_bytes: int) -> Iterator[tuple[str, Path]]:
    """Start a Ray of our own, and end it after the block.

    Args:
        processors: jobs side by side.
        object_store_bytes: of memory, for the objects that it has to keep.

    Returns:
        Its address, and a folder that is removed in the end.

    Raises:
        UserError: it does not start.
    """
    os.environ |= {**ALONE, "RAY_AUTH_TOKEN": secrets.token_hex()}
    parent = Path(tempfile.gettempdir())
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder(parent if len(str(parent)) <= MOST_LETTERS else Path("/tmp")))
        for _ in range(START_ATTEMPTS):
            process = _start(folder, processors, object_store_bytes)
            stack.callback(_end, process)
            address = _address(process, folder)
            if address is not None:
                yield address, folder
                return
            _end(process)
        raise UserError(
            f"Ray does not start; it was tried {START_ATTEMPTS} times", "this machine may be too busy, or have too little memory"
        )


def _start(folder: Path, processors: int, object_store_bytes: int) -> subprocess.Popen[bytes]:
    options = {
        "--port": 0,
        "--num-cpus": processors,
        "--object-store-memory": object_store_bytes,
        "--temp-dir": folder,
        "--ray-client-server-port": _free_port(),
        "--include-dashboard": False,
        "--include-log-monitor": False,
    }
    (folder / ADDRESS_FILE).unlink(missing_ok=True)
    # It ends with us, also if we are killed; Ctrl-C is for us, and we end it.
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--no-monitor"]
    command += [f"{name}={value}" for name, value in options.items()]
    return subprocess.Popen(
        tied(command, signal.SIGTERM),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _address(process: subprocess.Popen[bytes], folder: Path) -> str | None:
    """Where it is reached; None if it does not start."""
    deadline_s = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline_s:
        try:
            address = (folder / ADDRESS_FILE).read_text().strip()
        except OSError:
            address = ""
        if address:
            return address
        time.sleep(LOOK_INTERVAL_S)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End all processes that it has started: those in its session."""
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    deadline_s = time.monotonic() + END_S
    while (left := _in_session(process.pid)) and time.monotonic() < deadline_s:
        for one in left:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(LOOK_INTERVAL_S)


def _in_session(leader: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(entry.name)) == leader and "\nState:\tZ" not in (entry / "status").read_text():
                found.append(int(entry.name))
        except OSError:
            continue  # it has just ended
    return found
