"""TCP sockets as the testbed wants them: congestion control chosen, buffers that never limit the rate."""

from __future__ import annotations

import errno
import socket
import struct

from common.errors import UserError
from hosts.cca.scheme_names import Scheme, parse_scheme, socket_name, text_of

SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
SO_PROTOCOL = 38
IP_BIND_ADDRESS_NO_PORT = 24
IPPROTO_MPTCP = 262
TCP_NOTSENT_LOWAT = 25
"""From asm-generic/socket.h, linux/in.h (two) and linux/tcp.h; Python's socket module does not have all of them."""

BUFFER_BYTES = 16 << 20
"""Send and receive buffer: room for 1 Gbit/s over 60 ms twice, so that only congestion control decides. With the kernel's
automatic sizes the first RTTs of a connection that starts at full rate would be held back by the buffers."""

UNSENT_BYTES = 512 << 10
"""The most that may wait unsent in the kernel: enough for a sender that wakes up late, and little to be left over at the end."""


def sending_socket(congestion_control: str, local_address: str | None = None) -> socket.socket:
    """A non-blocking TCP socket that is not connected yet.

    Raises:
        UserError: the kernel does not have ``congestion_control``, or ``local_address`` is not this host's.
    """
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        set_congestion_control(connection, congestion_control)
        _set_buffer(connection, SO_SNDBUFFORCE, socket.SO_SNDBUF)
        connection.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        if local_address is not None:
            # Without it, each connection takes a local port for itself, whomever it is to.
            connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
            bind_source(connection, local_address)
        connection.setblocking(False)
    except BaseException:
        connection.close()
        raise
    return connection


def listening_socket(address: str, port: int, is_multipath: bool = False, congestion_control: str | None = None) -> socket.socket:
    """A non-blocking TCP socket that listens, with `is_multipath` for MPTCP as well; connections inherit its buffer and congestion control.

    Raises:
        OSError: the port is taken or the address is not this host's.
        UserError: the kernel does not have ``congestion_control``.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP if is_multipath else 0)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _set_buffer(listener, SO_RCVBUFFORCE, socket.SO_RCVBUF)
        if congestion_control is not None:
            set_congestion_control(listener, congestion_control)
        listener.bind((address, port))
        listener.listen(1024)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def set_congestion_control(connection: socket.socket, scheme: Scheme | str) -> None:
    """Chooses the congestion control of one connection, at any time; ``scheme`` as people write it (hosts/cca/scheme_names.py).

    Raises:
        UserError: there is no such scheme, the kernel does not have it, or does not let this user choose it.
    """
    chosen = parse_scheme(scheme) if isinstance(scheme, str) else scheme
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, socket_name(chosen).encode())
    except OSError as error:
        if error.errno == errno.ENOENT:
            load = "" if chosen.from_kernel else f"; `python -m hosts.cca load '{chosen}'` adds it"
            raise UserError(
                f"this kernel has no congestion control '{chosen}'", f"`python -m hosts.cca list` shows those there are{load}"
            ) from error
        if error.errno == errno.EPERM:
            raise UserError(f"congestion control '{chosen}' may not be chosen by this user", "run this as root") from error
        raise


def congestion_control(connection: socket.socket) -> str:
    """The congestion control that ``connection`` uses, as people write it."""
    return text_of(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode())


def is_plain_tcp(connection: socket.socket) -> bool:
    """Whether it is TCP itself and not MPTCP, whose sockets know less."""
    return connection.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL) == socket.IPPROTO_TCP


def system_congestion_control() -> str:
    """The default of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as fresh:
        return congestion_control(fresh)


def local_address_towards(peer: str) -> str:
    """This host's address on the route to ``peer`` (no packet is sent).

    Raises:
        UserError: there is no route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((peer, 9))
        except OSError as error:
            raise UserError(f"there is no way to {peer}: {error.strerror}", "check the routes: `ip route`") from error
        return str(probe.getsockname()[0])


def close_at_once(connection: socket.socket) -> None:
    """Closes with a reset: data that has not left yet never will."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _set_buffer(sock: socket.socket, forced_option: int, option: int) -> None:
    try:
        sock.setsockopt(socket.SOL_SOCKET, forced_option, BUFFER_BYTES)
    except PermissionError:
        sock.setsockopt(socket.SOL_SOCKET, option, BUFFER_BYTES)  # as much as the system allows everybody


def bind_source(connection: socket.socket, address: str) -> None:
    """Chooses the local address of a connection to be made.

    Raises:
        UserError: it is not this host's.
    """
    try:
        connection.bind((address, 0))
    except OSError as error:
        raise UserError(f"{address} is no address of this host: {error.strerror}", "`ip address` lists them") from error
