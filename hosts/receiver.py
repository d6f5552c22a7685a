"""A receiving host: answers negotiation requests and takes in whatever is sent to its TCP port."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import IO

from hosts import clock, mptcp, tcp_info
from hosts.connection import is_plain_tcp, listening_socket
from hosts.message_socket import MessageSocket, explain_bind_error
from hosts.periodic import Periodic
from hosts.receiver_negotiation import answer
from protocol.errors import UserError
from protocol.wire import MAX_RATE_KBPS, Message

SAMPLE_INTERVAL_S = 0.01
SAMPLE_COLUMNS = ("time_ns", "peer", "peer_port", "bytes_received", "last_data_ns")
"""``last_data_ns``: when the latest bytes were read, to the microsecond for the first 64 KiB and the last bytes; 0 before the first."""

_DISCARD_BYTES = 1 << 20

EAGER_BYTES = 1 << 16
"""So much of a connection is read at once as it comes; from then on …"""
LAZY_BYTES = 1 << 18
"""… the thread is woken only when this much waits, or at the end: to be woken for every packet would cost more than all the
rest of receiving, and it would be done in the switch's forwarding thread, which delivers the packet. The kernel acknowledges
as before."""

GREETING = b"\n"
"""Sent at once on every connection, whatever its congestion control. The window field of a SYN-ACK has 16 bits and is never scaled,
so until the receiver's next segment the sender may have no more than 64 KB under way, however large the receive buffer. A
sender that was given a rate before its first byte would stand still for the rest of that RTT. The greeting is that next segment; it
arrives while the rate is still being negotiated. (Kernels before about 6.10 begin with a window of 64 KB all the same.)"""


class _Incoming:
    """One connection: its own thread drops what comes in, without copying it (MSG_TRUNC), and counts."""

    def __init__(self, connection: socket.socket, peer: tuple[str, int]) -> None:
        self.peer, self.peer_port = peer
        self.last_data_ns = 0
        self._bytes_read = 0
        self._is_lazy = False
        self.is_over = False
        self._connection = connection
        connection.setblocking(True)
        threading.Thread(target=self._discard, name="discard", daemon=True).start()

    def _discard(self) -> None:
        buffer = bytearray(_DISCARD_BYTES)
        with self._connection, contextlib.suppress(OSError):  # a reset is how a sender stops at its time
            self._connection.sendall(GREETING)
            while count := self._connection.recv_into(buffer, _DISCARD_BYTES, socket.MSG_TRUNC):
                self.last_data_ns = clock.now_ns()
                self._bytes_read += count
                if not self._is_lazy and self._bytes_read >= EAGER_BYTES and is_plain_tcp(self._connection):
                    self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, LAZY_BYTES)
                    self._is_lazy = True
        self.is_over = True

    def bytes_received(self) -> int:
        """Payload bytes that have come, whether they have been read already or not."""
        if self._is_lazy and not self.is_over:
            with contextlib.suppress(OSError):  # closed meanwhile
                return max(self._bytes_read, tcp_info.bytes_received(self._connection))
        return self._bytes_read


class _Samples:
    """The bytes received so far of every connection, every 10 ms."""

    def __init__(self, path: Path, connections: list[_Incoming]) -> None:
        self._connections = connections
        self._over: set[_Incoming] = set()
        try:
            self._file: IO[str] = path.open("w", newline="", encoding="ascii")
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}") from error
        self._writer = csv.writer(self._file)
        self._writer.writerow(SAMPLE_COLUMNS)
        self._periodic = Periodic(SAMPLE_INTERVAL_S, self._tick, "samples")

    def start(self) -> None:
        self._periodic.start()

    def finish(self) -> None:
        self._periodic.stop()
        self._tick()
        self._file.close()

    def _tick(self) -> None:
        now_ns = clock.now_ns()
        for incoming in list(self._connections):
            if incoming not in self._over:
                if incoming.is_over:  # read before the count, so that the last row is the final count
                    self._over.add(incoming)
                self._writer.writerow((now_ns, incoming.peer, incoming.peer_port, incoming.bytes_received(), incoming.last_data_ns))


class _Recorder:
    """Which file the samples go to, and the commands that change it."""

    def __init__(self, connections: list[_Incoming]) -> None:
        self._connections = connections
        self._samples: _Samples | None = None
        self._buffer = b""

    def record_to(self, path: Path | None) -> None:
        """Closes the samples' file and goes on in another; None: nowhere.

        Raises:
            UserError: it cannot be written.
        """
        if self._samples is not None:
            self._samples.finish()
        self._connections[:] = [connection for connection in self._connections if not connection.is_over]
        self._samples = None if path is None else _Samples(path, self._connections)
        if self._samples is not None:
            self._samples.start()

    def take_commands(self) -> None:
        """Reads what has come on standard input."""
        chunk = os.read(sys.stdin.fileno(), 65536)
        if not chunk:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            return
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self.record_to(Path(os.fsdecode(line)) if line else None)
            print(json.dumps({"event": "samples"}), flush=True)


async def receive(
    bind: str, port: int, max_rate_bps: int | None, samples_path: Path | None, takes_commands: bool = False, multipath: bool = False
) -> int:
    """Receives until SIGINT or SIGTERM; returns the exit code 0. Prints ``{"event":"ready"}`` when it listens.

    Args:
        bind: local IPv4 address.
        port: TCP port for data.
        max_rate_bps: what to grant one transmission at most, bit/s at the Ethernet frame; None: whatever is asked.
        samples_path: CSV file of samples.
        multipath: also take in MPTCP connections, over any of this host's addresses that the sender finds.
        takes_commands: each line on standard input names another file for the samples from then on (an empty line: none);
            ``{"event":"samples"}`` says that the former file is complete and closed.

    Raises:
        UserError: a port is taken, or the samples cannot be written.
    """
    provide_kbps = MAX_RATE_KBPS if max_rate_bps is None else min(max_rate_bps // 1000, MAX_RATE_KBPS)
    messages = await MessageSocket.open(bind)
    try:
        listener = listening_socket(bind, port, is_multipath=_can_take(multipath))
    except OSError as error:
        raise explain_bind_error(error, "TCP", bind, port) from error

    def on_message(message: Message, peer: str) -> None:
        reply = answer(message, provide_kbps)
        if reply is not None:
            messages.send(reply, peer)

    messages.claim_rest(on_message)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    connections: list[_Incoming] = []
    recorder = _Recorder(connections)
    accepting = asyncio.create_task(_accept(listener, connections))
    recorder.record_to(samples_path)
    if takes_commands:
        loop.add_reader(sys.stdin.fileno(), recorder.take_commands)
    print(json.dumps({"event": "ready"}), flush=True)
    await stopped.wait()
    accepting.cancel()
    await asyncio.gather(accepting, return_exceptions=True)
    listener.close()
    messages.close()
    recorder.record_to(None)
    return 0


def _can_take(multipath: bool) -> bool:
    reason = mptcp.explain_missing() if multipath else None
    if reason is not None:
        print(f"{reason}: taking plain TCP", file=sys.stderr, flush=True)
    return multipath and reason is None


async def _accept(listener: socket.socket, connections: list[_Incoming]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        connection, peer = await loop.sock_accept(listener)
        connections.append(_Incoming(connection, peer))
