"""``probe.py ADDRESS COUNT``: sends empty probes, ten a second."""

import socket
import sys
import time

PORT = 7777
NO_HOPS = b"\0"

address, count = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probes:
    for _ in range(count):
        probes.sendto(NO_HOPS, (address, PORT))
        time.sleep(0.1)
