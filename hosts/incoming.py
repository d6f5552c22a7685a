"""The connections that a receiving host takes in: one thread accepts all of them and drops their data."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Callable

from hosts import clock, tcp_info
from hosts.connection import is_plain_tcp

_DISCARD_BYTES = 1 << 20

EAGER_BYTES = 1 << 16
"""So much of a connection is read at once as it comes."""
LAZY_BYTES = 1 << 18
"""After that the thread is woken only when this much waits, or at the end. To be woken for every packet would cost more than all the
rest of receiving, and the switch's forwarding thread, which delivers the packet, would do it. The kernel acknowledges as before."""

GREETING = b"\n"
"""Sent at once on every connection, whatever its congestion control. The window field of a SYN-ACK has 16 bits and is never scaled.
So until the receiver's next segment the sender may have no more than 64 KB under way, however large the receive buffer. A
sender that was given a rate before its first byte would stand still for the rest of that RTT. The greeting is that next segment; it
arrives while the rate is still being negotiated. (Kernels before about 6.10 begin with a window of 64 KB all the same.)"""


class IncomingConnection:
    """One connection. Times are CLOCK_MONOTONIC nanoseconds.

    Attributes:
        number: counts the connections of this receiver from 0, in the order they were accepted.
        last_data_ns: when the latest bytes were read, to the microsecond for the first 64 KiB and the last bytes; 0 before the first.
        is_over: it has ended, and its counts do not change any more.
    """

    def __init__(self, connection: socket.socket, number: int, peer: tuple[str, int]) -> None:
        self.number = number
        self.peer, self.peer_port = peer
        self.accepted_ns = clock.now_ns()
        self.last_data_ns = 0
        self.is_over = False
        self._bytes_read = 0
        self._is_lazy = False
        self._connection = connection

    def bytes_received(self) -> int:
        """Payload bytes that have come, whether they have been read already or not."""
        if self._is_lazy and not self.is_over:
            with contextlib.suppress(OSError):  # closed meanwhile
                return max(self._bytes_read, tcp_info.bytes_received(self._connection))
        return self._bytes_read

    def discard(self, buffer: bytearray) -> bool:
        """Reads the waiting bytes without copying them (MSG_TRUNC); false at the end of the connection, which is closed then."""
        try:
            count = self._connection.recv_into(buffer, len(buffer), socket.MSG_TRUNC)
        except BlockingIOError:
            return True
        except OSError:
            count = 0  # a reset is how a sender stops at its time
        if count == 0:
            self._close()
            return False
        self.last_data_ns = clock.now_ns()
        self._bytes_read += count
        if not self._is_lazy and self._bytes_read >= EAGER_BYTES and is_plain_tcp(self._connection):
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, LAZY_BYTES)
            self._is_lazy = True
        return True

    def abandon(self) -> None:
        """Closes it before its end. Bytes that wait unread count as received."""
        self._bytes_read = self.bytes_received()
        self._close()

    def _close(self) -> None:
        self._connection.close()
        self.is_over = True


class IncomingConnections:
    """The thread that serves ``listener`` (not blocking) and all its connections.

    Args:
        listener: is closed at the end.
        on_begin, on_end: called in the thread with each connection that is accepted, and that is over.
        on_failure: called in the thread if it cannot go on, e.g. because there are no more file descriptors.
    """

    def __init__(
        self,
        listener: socket.socket,
        on_begin: Callable[[IncomingConnection], None],
        on_end: Callable[[IncomingConnection], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._listener = listener
        self._on_begin, self._on_end, self._on_failure = on_begin, on_end, on_failure
        self._connections: dict[int, IncomingConnection] = {}
        self._accepted = 0
        self._poll = select.epoll()
        self._waker, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="receive", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._poll.register(self._listener, select.EPOLLIN)
        self._poll.register(self._waker, select.EPOLLIN)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, and closes the listener and all connections. Only once."""
        self._wake.send(b"x")
        self._thread.join()
        self._wake.close()
        self._waker.close()

    def _run(self) -> None:
        buffer = bytearray(_DISCARD_BYTES)
        listener, waker = self._listener.fileno(), self._waker.fileno()
        try:
            while True:
                for descriptor, _ in self._poll.poll():
                    if descriptor == waker:
                        return
                    if descriptor == listener:
                        self._accept()
                    elif not self._connections[descriptor].discard(buffer):
                        self._on_end(self._connections.pop(descriptor))
        except Exception as error:
            self._on_failure(error)
        finally:
            self._close()

    def _accept(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            connection.setblocking(False)
            with contextlib.suppress(OSError):  # reset already; that will be noticed when it is read
                connection.send(GREETING)
            incoming = IncomingConnection(connection, self._accepted, peer)
            self._accepted += 1
            self._connections[connection.fileno()] = incoming
            self._on_begin(incoming)
            self._poll.register(connection, select.EPOLLIN)

    def _close(self) -> None:
        for incoming in self._connections.values():
            incoming.abandon()
            self._on_end(incoming)
        self._listener.close()
        self._poll.close()
