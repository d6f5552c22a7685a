"""An ordinary program that knows nothing of rates: several connections, each of which sends both ways for a while. For tests.

    python -m tests.hosts.plain_program serve|connect ADDRESS CONNECTIONS SECONDS

Says ``listening``, and in the end what it has received: a JSON list of bit/s, a connection each.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time

PORT = 5201
CHUNK = bytes(32 << 10)


def main(role: str, address: str, count: int, seconds: float) -> None:
    """Serves or connects."""
    if role == "serve":
        with socket.create_server((address, PORT)) as listener:
            print("listening", flush=True)
            connections = [listener.accept()[0] for _ in range(count)]
    else:
        connections = [socket.create_connection((address, PORT)) for _ in range(count)]
    got_bps: list[float] = []
    threads = [threading.Thread(target=_receive, args=(one, got_bps)) for one in connections]
    threads += [threading.Thread(target=_send, args=(one, seconds)) for one in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in connections:
        one.close()
    print(json.dumps(got_bps), flush=True)


def _send(connection: socket.socket, seconds: float) -> None:
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        connection.sendall(CHUNK)
    connection.shutdown(socket.SHUT_WR)


def _receive(connection: socket.socket, got_bps: list[float]) -> None:
    first = connection.recv(1 << 16)
    begin_s, count = time.monotonic(), 0
    while first and (part := connection.recv(1 << 16)):
        count += len(part)
        last_s = time.monotonic()
    got_bps.append(count * 8 / (last_s - begin_s) if count else 0.0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
