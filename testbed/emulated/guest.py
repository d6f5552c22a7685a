"""Starts the emulated machine, follows it to its end, and takes over what it hands out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from common.errors import UserError
from testbed.emulated.guest_files import write_file_system
from testbed.emulated.guest_init import RESULTS, STATUS
from testbed.emulated.guest_kernel import kernel_file

QEMU = "qemu-system-x86_64"
MEMORY_MB = 4096
ACCELERATORS = ("kvm", "hvf", "tcg")
"""The first that this machine has; the last one emulates each instruction, and is everywhere."""

COMMAND_LINE = "console=ttyS0 quiet loglevel=1 panic=-1 rdinit=/init"
PASSED_ON = ("COLUMNS", "LINES", "NO_COLOR", "TERM")


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
        environment = {variable: os.environ[variable] for variable in PASSED_ON if variable in os.environ}
        if sys.stdout.isatty():
            environment["COLUMNS"] = str(shutil.get_terminal_size().columns)
        write_file_system(folder / "files.cpio", words, environment, here)
        handed_out = folder / "handed-out.tar.gz"
        subprocess.run(_command(program, linux, folder / "files.cpio", handed_out), check=False)
        return take_over(handed_out, here)


def _command(program: str, kernel: Path, files: Path, handed_out: Path) -> list[str]:
    command = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    for accelerator in ACCELERATORS:
        command += ["-accel", accelerator]
    command += ["-cpu", "max", "-smp", str(min(os.cpu_count() or 1, 4)), "-m", str(MEMORY_MB)]
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
                if member.name == STATUS:
                    status = handed_out.extractfile(member)
                    assert status is not None
                    return int(status.read())
                if _is_result(member.name):
                    _unpack(handed_out, member, here / member.name)
    except (OSError, EOFError, tarfile.TarError):
        pass
    raise UserError("the emulated machine ended before its command did; its last lines are above")


def _is_result(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 1 and parts[0] == RESULTS and ".." not in parts


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """A file, or a link to something beside it: nothing else is among results."""
    content = archive.extractfile(member) if member.isfile() else None
    if content is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)
    elif member.issym() and "/" not in member.linkname:
        target.unlink(missing_ok=True)
        target.symlink_to(member.linkname)
