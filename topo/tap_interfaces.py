"""TAP devices on this machine that switches hold: ports of BMv2's, and ports that lead to the machine itself."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from common.errors import UserError
from topo.janitor import Janitor


@contextmanager
def tap_interfaces(names: Sequence[str], mtu_bytes: int, janitor: Janitor) -> Iterator[None]:
    """Make devices, up and silent: without addresses the kernel sends nothing of its own. They go with the block.

    Args:
        names: of the devices.
        mtu_bytes: of each.
        janitor: told of each device before it is made.

    Raises:
        UserError: the kernel refuses, or there is an interface of that name.
    """
    made: list[str] = []
    try:
        for name in names:
            if Path("/sys/class/net", name).exists():
                raise UserError(f"there is an interface {name} already", f"if nobody needs it: ip link delete {name}")
            janitor.watch_interface(name)
            _ip("tuntap", "add", "dev", name, "mode", "tap")
            made.append(name)
            # Some kernels have no IPv6, and then nothing to switch off.
            with contextlib.suppress(OSError):
                Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1\n")
            _ip("link", "set", "dev", name, "mtu", str(mtu_bytes), "up")
        yield
    finally:
        for name in reversed(made):
            with contextlib.suppress(UserError):
                _ip("link", "delete", name)


def _ip(*arguments: str) -> None:
    result = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"ip {' '.join(arguments)}: {result.stderr.strip()}")
