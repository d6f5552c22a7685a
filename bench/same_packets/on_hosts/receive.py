"""``receive.py SECONDS`` on a host: prints every frame that send.py has sent, and none that kernels send of their own."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

OUTGOING = 4
ICMP = 1
ERRORS = (3, 11)
WITHOUT_MARK = b"\x99\x99"
CUT_OFF = 24
"""Bytes of the frame whose IPv4 header is cut off."""


def is_wanted(frame: bytes) -> bool:
    """It has send.py's mark and is no answer of a kernel's to one that has; or it is one of those that are too short for a mark."""
    if b"NDCT" not in frame:
        return frame[12:14] == WITHOUT_MARK or len(frame) == CUT_OFF
    is_icmp = frame[12:14] == b"\x08\x00" and frame[23] == ICMP
    return not (is_icmp and (frame[34] in ERRORS or frame[34] == 0))


(name,) = [one.name for one in Path("/sys/class/net").iterdir() if one.name == "eth0" or one.name.endswith("-eth0")]
ends_s = time.monotonic() + float(sys.argv[1])
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
    wire.bind((name, 3))
    wire.settimeout(0.1)
    while time.monotonic() < ends_s:
        try:
            received, (_, _, kind, *_) = wire.recvfrom(2048)
        except TimeoutError:
            continue
        if kind != OUTGOING and is_wanted(received):
            print("received", received.hex(), flush=True)
