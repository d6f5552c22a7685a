"""Checks before anything is started: each thing that is missing gets one clear line that says what to do."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from common.built_program import check_built
from common.errors import UserError
from common.installation import BINARIES
from hosts.cca.module_registry import module_folder
from topo.processors import are_to_be_kept_awake
from topo.toolchain import Toolchain

BTF = Path("/sys/kernel/btf/vmlinux")
TUN = Path("/dev/net/tun")
LOCK = Path("/run/nodectl-testbed.lock")

COMMAND_PACKAGES = {
    "mnexec": "mininet",
    "ifconfig": "net-tools",
    "ip": "iproute2",
    "ping": "iputils-ping",
    "unshare": "util-linux",
}
"""Commands a run needs, and the Debian packages that have them."""


def check_root(effective_uid: int | None = None) -> None:
    """Network namespaces, TAP devices and BPF need root."""
    if (os.geteuid() if effective_uid is None else effective_uid) != 0:
        raise UserError("this needs root: it makes network namespaces and TAP devices", "run it again with sudo")


def check_commands(commands: dict[str, str] | None = None, path: str | None = None) -> None:
    """Every command a run needs is on the PATH."""
    wanted = COMMAND_PACKAGES if commands is None else commands
    missing = sorted({package for command, package in wanted.items() if shutil.which(command, path=path) is None})
    if missing:
        raise UserError(f"Debian packages are missing: {' '.join(missing)}", f"apt-get install --no-install-recommends {' '.join(missing)}")


def check_namespaces(command: Iterable[str] = ("unshare", "--net", "true")) -> None:
    """The kernel lets us make network namespaces."""
    result = subprocess.run(list(command), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(
            f"cannot make a network namespace: {result.stderr.strip()}",
            "the kernel needs CONFIG_NET_NS; in a container, CAP_SYS_ADMIN and CAP_NET_ADMIN",
        )


def check_tun(device: Path = TUN) -> None:
    """The kernel has TAP devices."""
    if not device.exists():
        raise UserError(f"{device} is missing: no TAP devices", "load the module: modprobe tun (the kernel needs CONFIG_TUN)")


def check_btf(btf: Path = BTF) -> None:
    """The kernel describes its types, which BPF congestion controls need."""
    if not btf.exists():
        raise UserError(
            f"{btf} is missing: the kernel has no BTF, so the BPF congestion control `nodectl` cannot be loaded",
            "use a kernel with CONFIG_DEBUG_INFO_BTF (Debian's own has it), or leave nodectl out of the scenario's schemes",
        )


def check_built_for(toolchain: Toolchain) -> None:
    """Everything that a toolchain uses and `make` builds is there."""
    check_built((BINARIES / "p4switch", *(() if toolchain.p4c else (toolchain.program, toolchain.p4info))))


def check_ports_free(ports: Iterable[int], address: str = "127.0.0.1") -> None:
    """Nobody listens where the switches' P4Runtime servers will."""
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError as error:
                raise UserError(
                    f"{address}:{port} is taken: a switch's P4Runtime server cannot listen there ({error.strerror})",
                    "end the program that has it (ss -ltnp shows which), or choose other ports with GRPC_BASE_PORT=…",
                ) from None


def lock_testbed(lock: Path = LOCK) -> IO[str]:
    """Keep a second run out while this one lasts; the lock goes with the returned file.

    Raises:
        UserError: another run has it.
    """
    file = lock.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise UserError(
            f"another run of the testbed is going on (process {owner})", "wait for its end, or end it with Ctrl-C there"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def check_machine(*, needs_bpf: bool) -> None:
    """Check the needs that only the machine and its kernel can meet: root, network namespaces, TAP devices and, if ``needs_bpf``, BTF.

    Raises:
        UserError: the first thing that is missing.
    """
    check_root()
    check_namespaces()
    check_tun()
    if needs_bpf and module_folder() is None:
        check_btf()


def check_all(toolchain: Toolchain, grpc_ports: Iterable[int], *, needs_bpf: bool) -> None:
    """All checks, the cheap and telling ones first.

    Raises:
        UserError: the first thing that is missing.
    """
    check_root()
    are_to_be_kept_awake()  # it refuses a wish that it does not understand
    check_commands()
    check_machine(needs_bpf=needs_bpf)
    check_built_for(toolchain)
    check_ports_free(grpc_ports)


__all__ = ["check_all", "check_built_for", "check_commands", "check_machine", "check_root", "lock_testbed"]
