"""``python -m testbed.packaging.container_image --out FOLDER``: write an image of a container with the testbed in it.

The image is an OCI layout, a folder that podman, skopeo and others take. mmdebstrap and umoci make it; neither needs a daemon or root.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError
from common.whole_files import unfinished_folder
from switch.packages import debian_root
from testbed.emulated.linux_packages import install
from testbed.emulated.wheel_files import newest_wheel

TAG = "latest"
USER, USER_ID = "student", 1000
HOME = f"/home/{USER}"
PACKAGES = ("python3", "ca-certificates", "less", "nano", "procps")
"""Of Debian's; the last four are for people at the shell."""

COMMAND = "usr/local/bin/testbed"
COMMAND_TEXT = "#!/usr/bin/python3\nfrom nodectl_testbed.__main__ import main\n\nmain()\n"
CONFIGURATION = {
    "--config.user": USER,
    "--config.workingdir": HOME,
    "--config.env": "LANG=C.UTF-8",
    "--config.cmd": "bash",
    "--config.exposedports": "8765",
}


def write(wheel: Path, out: Path) -> Path:
    """Write the image, and return its folder.

    Args:
        wheel: of the testbed.
        out: the folder; an older image there is replaced.

    Raises:
        UserError: a tool or a package is missing.
    """
    with tempfile.TemporaryDirectory(prefix="nodectl-image-") as name, unfinished_folder(out.parent) as unfinished:
        folder, layout = Path(name), unfinished / out.name
        system, testbed = folder / "system.tar", folder / "testbed.tar"
        try:
            debian_root.make(system, [debian_root.ARCHITECTURES["x86_64"]], PACKAGES, more=[f"--customize-hook={_add_user()}"])
        except debian_root.NoRootError as error:
            raise UserError(f"no system for the image: {error}") from None
        _write_testbed(testbed, wheel, _python(system), folder / "packages")
        _umoci("init", "--layout", str(layout))
        _umoci("new", "--image", f"{layout}:{TAG}")
        for layer in (system, testbed):
            _umoci("raw", "add-layer", "--image", f"{layout}:{TAG}", str(layer))
        options = [word for option, value in CONFIGURATION.items() for word in (option, value)]
        _umoci("config", "--image", f"{layout}:{TAG}", *options)
        _umoci("gc", "--layout", str(layout))
        shutil.rmtree(out, ignore_errors=True)
        layout.rename(out)  # out of an unfinished folder
    return out


def _add_user() -> str:
    return f'chroot "$1" useradd --create-home --shell /bin/bash --uid {USER_ID} {USER}'


def _python(system: Path) -> str:
    """The version of the Python in a system, such as 3.11."""
    with tarfile.open(system) as archive:
        for member in archive:
            found = re.fullmatch(r"\./usr/bin/python(3\.\d+)", member.name)
            if found is not None:
                return found[1]
    raise UserError("the image's system has no Python")


def _write_testbed(target: Path, wheel: Path, python: str, packages: Path) -> None:
    """The wheel and all that it needs, where Debian's Python looks by itself."""
    install([str(wheel)], packages, python)
    shutil.rmtree(packages / "bin", ignore_errors=True)  # commands of this machine's Python
    with tarfile.open(target, "w") as archive:
        archive.add(packages, f"usr/local/lib/python{python}/dist-packages", filter=_of_root)
        entry = tarfile.TarInfo(COMMAND)
        entry.size, entry.mode = len(COMMAND_TEXT), 0o755
        archive.addfile(entry, io.BytesIO(COMMAND_TEXT.encode()))


def _of_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mode |= 0o444 | (0o111 if member.isdir() else 0)
    return member


def _umoci(*words: str) -> None:
    try:
        done = subprocess.run(["umoci", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UserError("umoci is not installed; it writes the image", "apt-get install umoci") from None
    if done.returncode != 0:
        raise UserError(f"umoci {words[0]} failed: {done.stderr.strip()}")


def main(arguments: Sequence[str]) -> None:
    """Read the command line, write the image, and print its folder."""
    parser = argparse.ArgumentParser(prog="python -m testbed.packaging.container_image", description="Write an image of a container.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the image")
    options = parser.parse_args(arguments)
    print(write(newest_wheel(), options.out))


if __name__ == "__main__":
    end_with(lambda: run_command(lambda: main(sys.argv[1:])))
