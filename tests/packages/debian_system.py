"""An empty Debian system of some release and processor, in which a test installs the package; its changes are lost afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from common.whole_files import unfinished_folder
from switch.packages import debian_root
from tests.harness.switches import REPOSITORY

ROOTS = REPOSITORY / "build" / "roots"
"""Systems once made are kept there."""
OLD_COPIES = '--aptopt=Acquire::Check-Valid-Until "false"'
"""A copy of Debian's archive may be some weeks old."""

NAMES_OF_PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}
FOREIGN_PROGRAMS = Path("/proc/sys/fs/binfmt_misc")


@dataclass(frozen=True)
class DebianSystem:
    """A folder with a system of the minimal size and Python."""

    folder: Path

    def run(
        self, script: str, bound: dict[Path, str], *, interfaces: tuple[str, ...] = (), timeout_s: float = 600, with_network: bool = False
    ) -> str:
        """Run a script of sh's as root in the system and return its output.

        Folders and files of `bound` are seen where their values say. The system has no network but its own loopback, and for each of
        `interfaces` a pair of them, the second named with an `s` at its end. `with_network`, it has this machine's network and `/sys`.

        Raises:
            AssertionError: the script failed; with all its output.
        """
        lines = ["set -e", "mount -t tmpfs none /mnt", "mkdir /mnt/upper /mnt/work /mnt/root"]
        lines.append(f"mount -t overlay -o lowerdir={shlex.quote(str(self.folder))},upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root")
        lines += ["mount -t proc none /mnt/root/proc", "mount --rbind /dev /mnt/root/dev"]
        lines += ["mount -t sysfs none /mnt/root/sys", "mount -t bpf none /mnt/root/sys/fs/bpf"] if with_network else []
        lines += [] if with_network else ["ip link set lo up"]
        for outside, inside in bound.items():
            target = Path(f"/mnt/root{inside}")
            lines.append(f"mkdir -p {target}" if outside.is_dir() else f"mkdir -p {target.parent} && touch {target}")
            lines.append(f"mount --bind {shlex.quote(str(outside))} {target}")
        for interface in interfaces:
            lines += [
                f"ip link add {interface} type veth peer name {interface}s",
                f"ip link set {interface} up",
                f"ip link set {interface}s up",
            ]
        # Not chroot: a process that enters a namespace of mounts has that namespace's root.
        lines += ["cd /mnt/root", "mkdir old-root", "pivot_root . old-root", "cd /", "umount -l /old-root", "rmdir /old-root"]
        lines.append(f"exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 sh -ec {shlex.quote(script)}")
        command = ["unshare", "--mount", *([] if with_network else ["--net"]), "--pid", "--fork", "sh", "-c", "\n".join(lines)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)
        return result.stdout


def debian_system(release: str, architecture: str, packages: tuple[str, ...] = ("python3-venv",)) -> DebianSystem:
    """The system with these packages, made if there is none yet; skips the test where that cannot be done."""
    if os.geteuid() != 0:
        pytest.skip("not root")
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed (apt-get install mmdebstrap)")
    if debian_root.ARCHITECTURES[os.uname().machine] != architecture:
        emulated_or_skip(architecture)
    folder = ROOTS / "-".join([release, architecture, *packages])
    if not folder.exists():
        with unfinished_folder(ROOTS) as unfinished:
            unfinished.chmod(0o755)  # for apt's own user
            system = unfinished / folder.name
            debian_root.make(system, [architecture], packages, release=release, more=[OLD_COPIES])
            try:
                system.rename(folder)
            except OSError:
                if not folder.exists():  # no other worker was quicker
                    raise
    return DebianSystem(folder)


def emulated_or_skip(architecture: str) -> None:
    """See to it that programs for another processor run; skips the test where they do not."""
    name = f"qemu-{NAMES_OF_PROCESSORS[architecture]}"
    known = Path(f"/usr/lib/binfmt.d/{name}.conf")
    if not (FOREIGN_PROGRAMS / "register").exists():
        # Where nothing like systemd has done it; where the kernel has no such thing, the test is skipped.
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", FOREIGN_PROGRAMS], capture_output=True, check=False)
    if not (FOREIGN_PROGRAMS / name).exists() and known.exists() and (FOREIGN_PROGRAMS / "register").exists():
        (FOREIGN_PROGRAMS / "register").write_text(known.read_text())
    if not known.exists() or shutil.which("arch-test") is None:
        pytest.skip(f"{name} is not installed (apt-get install qemu-user-static arch-test)")
    if not (FOREIGN_PROGRAMS / name).exists():
        pytest.skip(f"this kernel starts no programs of other processors ({FOREIGN_PROGRAMS} cannot be mounted)")
