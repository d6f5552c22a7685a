"""Many connections and many short ones, with every congestion control in turn, over the loopback of a namespace of their own.

    soak.py CONNECTIONS CHURN_PER_SECOND SECONDS NAME…

CONNECTIONS stay open and send a little all the time, while others come and go. Those of NAME=mptcp are MPTCP connections. It prints one
JSON object: the bytes sent, the number of short connections, and the processor time. It runs in the network namespace it is started in.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import selectors
import socket
import sys
import threading
import time

TCP_CONGESTION = 13
SO_MAX_PACING_RATE = 47
PACING_BYTES_PER_S = 1_000_000
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
            with contextlib.suppress(OSError):  # reset; MPTCP says "not connected" then
                data = found.recv(1 << 16)
            if not data:
                selector.unregister(found)
                found.close()
    for key in list(selector.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]


def connect(address: tuple[str, int], scheme: str) -> socket.socket:
    name, _, protocol = scheme.partition("=")
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP if protocol == "mptcp" else 0)
    connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, name.encode())
    if not protocol:  # MPTCP sockets do not take it
        connection.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, PACING_BYTES_PER_S)
    connection.connect(address)
    return connection


class Together(threading.Thread):
    """Connections that all stay open, and send a chunk twice a second if there is room for it."""

    def __init__(self, address: tuple[str, int], schemes: list[str], count: int) -> None:
        super().__init__()
        self.sent = dict.fromkeys(schemes, 0)
        self.stop = threading.Event()
        self._connections = [(scheme, connect(address, scheme)) for scheme in itertools.islice(itertools.cycle(schemes), count)]

    def run(self) -> None:
        for _, connection in self._connections:
            connection.setblocking(False)
        while not self.stop.wait(0.5):
            for scheme, connection in self._connections:
                with contextlib.suppress(BlockingIOError):
                    self.sent[scheme] += connection.send(CHUNK)
        for _, connection in self._connections:
            connection.close()


def churn(address: tuple[str, int], schemes: list[str], per_second: float, seconds: float) -> int:
    """Connects, sends a little and disconnects, ``per_second`` times a second; every fifth is reset; returns how many there were."""
    start_s, count = time.monotonic(), 0
    while time.monotonic() < start_s + seconds:
        with connect(address, schemes[count % len(schemes)]) as connection:
            connection.sendall(CHUNK)
            if count % 5 == 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif count % 5 == 1:  # the scheme is changed in the middle
                name = schemes[(count + 1) % len(schemes)].partition("=")[0]
                connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, name.encode())
                connection.sendall(CHUNK)
        count += 1
        time.sleep(max(0.0, start_s + count / per_second - time.monotonic()))
    return count


def main() -> None:
    count, per_second, seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    schemes = sys.argv[4:]
    protocol = socket.IPPROTO_MPTCP if any(scheme.endswith("=mptcp") for scheme in schemes) else 0
    stop = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(256)
        reader = threading.Thread(target=sink, args=(listener, stop))
        reader.start()
        try:
            together = Together(listener.getsockname(), schemes, count)
            together.start()
            try:
                connects = churn(listener.getsockname(), schemes, per_second, seconds)
            finally:
                together.stop.set()
                together.join()
        finally:
            stop.set()
            reader.join()
    print(json.dumps({"sent": together.sent, "connects": connects, "cpu_s": round(time.process_time(), 1)}))


if __name__ == "__main__":
    main()
