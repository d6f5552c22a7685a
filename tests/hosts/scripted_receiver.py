"""A receiver for tests that plays the network's part too: it grants a rate and sends adjustments at given times.

    python scripted_receiver.py ADDRESS GRANT_KBPS [SECONDS:reduce|increase:KBPS ...]

Seconds count from the first request. A refresh or a renegotiation is granted min(Max, the last rate said). GRANT_KBPS 0: it never
answers.
"""

from __future__ import annotations

import socket
import sys
import threading
import time

from protocol.constants import TCP_DATA_PORT
from protocol.wire import UDP_PORT, Adjustment, MessageType, Negotiation, decode


def discard(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            while connection.recv(1 << 20):
                pass


def main() -> None:
    address, grant_kbps = sys.argv[1], int(sys.argv[2])
    script = [(float(when), MessageType[kind.upper()], int(kbps)) for when, kind, kbps in (w.split(":") for w in sys.argv[3:])]
    listener = socket.create_server((address, TCP_DATA_PORT))
    threading.Thread(target=discard, args=(listener,), daemon=True).start()
    messages = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    messages.bind((address, UDP_PORT))
    print("ready", flush=True)
    started_s: float | None = None
    sender, identity = ("", 0), None
    while True:
        if started_s is not None and identity is not None and script and time.monotonic() >= started_s + script[0][0]:
            _, kind, kbps = script.pop(0)
            messages.sendto(Adjustment(kind, identity, kbps).encode(), sender)
            grant_kbps = kbps
        messages.settimeout(0.01)
        try:
            data, sender = messages.recvfrom(100)
        except TimeoutError:
            continue
        message = decode(data)
        if grant_kbps and isinstance(message, Negotiation):
            identity, started_s = message.id, started_s or time.monotonic()
            rate_kbps = min(grant_kbps, message.max_kbps)
            reply = Negotiation(MessageType.SUCCESS, identity, rate_kbps, message.min_kbps, message.rtt_us, flags=message.flags)
            messages.sendto(reply.encode(), sender)


if __name__ == "__main__":
    main()
