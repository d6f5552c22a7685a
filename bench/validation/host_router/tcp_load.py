"""Connections that always have data, in virtual time: ``tcp_load.py receive ADDRESS`` and ``tcp_load.py send ADDRESS COUNT SECONDS``.

iperf3 looks about without waiting, which costs much in virtual time.
"""

import selectors
import socket
import sys
import time

PORT = 5201
PIECE = bytes(1 << 16)


def receive(address: str) -> None:
    """Take all that comes, for ever."""
    chosen = selectors.DefaultSelector()
    listening = socket.create_server((address, PORT), backlog=256)
    chosen.register(listening, selectors.EVENT_READ)
    while True:
        for key, _ in chosen.select():
            if key.fileobj is listening:
                accepted, _ = listening.accept()
                accepted.setblocking(False)
                chosen.register(accepted, selectors.EVENT_READ)
                continue
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            if not connection.recv(1 << 20):
                chosen.unregister(connection)
                connection.close()


def send(address: str, count: int, seconds: float) -> None:
    """Send by so many connections, for so long."""
    end = time.monotonic() + seconds
    chosen = selectors.DefaultSelector()
    for _ in range(count):
        connection = socket.create_connection((address, PORT))
        connection.setblocking(False)
        chosen.register(connection, selectors.EVENT_WRITE)
    while (left := end - time.monotonic()) > 0:
        for key, _ in chosen.select(left):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.send(PIECE)


if sys.argv[1] == "receive":
    receive(sys.argv[2])
else:
    send(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
