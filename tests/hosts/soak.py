"""Many connections and many short ones, with every congestion control in turn, over the loopback of a namespace of their own.

    soak.py CONNECTIONS SECONDS_TOGETHER CHURN_PER_SECOND SECONDS_OF_CHURN NAME…

Prints one JSON object: what was done and how much came through. Runs in the network namespace it is started in.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import sys
import threading
import time

TCP_CONGESTION = 13
SO_MAX_PACING_RATE = 47
CHUNK = bytes(1 << 14)


def sink(listener: socket.socket, stop: threading.Event) -> None:
    """Accepts and reads everything until told to stop."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while not stop.is_set():
        for key, _ in selector.select(0.1):
            found = key.fileobj
            assert isinstance(found, socket.socket)
            if found is listener:
                connection, _ = listener.accept()
                connection.setblocking(False)
                selector.register(connection, selectors.EVENT_READ)
                continue
            data = b""
            with contextlib.suppress(ConnectionError):
                data = found.recv(1 << 16)
            if not data:
                selector.unregister(found)
                found.close()
    for key in list(selector.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]


def connect(address: tuple[str, int], name: str) -> socket.socket:
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, name.encode())
    connection.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 1_000_000)
    connection.connect(address)
    return connection


def together(address: tuple[str, int], names: list[str], count: int, seconds: float) -> dict[str, int]:
    """``count`` connections at once, all of them sending; bytes taken by the kernel for each name."""
    connections = [connect(address, names[index % len(names)]) for index in range(count)]
    sent = dict.fromkeys(names, 0)
    selector = selectors.DefaultSelector()
    for index, connection in enumerate(connections):
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_WRITE, names[index % len(names)])
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        for key, _ in selector.select(0.05):
            assert isinstance(key.fileobj, socket.socket)
            with contextlib.suppress(BlockingIOError):
                sent[key.data] += key.fileobj.send(CHUNK)
        time.sleep(0.005)
    for connection in connections:
        connection.close()
    return sent


def churn(address: tuple[str, int], names: list[str], per_second: float, seconds: float) -> int:
    """Connects, sends a little and disconnects, ``per_second`` times a second; every fifth is reset; returns how many there were."""
    start_s, count = time.monotonic(), 0
    while time.monotonic() < start_s + seconds:
        with connect(address, names[count % len(names)]) as connection:
            connection.sendall(CHUNK)
            if count % 5 == 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif count % 5 == 1:  # the scheme is changed in the middle
                connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, names[(count + 1) % len(names)].encode())
                connection.sendall(CHUNK)
        count += 1
        time.sleep(max(0.0, start_s + count / per_second - time.monotonic()))
    return count


def main() -> None:
    count, seconds, per_second, churn_seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    names = sys.argv[5:]
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        reader = threading.Thread(target=sink, args=(listener, stop))
        reader.start()
        try:
            sent = together(listener.getsockname(), names, count, seconds)
            connects = churn(listener.getsockname(), names, per_second, churn_seconds)
        finally:
            stop.set()
            reader.join()
    print(json.dumps({"sent": sent, "connects": connects}))


if __name__ == "__main__":
    main()
