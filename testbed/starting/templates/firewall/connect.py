"""``connect.py ADDRESS PORT answered|silent``: fails unless a server there answers, or says nothing within a second."""

import socket
import sys

address, port, expected = sys.argv[1], int(sys.argv[2]), sys.argv[3]
try:
    with socket.create_connection((address, port), timeout=1) as connection:
        found = "answered" if connection.recv(100) == b"welcome" else "said something else"
except TimeoutError:
    found = "silent"
print(f"{address} port {port}: {found}")
sys.exit(found != expected)
