"""Sockets that speak Multipath TCP, and the kernel's view of their subflows (linux/mptcp.h)."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import socket
import struct
from dataclasses import dataclass

from hosts.cca.subflow_rates import Ends
from hosts.connection import IPPROTO_MPTCP, bind_source, set_congestion_control
from hosts.tcp_info import TCP_INFO_BYTES, TcpInfo, decode

SOL_MPTCP = 284
MPTCP_INFO, MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS = 1, 2, 3
SUBFLOWS_MAX = 8
FLAG_FALLBACK = 1
MOMENTARY = "reno"
"""Chosen for a moment, so that choosing nodectl again makes it look at the rates of all subflows."""

_INFO = struct.Struct("=6x2xI")
_HEAD = struct.Struct("=IIII")
_ADDRESS_BYTES = 128
_INET = struct.Struct("!2xH4s")


@dataclass(frozen=True, slots=True)
class Subflow:
    """One subflow: its ends, and the kernel's view of it."""

    ends: Ends
    info: TcpInfo


def explain_missing() -> str | None:
    """Why sockets cannot speak MPTCP here; None if they can."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP).close()
    except OSError as error:
        if error.errno == errno.ENOPROTOOPT:
            return "MPTCP is switched off here (sysctl net.mptcp.enabled)"
        return f"this kernel has no MPTCP ({error.strerror})"
    return None


def sending_socket(congestion_control: str, local_address: str | None = None) -> socket.socket:
    """A non-blocking MPTCP socket that is not connected yet.

    Its buffers are the kernel's automatic ones, since data that waits in one subflow's buffer cannot be sent by another. With large ones
    the first subflow would take all that the receiver has room for before the second has joined.

    Raises:
        UserError: the kernel does not have ``congestion_control``, or ``local_address`` is not this host's.
    """
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    try:
        set_congestion_control(connection, congestion_control)
        if local_address is not None:
            bind_source(connection, local_address)
        connection.setblocking(False)
    except BaseException:
        connection.close()
        raise
    return connection


async def connect(connection: socket.socket, address: str, port: int) -> None:
    """Connects a non-blocking socket. (asyncio's own sock_connect does not take this protocol.)

    Raises:
        OSError: the connection was refused, or nobody answered.
    """
    number = connection.connect_ex((address, port))
    if number == errno.EINPROGRESS:
        loop = asyncio.get_running_loop()
        is_done = asyncio.Event()
        loop.add_writer(connection, is_done.set)
        try:
            await is_done.wait()
        finally:
            loop.remove_writer(connection)
        number = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if number != 0:
        raise OSError(number, os.strerror(number))


def has_fallen_back(connection: socket.socket) -> bool:
    """Whether a connected socket goes on as plain TCP, since the other side does not speak MPTCP."""
    try:
        (flags,) = _INFO.unpack_from(connection.getsockopt(SOL_MPTCP, MPTCP_INFO, _INFO.size))
    except OSError:
        return True
    return bool(flags & FLAG_FALLBACK)


def subflows(connection: socket.socket) -> list[Subflow] | None:
    """The subflows that there are now; None if that cannot be told: one joins or leaves just now, or the connection is over."""
    try:
        ends = _read_ends(connection)
        infos = _elements(connection, MPTCP_TCPINFO, TCP_INFO_BYTES)
        if ends != _read_ends(connection) or len(ends) != len(infos):
            return None
    except OSError:
        return None
    return [Subflow(one, decode(info)) for one, info in zip(ends, infos, strict=True)]


def look_at_rates(connection: socket.socket, congestion_control: str) -> None:
    """Make the congestion control look at its subflows' rates now: an idle subflow gets no acknowledgement that would."""
    set_congestion_control(connection, MOMENTARY)
    set_congestion_control(connection, congestion_control)


def _read_ends(connection: socket.socket) -> list[Ends]:
    found = []
    for element in _elements(connection, MPTCP_SUBFLOW_ADDRS, 2 * _ADDRESS_BYTES):
        (local_port, local), (remote_port, remote) = _INET.unpack_from(element), _INET.unpack_from(element, _ADDRESS_BYTES)
        found.append(Ends(socket.inet_ntoa(local), local_port, socket.inet_ntoa(remote), remote_port))
    return found


def _elements(connection: socket.socket, option: int, size: int) -> list[bytes]:
    """The option's content for each subflow, ``size`` bytes (missing ones are 0)."""
    length = _HEAD.size + SUBFLOWS_MAX * size
    buffer = ctypes.create_string_buffer(_HEAD.pack(_HEAD.size, 0, 0, size), length)
    filled = ctypes.c_uint32(length)
    # The buffer is also an input, which Python's own getsockopt does not offer.
    if _libc.getsockopt(connection.fileno(), SOL_MPTCP, option, buffer, ctypes.byref(filled)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    data = buffer.raw
    _, count, _, step = _HEAD.unpack_from(data)
    return [
        data[start : start + step].ljust(size, b"\0") for start in range(_HEAD.size, _HEAD.size + min(count, SUBFLOWS_MAX) * step, step)
    ]


_libc = ctypes.CDLL(None, use_errno=True)
