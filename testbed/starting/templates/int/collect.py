"""``collect.py COUNT``: prints what the switches have written into probes, in the order in which they were passed.

Fails if a probe has not passed all switches, or if none of them had to wait.
"""

import socket
import struct
import sys

PORT = 7777
SWITCHES = [1, 2, 3]
HOP = struct.Struct("!HHII")
"""Switch, packets in its queue, microseconds in the queue, the switch's clock in microseconds."""

longest_us = 0
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probes:
    probes.bind(("", PORT))
    probes.settimeout(5)
    for number in range(1, int(sys.argv[1]) + 1):
        data = probes.recv(1000)
        hops = [HOP.unpack_from(data, 1 + HOP.size * place) for place in range(data[0])][::-1]
        words = [f"s{switch}: {packets:>2} packets, {waited_us / 1000:6.2f} ms" for switch, packets, waited_us, _ in hops]
        print(f"probe {number:>2}  {'   '.join(words)}", flush=True)
        if [hop[0] for hop in hops] != SWITCHES:
            sys.exit(f"probe {number} has passed {[hop[0] for hop in hops]} and not {SWITCHES}")
        longest_us = max(longest_us, *(hop[2] for hop in hops))
print(f"the longest wait was {longest_us / 1000:.2f} ms")
sys.exit(longest_us < 1000)
