"""A TCP port on loopback for a server that a test starts."""

from __future__ import annotations

import itertools
import os
import random
import socket
from collections.abc import Iterator

PORTS = range(20_000, 32_000)
"""Below those that the kernel gives to connections: a free port stays free until the server has it."""


def _shuffled() -> Iterator[int]:
    """Those of this process, over and over: no process of pytest-xdist has a port of another, and none comes twice in a row."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER", "gw0"), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    own = PORTS[int(worker.removeprefix("gw")) :: int(workers)]
    return itertools.cycle(random.SystemRandom().sample(own, len(own)))


_PORTS = _shuffled()


def free_port() -> int:
    """The number of a port that nobody listens on. The same one does not come again while others are left.

    Raises:
        OSError: none was found.
    """
    for port in itertools.islice(_PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"all ports of {PORTS} are taken")
