"""Starts the emulated machine, follows it to its end, and takes over what it hands out."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from common.errors import UserError
from testbed.emulated.guest_files import write_file_system
from testbed.emulated.guest_kernel import kernel_file
from testbed.emulated.job import RESULTS, STATUS

QEMU = "qemu-system-x86_64"
MEMORY_MB = 4096
ACCELERATOR = "tcg"
"""It emulates each instruction, and works everywhere. Others (kvm, hvf) are for machines that need no emulation, and may abort."""

COMMAND_LINE = "console=ttyS0 quiet loglevel=0 panic=-1 rdinit=/init"
PROCESSOR = "max,-smap"
"""All that QEMU can, but for the check that the kernel reads no memory of programs: the iretq of QEMU 7.2 fails by that."""


def emulate(words: Sequence[str], kernel: str, here: Path) -> int:
    """Run a command of the testbed in an emulated machine; its results are in ``here`` afterwards.

    Args:
        words: the command line.
        kernel: the machine's, see :func:`kernel_file`.
        here: the folder that the person is in.

    Returns:
        The command's exit code.

    Raises:
        UserError: something is missing, or the machine ended too soon.
    """
    program = shutil.which(QEMU)
    if program is None:
        raise UserError(f"{QEMU} is not installed", "Debian: apt-get install qemu-system-x86; a Mac: brew install qemu")
    with tempfile.TemporaryDirectory(prefix="nodectl-emulated-") as name:
        folder = Path(name)
        linux = kernel_file(kernel, folder)
        environment = _terminal()
        write_file_system(folder / "files.cpio", words, environment, here)
        handed_out = folder / "handed-out.tar.gz"
        subprocess.run(_command(program, linux, folder / "files.cpio", handed_out), check=False)
        return take_over(handed_out, here)


def _terminal() -> dict[str, str]:
    """Variables that tell the command of the terminal here; the serial line there looks like one in any case."""
    if not sys.stdout.isatty():
        return {"TERM": "dumb"}
    size = shutil.get_terminal_size()
    return {"TERM": os.environ.get("TERM", "linux"), "COLUMNS": str(size.columns), "LINES": str(size.lines)}


def _command(program: str, kernel: Path, files: Path, handed_out: Path) -> list[str]:
    command = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    command += ["-accel", ACCELERATOR, "-cpu", PROCESSOR, "-smp", str(min(os.cpu_count() or 1, 4)), "-m", str(MEMORY_MB)]
    command += ["-kernel", str(kernel), "-initrd", str(files), "-append", COMMAND_LINE]
    return [*command, "-serial", "stdio", "-serial", f"file:{handed_out}"]


def take_over(archive: Path, here: Path) -> int:
    """Unpack the results that a machine has handed out.

    Returns:
        The command's exit code.

    Raises:
        UserError: the archive is not whole.
    """
    try:
        with tarfile.open(archive) as handed_out:
            for member in handed_out:
                content = handed_out.extractfile(member) if member.isfile() else None
                if member.name == STATUS and content is not None:
                    return int(content.read())
                if _is_result(member.name):
                    _unpack(member, content, here / member.name)
    except (FileNotFoundError, EOFError, tarfile.TarError, gzip.BadGzipFile, zlib.error):
        pass  # nothing was handed out, or not all of it
    raise UserError("the emulated machine ended before its command did; its last lines are above")


def _is_result(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 1 and parts[0] == RESULTS and ".." not in parts


def _unpack(member: tarfile.TarInfo, content: IO[bytes] | None, target: Path) -> None:
    """A file, or a link to something beside it: nothing else is among results."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)
    elif member.issym() and "/" not in member.linkname:
        target.unlink(missing_ok=True)
        target.symlink_to(member.linkname)
