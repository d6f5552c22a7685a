"""A sender and a receiver over MPTCP: ``mptcp_peer.py receive IP`` and ``mptcp_peer.py send IP CONGESTION_CONTROL SECONDS``.

The sender prints a JSON line every 20 ms: ``[seconds, [[window in packets, smoothed RTT in us, bytes acknowledged] for each subflow]]``.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import selectors
import socket
import struct
import sys
import time

PORT = 5002
SOL_MPTCP, MPTCP_TCPINFO = 284, 2
SO_SNDBUFFORCE = 32
TCP_CONGESTION = 13
BUFFER_BYTES = 8 << 20
INTERVAL_S = 0.02
SUBFLOWS_MAX = 8
HEAD = struct.Struct("IIII")
INFO_BYTES = 128  # of struct tcp_info, up to bytes_acked
RTT_AT, WINDOW_AT, ACKED_AT = 68, 80, 120


def subflows(connection: socket.socket) -> list[tuple[int, int, int]]:
    """Window, smoothed RTT in us and bytes acknowledged of each subflow (``struct mptcp_subflow_data`` of linux/mptcp.h)."""
    length = HEAD.size + SUBFLOWS_MAX * INFO_BYTES
    request = HEAD.pack(HEAD.size, 0, 0, INFO_BYTES).ljust(length, b"\0")
    answer = getsockopt_with(connection, request)
    _, count, _, size = HEAD.unpack_from(answer)
    found = []
    for start in range(HEAD.size, HEAD.size + min(count, SUBFLOWS_MAX) * size, size):
        window, rtt = (struct.unpack_from("I", answer, start + place)[0] for place in (WINDOW_AT, RTT_AT))
        found.append((window, rtt, struct.unpack_from("Q", answer, start + ACKED_AT)[0]))
    return found


def getsockopt_with(connection: socket.socket, request: bytes) -> bytes:
    """getsockopt whose buffer is also an input, which Python's own does not offer."""
    buffer = ctypes.create_string_buffer(request, len(request))
    length = ctypes.c_uint32(len(request))
    if ctypes.CDLL(None, use_errno=True).getsockopt(connection.fileno(), SOL_MPTCP, MPTCP_TCPINFO, buffer, ctypes.byref(length)) != 0:
        raise OSError(ctypes.get_errno(), "MPTCP_TCPINFO")
    return buffer.raw


def receive(address: str) -> None:
    """Take in one connection, to its end."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, PORT))
    listener.listen()
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(ConnectionError):
            connection.send(b"x")  # the sender leaves it unread, which makes its end a reset: nothing is sent on afterwards
            while connection.recv(1 << 16):
                pass


def send(address: str, congestion_control: str, seconds: float) -> None:
    """Send for so many seconds and print samples."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
    connection.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES)
    connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion_control.encode())
    connection.connect((address, PORT))
    connection.setblocking(False)
    selector = selectors.DefaultSelector()
    selector.register(connection, selectors.EVENT_WRITE)
    data = bytes(1 << 16)
    start_s = time.monotonic()
    next_s = start_s
    while (now_s := time.monotonic()) < start_s + seconds:
        if now_s >= next_s:
            print(json.dumps([now_s - start_s, subflows(connection)]), flush=True)
            next_s = now_s + INTERVAL_S
        if selector.select(max(0.0, next_s - time.monotonic())):
            with contextlib.suppress(BlockingIOError):
                connection.send(data)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(sys.argv[2])
    else:
        send(sys.argv[2], sys.argv[3], float(sys.argv[4]))
