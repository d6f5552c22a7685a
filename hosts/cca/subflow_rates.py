"""Tells the congestion control ``nodectl`` the rates of MPTCP subflows: the writing side of hosts/cca/subflow_rates.h.

They go into a BPF map, or into the file of a module (module_frame/user_map.h), whichever is there.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple, Protocol

from common.errors import UserError
from hosts.cca.libbpf import BpfError, Libbpf
from hosts.cca.loader import kernel_names

MAP_NAME = "subflow_rates"
PROC = Path("/proc")
"""Where a module has the file of its map."""

SO_NETNS_COOKIE = 71
"""From asm-generic/socket.h; Python's socket module does not have it."""

UNLIMITED_BYTES_PER_S = 2**32 - 1
"""34 Gbit/s. MPTCP's scheduler looks at the lower 32 bits alone, and takes 0 there for a subflow that may not send."""

KEY_FORMAT = "=Q4s4sH2sI"
"""struct subflow_key."""
_KEY = struct.Struct(KEY_FORMAT)
_RATE = struct.Struct("=Q")


class Ends(NamedTuple):
    """The two ends of a subflow."""

    local_address: str
    local_port: int
    remote_address: str
    remote_port: int


class _Target(Protocol):
    """A map that rates are written into."""

    def put(self, key: bytes, rate: bytes) -> None:
        """Sets an element."""

    def drop(self, key: bytes) -> None:
        """Removes an element; harmless if there is none."""

    def close(self) -> None:
        """Lets go of it."""


class _BpfMap:
    def __init__(self, library: Libbpf, descriptor: int) -> None:
        self._library, self._descriptor = library, descriptor

    def put(self, key: bytes, rate: bytes) -> None:
        self._library.put(self._descriptor, key, rate)

    def drop(self, key: bytes) -> None:
        self._library.drop(self._descriptor, key)

    def close(self) -> None:
        os.close(self._descriptor)


class _ModuleFile:
    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY)

    def put(self, key: bytes, rate: bytes) -> None:
        os.write(self._descriptor, key + rate)

    def drop(self, key: bytes) -> None:
        with contextlib.suppress(FileNotFoundError):  # there is no such element
            os.write(self._descriptor, key)

    def close(self) -> None:
        os.close(self._descriptor)


class SubflowRates:
    """The map of the registered congestion control ``nodectl``.

    There may be more maps of its name: of a ``nodectl`` that was registered before and still serves connections, or under another name.
    Nothing tells which is whose. A rate is written into all of them, and the others never look at it.

    Raises:
        UserError: it is not there or may not be opened.
    """

    def __init__(self) -> None:
        try:
            self._targets = _targets()
        except (BpfError, PermissionError) as error:
            raise UserError(f"the rates of subflows cannot be set: {error}", "run this as root") from error
        if not self._targets:
            raise UserError(
                "the registered congestion control 'nodectl' takes no rates of subflows",
                "`python -m hosts.cca unload nodectl`, then `python -m hosts.cca load nodectl`",
            )
        self._namespace = namespace_cookie()

    def put(self, ends: Ends, bytes_per_s: int) -> None:
        """Sets the rate of a subflow in bytes of payload a second, at least 1; it holds from its next acknowledgement on."""
        for target in self._targets:
            target.put(self._key(ends), _RATE.pack(bytes_per_s))

    def drop(self, ends: Ends) -> None:
        """Forgets a subflow that is over."""
        for target in self._targets:
            target.drop(self._key(ends))

    def close(self) -> None:
        """Closes the maps."""
        for target in self._targets:
            target.close()

    def _key(self, ends: Ends) -> bytes:
        local, remote = (IPv4Address(address).packed for address in (ends.local_address, ends.remote_address))
        return _KEY.pack(self._namespace, local, remote, ends.local_port, ends.remote_port.to_bytes(2, "big"), 0)


def namespace_cookie() -> int:
    """The kernel's name of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        (cookie,) = struct.unpack("=Q", probe.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8))
    return int(cookie)


def _targets() -> list[_Target]:
    files = [path for name in kernel_names() if (path := PROC / f"{MAP_NAME}:{name}").exists()]
    if files:
        return [_ModuleFile(path) for path in files]
    library = Libbpf()
    return [_BpfMap(library, descriptor) for descriptor in library.open_all(MAP_NAME)]
