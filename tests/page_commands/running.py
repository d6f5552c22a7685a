"""Runs one command of a page as its reader would: in a shell with a bare environment, in the folder of the clone."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.harness.waiting import wait_for
from tests.page_commands.known import Way
from tests.page_commands.typed import Typed

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
WRONG_WORDS = ("Traceback (most recent call last)", "internal error", "panicked at")
ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\])[:/][^\s'\"]*")
PAGE_S = 600.0
END_S = 60.0
ASKED_AGAIN_S = 10.0
NOTHING = b"nothing"
LAST_LINES = 15


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command.

    Args:
        failure: why it failed; empty: it did not.
        said: its last lines.
        took_s: real seconds.
        processor_s: processor seconds of it and all that it started.
    """

    failure: str
    said: str
    took_s: float
    processor_s: float


class _WrongError(Exception):
    """The reason why a command has failed."""


def environment() -> dict[str, str]:
    """The environment of somebody who has just logged in; rustup puts its folder on the path of a login."""
    return {"HOME": str(Path.home()), "PATH": f"{PATH}:{Path.home() / '.cargo' / 'bin'}", "LANG": "C.UTF-8"}


def run(command: Typed, way: Way, folder: Path) -> Outcome:
    """Run a command in a folder, as ``way`` says."""
    with tempfile.TemporaryDirectory() as logs:
        return _run(command, way, folder, Path(logs, "log"))


def _run(command: Typed, way: Way, folder: Path, log: Path) -> Outcome:
    begin_s, begin_cpu_s = time.monotonic(), _processor_s()
    try:
        if way.before and (status := _carried_out(way.before, Way(typed=command.words.split("\n")), folder, log)):
            raise _WrongError(f"what is to be done before it ended with status {status}")
        status = _carried_out(way.instead or command.words, way, folder, log)
        said = log.read_text(errors="replace")
        wrong = [words for words in WRONG_WORDS if words in said]
        if wrong:
            raise _WrongError(f"it said {wrong[0]!r}")
        if way.says not in said and not (way.refusal and way.refusal in said):
            raise _WrongError(f"it has not said {way.says!r}, and ended with status {status}")
        if status != way.status and not (way.refusal and way.refusal in said):
            raise _WrongError(f"it ended with status {status}")
        failure = ""
    except _WrongError as error:
        failure = str(error)
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return Outcome(failure, "\n".join(lines[-LAST_LINES:]), time.monotonic() - begin_s, _processor_s() - begin_cpu_s)


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _carried_out(words: str, way: Way, folder: Path, log: Path) -> int:
    """Its exit status; that which is wanted if it was ended from outside."""
    deadline_s = time.monotonic() + way.limit_min * 60
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["bash", "-c", words],
            cwd=folder,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(way.input.encode())
        process.stdin.close()
    try:
        if way.page:
            _ask_for_page(process, log, deadline_s)
            if not way.until_end:
                _interrupt(process)
                return way.status
        return process.wait(deadline_s - time.monotonic())
    except subprocess.TimeoutExpired:
        raise _WrongError("it has not ended in time") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C; again if it asks whether that was meant."""
    os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(ASKED_AGAIN_S)
        return
    os.killpg(process.pid, signal.SIGINT)
    process.wait(END_S)


def _ask_for_page(process: subprocess.Popen[bytes], log: Path, deadline_s: float) -> None:
    try:
        address = wait_for("an address", lambda: _address(process, log), min(deadline_s - time.monotonic(), PAGE_S)) or ""
        content = wait_for("the page", lambda: _content(process, address), END_S)
    except AssertionError as error:
        raise _WrongError(str(error)) from None
    if content is NOTHING:
        raise _WrongError(f"{address} is empty")


def _address(process: subprocess.Popen[bytes], log: Path) -> str | None:
    has_ended = process.poll() is not None
    if found := ADDRESS.search(log.read_text(errors="replace")):
        return found[0].rstrip(".,)")
    if has_ended:
        raise _WrongError("it has said no address of a page")
    return None


def _content(process: subprocess.Popen[bytes], address: str) -> bytes | None:
    """None where nothing listens there yet."""
    try:
        with urllib.request.urlopen(address, timeout=END_S) as answer:
            return answer.read() or NOTHING
    except (urllib.error.HTTPError, OSError) as error:
        is_to_come = isinstance(error, urllib.error.URLError) and isinstance(error.reason, ConnectionRefusedError)
        if is_to_come and process.poll() is None:
            return None
        raise _WrongError(f"{address}: {error}") from None
