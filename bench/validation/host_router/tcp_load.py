"""Connections that always have data, in virtual time: ``tcp_load.py receive ADDRESS`` and ``tcp_load.py send ADDRESS COUNT SECONDS SEED``.

The seed draws when each connection starts, within the first second. ``send … FROM_S CC,CC`` gives connections these congestion controls in
turn. It prints as JSON, for each of them from then on, bit/s of acknowledged payload, packets, and marked packets.

iperf3 looks about without waiting, which costs much in virtual time.
"""

import json
import random
import selectors
import socket
import struct
import sys
import time

PORT = 5201
PIECE = bytes(1 << 16)
STARTS_WITHIN_S = 1.0
AT_BYTES_ACKED, AT_DELIVERED, MOST_BYTES = 120, 192, 256
"""Places in Linux's struct tcp_info."""


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


def send(address: str, count: int, seconds: float, seed: int, from_s: float = STARTS_WITHIN_S, schemes: str = "") -> None:
    """Send by so many connections, for so long."""
    begin = time.monotonic()
    draw = random.Random(seed)
    starts = [draw.uniform(0, STARTS_WITHIN_S) for _ in range(count)]
    chosen = selectors.DefaultSelector()
    own: dict[socket.socket, str] = {}
    names = schemes.split(",") if schemes else [""]
    for number, start in sorted(enumerate(starts), key=lambda one: one[1]):
        _fill_until(chosen, begin + start)
        connection = socket.socket()
        own[connection] = names[number % len(names)]
        if own[connection]:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, own[connection].encode())
        connection.connect((address, PORT))
        connection.setblocking(False)
        chosen.register(connection, selectors.EVENT_WRITE)
    _fill_until(chosen, begin + from_s)
    before = {connection: told(connection) for connection in own}
    _fill_until(chosen, begin + seconds)
    totals = {name: [0, 0, 0] for name in names}
    for connection, name in own.items():
        for position, (then, now) in enumerate(zip(before[connection], told(connection), strict=True)):
            totals[name][position] += now - then
    if schemes:
        print(json.dumps({name: (8 * got / (seconds - from_s), packets, marked) for name, (got, packets, marked) in totals.items()}))


def _fill_until(chosen: selectors.BaseSelector, end: float) -> None:
    while (left := end - time.monotonic()) > 0:
        for key, _ in chosen.select(left):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.send(PIECE)


def told(connection: socket.socket) -> tuple[int, int, int]:
    """Bytes acknowledged, packets delivered, and those of them that were marked."""
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, MOST_BYTES)
    return struct.unpack_from("=Q", told, AT_BYTES_ACKED)[0], *struct.unpack_from("=II", told, AT_DELIVERED)


what, of, *words = sys.argv[1:]
if what == "receive":
    receive(of)
else:
    count, seconds, seed, *coupled = words
    send(of, int(count), float(seconds), int(seed), *((float(coupled[0]), coupled[1]) if coupled else ()))
