"""One end of a transfer, inside: ``transfer.py send ADDRESS FROM_S UNTIL_S`` or ``transfer.py receive UNTIL_S FILE``.

Times are of CLOCK_MONOTONIC. The receiver writes the bytes that have come by the end.
"""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

PORT = 5001
CHUNK_BYTES = 1 << 18
AT_ONCE_BYTES = 1 << 16


def send(address: str, from_s: float, until_s: float) -> None:
    """Send as much as goes."""
    time.sleep(from_s - time.monotonic())
    with socket.create_connection((address, PORT), timeout=until_s - time.monotonic()) as connection:
        while time.monotonic() < until_s:
            try:
                connection.settimeout(max(until_s - time.monotonic(), 0.001))
                connection.send(b"x" * CHUNK_BYTES)
            except TimeoutError:
                return


def receive(until_s: float, file: Path) -> None:
    """Receive until the end."""
    buffer, received = bytearray(1 << 20), 0
    with socket.create_server(("", PORT)) as server:
        server.settimeout(until_s - time.monotonic())
        connection, _ = server.accept()
        with connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, AT_ONCE_BYTES)
            while (left_s := until_s - time.monotonic()) > 0:
                connection.settimeout(left_s)
                try:
                    received += connection.recv_into(buffer)
                except TimeoutError:
                    break
    file.write_text(f"{received}\n")


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
    else:
        receive(float(sys.argv[2]), Path(sys.argv[3]))
