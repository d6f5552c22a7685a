"""One end of a transfer, inside.

Times are of CLOCK_MONOTONIC. The receiver writes the bytes that have come by the end.
"""

from __future__ import annotations

import argparse
import socket
import time
from pathlib import Path

from common.command_end import end_with

PORT = 5001
CHUNK_BYTES = 1 << 18
AT_ONCE_BYTES = 1 << 16


def send(address: str, from_s: float, until_s: float) -> None:
    """Send as much as goes."""
    chunk = bytes(CHUNK_BYTES)
    time.sleep(from_s - time.monotonic())
    with socket.create_connection((address, PORT), timeout=until_s - time.monotonic()) as connection:
        while time.monotonic() < until_s:
            try:
                connection.settimeout(max(until_s - time.monotonic(), 0.001))
                connection.send(chunk)
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


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.studies.several_kernels.transfer", description=__doc__)
    ends = parser.add_subparsers(dest="end", required=True)
    sender = ends.add_parser("send", help="send as much as goes")
    sender.add_argument("address", help="of the receiver")
    sender.add_argument("from_s", type=float, help="when to begin")
    receiver = ends.add_parser("receive", help="count what comes")
    receiver.add_argument("file", type=Path, help="gets the number of bytes")
    for one in (sender, receiver):
        one.add_argument("until_s", type=float, help="when to end")
    options = parser.parse_args()
    if options.end == "send":
        send(options.address, options.from_s, options.until_s)
    else:
        receive(options.until_s, options.file)


if __name__ == "__main__":
    end_with(main)
