"""A host that writes down when frames arrive: ``python -m bench.validation.arrivals INTERFACE FILE``, until SIGINT or SIGTERM.

FILE gets a row for each IPv4 frame: CLOCK_MONOTONIC in ns as the kernel took it from the device, bytes of the frame, and the first four
bytes after a UDP header as a number.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import struct
import sys
import time
from pathlib import Path

import numpy as np

from hosts.events import emit

SO_TIMESTAMPNS = 35
SO_RCVBUFFORCE = 33
ETH_P_IP = 0x0800
BUFFER_BYTES = 256 << 20
LOOK_INTERVAL_S = 0.05
HEADERS_BYTES = 14 + 20 + 8
TIME = struct.Struct("qq")
PORT = 9


def main(interface: str, file: Path) -> None:
    """Record until a signal says that it is enough."""
    rows: list[tuple[int, int, int]] = []
    wanted = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as frames:
        frames.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        frames.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        frames.bind((interface, ETH_P_IP))
        frames.setblocking(False)
        emit("ready")
        # A port that nobody listens at would answer each datagram.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
            sink.bind(("0.0.0.0", PORT))
            while signal.sigtimedwait(wanted, LOOK_INTERVAL_S) is None:
                _take(frames, rows)
            _take(frames, rows)
    offset_ns = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    table[:, 0] -= offset_ns
    np.save(file, table)


def _take(frames: socket.socket, rows: list[tuple[int, int, int]]) -> None:
    room, space = bytearray(HEADERS_BYTES + 4), socket.CMSG_SPACE(TIME.size)
    with contextlib.suppress(BlockingIOError):
        while True:
            _, ancillary, _, sender = frames.recvmsg_into([room], space, socket.MSG_TRUNC)
            if sender[2] == socket.PACKET_OUTGOING:
                continue
            seconds, ns = TIME.unpack(ancillary[0][2])
            length = 14 + int.from_bytes(room[16:18], "big")
            rows.append((seconds * 1_000_000_000 + ns, length, int.from_bytes(room[HEADERS_BYTES:], "big")))


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(sys.argv[1], Path(sys.argv[2])))
