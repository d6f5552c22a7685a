"""The part of nnpy, nanomsg's Python package, that controllers of p4-utils use: a subscriber to a switch's notifications.

The package itself needs nanomsg's library and a compiler. This module has only the socket SUB and the transport ``ipc://``.
"""

from __future__ import annotations

import socket
import struct

AF_SP, SUB, SUB_SUBSCRIBE, SUB_UNSUBSCRIBE = 1, 33, 1, 2
SCHEME = "ipc://"
GREETING = struct.Struct(">4sHH")
SIGN, PUB, NOTHING = b"\0SP\0", 32, 0
FRAME = struct.Struct(">BQ")
MOST_BYTES = 1 << 20


class NNError(Exception):
    """nanomsg refuses something."""


class Socket:
    """A subscriber.

    Args:
        domain: AF_SP.
        protocol: SUB; there is no other here.
    """

    def __init__(self, domain: int, protocol: int) -> None:
        if (domain, protocol) != (AF_SP, SUB):
            raise NNError("of nanomsg's sockets there are only subscribers here (AF_SP, SUB)")
        self._socket = socket.socket(socket.AF_UNIX)
        self._topics: list[bytes] = []

    def connect(self, addr: str | bytes) -> None:
        """Connect to a switch's notifications.

        Args:
            addr: ``notifications_socket`` of ``bm_mgmt_get_info``.

        Raises:
            NNError: no switch publishes there.
        """
        address = addr.decode() if isinstance(addr, bytes) else addr or ""
        try:
            if not address:
                raise NNError("this switch publishes no notifications: BMv2's simple_switch_grpc sends digests over P4Runtime alone")
            if not address.startswith(SCHEME):
                raise NNError(f"{address!r} is no address of a switch's notifications, {SCHEME}PATH")
            self._socket.connect(address.removeprefix(SCHEME))
            self._socket.sendall(GREETING.pack(SIGN, SUB, NOTHING))
            if self._exactly(GREETING.size) != GREETING.pack(SIGN, PUB, NOTHING):
                raise NNError(f"{address}: there is no publisher of nanomsg")
        except OSError as error:
            raise NNError(f"{address}: {error.strerror or error}") from None

    def setsockopt(self, level: int, option: int, value: str | bytes) -> None:
        """Subscribe to messages with a given beginning, or unsubscribe from them.

        Args:
            level: SUB.
            option: SUB_SUBSCRIBE or SUB_UNSUBSCRIBE.
            value: the beginning of the messages; empty: all of them.

        Raises:
            NNError: it is another option.
        """
        topic = value.encode() if isinstance(value, str) else bytes(value)
        if level == SUB and option == SUB_SUBSCRIBE:
            self._topics.append(topic)
        elif level == SUB and option == SUB_UNSUBSCRIBE and topic in self._topics:
            self._topics.remove(topic)
        else:
            raise NNError("of nanomsg's options there are only SUB_SUBSCRIBE and SUB_UNSUBSCRIBE here")

    def recv(self, flags: int = 0) -> bytes:  # noqa: ARG002 - nnpy's
        """The next message that was subscribed to; waits for it.

        Raises:
            NNError: the switch has gone.
        """
        while True:
            _kind, length = FRAME.unpack(self._exactly(FRAME.size))
            if length > MOST_BYTES:
                raise NNError(f"a message of {length} bytes is none of a switch's")
            message = self._exactly(length)
            if any(message.startswith(topic) for topic in self._topics):
                return message

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        parts = b""
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            if not part:
                raise NNError("the switch has gone")
            parts += part
        return parts
