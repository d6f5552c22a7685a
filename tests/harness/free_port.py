"""A TCP port on loopback for a server that a test starts."""

from __future__ import annotations

import random
import socket

PORTS = range(20_000, 32_000)
"""Below those that the kernel gives to connections: a free port stays free until the server has it."""

ATTEMPTS = 100


def free_port() -> int:
    """The number of a port that nobody listens on.

    Raises:
        OSError: none was found.
    """
    for port in random.SystemRandom().sample(PORTS, ATTEMPTS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"{ATTEMPTS} ports of {PORTS} are taken")
