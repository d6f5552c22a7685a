"""TAP devices: hosts or other programs have their interfaces, a switch process has the other side."""

from __future__ import annotations

import contextlib
import fcntl
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from topo.janitor import Janitor

DEVICE = Path("/dev/net/tun")
REQUEST = struct.Struct("16sH22x")
"""A struct ifreq with a name and flags."""
TUNSETIFF, TUNSETPERSIST = 0x400454CA, 0x400454CB
IFF_TAP, IFF_NO_PI, IFF_TUN_EXCL = 0x0002, 0x1000, 0x8000
"""<linux/if_tun.h>"""


def make_tap_device(name: str) -> None:
    """Make a TAP device that stays, in this thread's network namespace.

    Raises:
        UserError: the kernel refuses.
    """
    try:
        with DEVICE.open("r+b", buffering=0) as device:
            fcntl.ioctl(device, TUNSETIFF, REQUEST.pack(name.encode(), IFF_TAP | IFF_NO_PI | IFF_TUN_EXCL))
            fcntl.ioctl(device, TUNSETPERSIST, 1)
    except OSError as error:
        raise UserError(f"cannot make TAP device {name}: {error.strerror}") from error


class TapDevices:
    """Some devices in the testbed's own network namespace.

    Args:
        names: of their interfaces.
        mtu_bytes: of all of them.
        janitor: told of each device before it is made.
    """

    def __init__(self, names: Iterable[str], mtu_bytes: int, janitor: Janitor) -> None:
        self._names = list(names)
        self._mtu_bytes = mtu_bytes
        self._janitor = janitor
        self._made: list[str] = []

    def make(self) -> None:
        """Make the devices, up and silent: without addresses the kernel sends nothing of its own.

        Raises:
            UserError: the kernel refuses, or there is an interface of that name.
        """
        for name in self._names:
            if Path("/sys/class/net", name).exists():
                raise UserError(f"there is an interface {name} already", f"if it is unused: ip link delete {name}")
            self._janitor.watch_interface(name)
            make_tap_device(name)
            self._made.append(name)
            # Some kernels have no IPv6, and then nothing to switch off.
            with contextlib.suppress(OSError):
                Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1\n")
            _ip("link", "set", "dev", name, "mtu", str(self._mtu_bytes), "up")

    def remove(self) -> None:
        """Remove the devices that were made."""
        while self._made:
            with contextlib.suppress(UserError):
                _ip("link", "delete", self._made.pop())


def _ip(*arguments: str) -> None:
    result = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"ip {' '.join(arguments)}: {result.stderr.strip()}")
