"""Follows a page as its reader would: saves its files, types its commands into one shell, and compares their output with the page's.

A block in the language `console` has commands after `$ ` (lines after `> ` belong to the one above). Beneath each stands its output, on
standard output or standard error. A line `…` stands for any lines, `…` within a line for any text. Every command has to succeed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.pages import Block
from tests.harness.switches import REPOSITORY, binaries

CONSOLE = "console"
PROMPT, CONTINUED, ANYTHING = "$ ", "> ", "…"
LIMIT_S = 120
START_S = 20
P4RUNTIME_PORT, THRIFT_PORT = 9559, 9090
"""Ports of a switch that is not told others."""
ISOLATED = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Interfaces, ports and processes of a page are its own, and end with it."""
END = "end of command, status"


@dataclass(frozen=True)
class Command:
    """A command to type, and the output that the page shows beneath it."""

    words: str
    shown: str


def commands_of(block: Block) -> list[Command]:
    """The commands of a block of a console."""
    typed: list[str] = []
    shown: list[str] = []
    for line in block.text.splitlines():
        if line.startswith(PROMPT):
            typed.append(line.removeprefix(PROMPT))
            shown.append("")
        elif line.startswith(CONTINUED) and not shown[-1]:
            typed[-1] += f"\n{line.removeprefix(CONTINUED)}"
        else:
            assert shown, f"{line!r} stands before any command"
            shown[-1] += f"{line.rstrip()}\n"
    return [Command(*pair) for pair in zip(typed, shown, strict=True)]


def is_as_shown(printed: str, shown: str) -> bool:
    """Whether what a command printed is what the page shows."""
    parts = [r"(?:.*\n)*" if line == ANYTHING else ".*".join(map(re.escape, line.split(ANYTHING))) + "\n" for line in shown.splitlines()]
    return re.fullmatch("".join(parts), "".join(f"{line.rstrip()}\n" for line in printed.splitlines())) is not None


def follow(blocks: Iterable[Block], folder: Path, *, programs: Sequence[Path] = (), environment: Mapping[str, str] | None = None) -> None:
    """Do in ``folder`` what blocks say, with this toolchain and those of ``programs`` on PATH; whatever it starts has ended then.

    Raises:
        AssertionError: a command failed, did not end in time, or printed something else than is shown.
    """
    commands = []
    for block in blocks:
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == CONSOLE:
            commands += commands_of(block)
    _isolation_or_skip()
    words = {
        "PATH": ":".join(map(str, (*programs, binaries(), Path(sys.executable).parent, "/usr/sbin:/usr/bin:/sbin:/bin"))),
        "PYTHONPATH": str(REPOSITORY / "switch" / "packages"),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        **(environment or {}),
    }
    script = "\n".join([PREPARED, *map(_typed, commands)])
    shell = [*ISOLATED, *([] if os.geteuid() == 0 else ["--map-root-user"]), "bash", "-c", script]
    with subprocess.Popen(shell, cwd=folder, env=words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            said, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
    printed = re.split(rf"{END} (\d+)\n", said)
    outputs, statuses = printed[::2], printed[1::2]
    for number, command in enumerate(commands):
        output, status = outputs[number] if number < len(outputs) else "", statuses[number] if number < len(statuses) else "none"
        assert status == "0", f"$ {command.words}\nended with status {status} and printed\n{output}"
        assert is_as_shown(output, command.shown), f"$ {command.words}\nprinted\n{output}\nand the page shows\n{command.shown}"


PREPARED = f"""
mount -t tmpfs none /run && mkdir /run/netns && ip link set lo up || exit
listens() {{ (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null; }}
started() {{
  for _ in $(seq {START_S * 20}); do
    kill -0 $! || return
    if listens $1 && {{ [ -z "$2" ] || [ -S "$2" ]; }}; then return; fi
    sleep 0.05
  done
  return 1
}}
"""
"""A switch that was started is there, and one that was ended is gone, before a reader has typed the next command; a test has to wait."""


def _typed(command: Command) -> str:
    """The text for the shell: the command, and a line that prints its status."""
    words = command.words
    if words.startswith("simple_switch_grpc ") and words.endswith("&"):
        port = re.search(r"--grpc-server-addr \S+:(\d+)", words)
        socket = re.search(r"--management-socket (\S+)", words)
        words += f"\nstarted {port[1] if port else P4RUNTIME_PORT} '{socket[1] if socket else ''}'"
    if words.startswith("simple_switch ") and words.endswith("&"):
        port = re.search(r"--thrift-port (\d+)", words)
        words += f"\nstarted {port[1] if port else THRIFT_PORT} ''"
    if words.startswith("kill "):
        words += f" && {{ wait {words.removeprefix('kill ')} 2> /dev/null; true; }}"  # it says which have ended already
    return f"{words}\nstatus=$?; printf '{END} %d\\n' $status; [ $status = 0 ] || exit"


def _isolation_or_skip() -> None:
    if os.geteuid() == 0:
        return
    tried = [*ISOLATED, "--map-root-user", "true"]
    if shutil.which(ISOLATED[0]) is None or subprocess.run(tried, capture_output=True, check=False).returncode != 0:
        pytest.skip("not root, and this system lets nobody else have namespaces of their own")
