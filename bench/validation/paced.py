"""A host that sends over one TCP connection at a rate that the kernel paces: ``python -m bench.validation.paced ADDRESS RATE SECONDS``.

RATE is SO_MAX_PACING_RATE, payload bytes a second. With ``sink`` as the only argument it takes in what comes.
"""

from __future__ import annotations

import contextlib
import sys
import time

from hosts.connection import listening_socket, sending_socket
from hosts.events import emit
from hosts.pacing import set_max_pacing_rate

PORT = 5001
PART_BYTES = 1 << 18
READ_INTERVAL_S = 0.1


def send(address: str, bytes_per_s: int, seconds: float) -> None:
    """Send for a while."""
    with sending_socket("reno") as connection:
        set_max_pacing_rate(connection, bytes_per_s)
        connection.setblocking(True)
        connection.settimeout(1.0)
        connection.connect((address, PORT))
        end_s = time.monotonic() + seconds
        part = bytes(PART_BYTES)
        while time.monotonic() < end_s:
            with contextlib.suppress(TimeoutError):
                connection.send(part)


def sink() -> None:
    """Take in one connection."""
    with listening_socket("0.0.0.0", PORT) as listener:
        listener.setblocking(True)
        emit("ready")
        connection, _ = listener.accept()
        room = bytearray(1 << 22)
        with connection:
            while connection.recv_into(room):
                time.sleep(READ_INTERVAL_S)


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(sink if sys.argv[1:] == ["sink"] else lambda: send(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
