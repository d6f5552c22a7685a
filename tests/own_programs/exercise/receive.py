#!/usr/bin/env python3
"""Prints the first UDP message that arrives."""

import sys

from scapy.all import UDP, Raw, sniff

print("listening", flush=True)
(packet,) = sniff(iface="eth0", filter="udp and port 1234", count=1, timeout=10) or sys.exit("nothing came")
print(f"got {packet[Raw].load.decode()!r} with ttl {packet['IP'].ttl}, from port {packet[UDP].sport}")
