"""Tells the congestion control ``nodectl`` the rates of MPTCP subflows: the writing side of hosts/cca/subflow_rates.h."""

from __future__ import annotations

import os
import socket
import struct
from ipaddress import IPv4Address
from typing import NamedTuple

from hosts.cca.libbpf import BpfError, Libbpf
from protocol.errors import UserError

MAP_NAME = "subflow_rates"
SO_NETNS_COOKIE = 71
"""From asm-generic/socket.h; Python's socket module does not have it."""

UNLIMITED_BYTES_PER_S = 2**40
"""More than any interface carries, and within what the window's arithmetic takes."""

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


class SubflowRates:
    """The map of the registered congestion control ``nodectl``.

    There may be more maps of its name: of one that was registered before and still serves connections, or under another name. Nothing
    tells which is whose; what is written goes to all of them, and the others never look at it.

    Raises:
        UserError: it is not there or may not be opened.
    """

    def __init__(self) -> None:
        self._libbpf = Libbpf()
        try:
            self._descriptors = self._libbpf.open_all(MAP_NAME)
        except BpfError as error:
            raise UserError(f"the rates of subflows cannot be set: {error}", "run this as root") from error
        if not self._descriptors:
            raise UserError(
                "the registered congestion control 'nodectl' takes no rates of subflows",
                "`python -m hosts.cca unload nodectl`, then `python -m hosts.cca load nodectl`",
            )
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            (self._namespace,) = struct.unpack("=Q", probe.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8))

    def put(self, ends: Ends, bytes_per_s: int) -> None:
        """Sets the rate of a subflow in bytes of payload a second, at least 1; it holds from its next acknowledgement on."""
        for descriptor in self._descriptors:
            self._libbpf.put(descriptor, self._key(ends), _RATE.pack(bytes_per_s))

    def drop(self, ends: Ends) -> None:
        """Forgets a subflow that is over."""
        for descriptor in self._descriptors:
            self._libbpf.drop(descriptor, self._key(ends))

    def close(self) -> None:
        """Closes the maps."""
        for descriptor in self._descriptors:
            os.close(descriptor)

    def _key(self, ends: Ends) -> bytes:
        local, remote = (IPv4Address(address).packed for address in (ends.local_address, ends.remote_address))
        return _KEY.pack(self._namespace, local, remote, ends.local_port, ends.remote_port.to_bytes(2, "big"), 0)
