"""Listens on the ports that the command line names, and says one word to whoever connects."""

import selectors
import socket
import sys

waiting = selectors.DefaultSelector()
for port in map(int, sys.argv[1:]):
    waiting.register(socket.create_server(("", port)), selectors.EVENT_READ, port)
while True:
    for ready, _ in waiting.select():
        connection, address = ready.fileobj.accept()
        with connection:
            connection.sendall(b"welcome")
        print(f"{address[0]} came to port {ready.data}", flush=True)
