"""``load.py receive PORT`` takes what comes; ``load.py send ADDRESS PORT SECONDS`` sends for so long, as fast as TCP can."""

import socket
import sys
import time

CHUNK = bytes(65536)

if sys.argv[1] == "receive":
    with socket.create_server(("", int(sys.argv[2]))) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                while connection.recv(len(CHUNK)):
                    pass
else:
    end_s = time.monotonic() + float(sys.argv[4])
    with socket.create_connection((sys.argv[2], int(sys.argv[3]))) as connection:
        while time.monotonic() < end_s:
            connection.send(CHUNK)
