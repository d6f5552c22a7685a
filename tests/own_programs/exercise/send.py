#!/usr/bin/env python3
"""Sends one UDP message to a host, as exercises' senders do: with Scapy, to the default gateway's address."""

import sys

from scapy.all import IP, UDP, Ether, get_if_hwaddr, sendp

frame = Ether(src=get_if_hwaddr("eth0"), dst="ff:ff:ff:ff:ff:ff") / IP(dst=sys.argv[1]) / UDP(dport=1234, sport=5000) / sys.argv[2]
sendp(frame, iface="eth0", verbose=False)
print(f"sent to {sys.argv[1]}")
