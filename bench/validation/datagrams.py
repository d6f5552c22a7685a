"""A host that sends UDP datagrams at given times: ``python -m bench.validation.datagrams PLAN SENT ADDRESS START_NS``.

PLAN holds gaps (ns) and sizes (bytes of UDP payload), SENT gets the times at which each was handed to the kernel (CLOCK_MONOTONIC, ns).
"""

from __future__ import annotations

import ctypes
import socket
import sys
import time
from pathlib import Path

import numpy as np

PORT = 9
PR_SET_TIMERSLACK = 29
NUMBER_BYTES = 4


def exact_sleeps() -> None:
    """Sleeps end when they are to, not up to 50 µs later."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


def main(plan: Path, sent: Path, address: str, start_ns: int) -> None:
    """Send everything."""
    exact_sleeps()
    planned = np.load(plan)
    at_ns = (start_ns + np.cumsum(planned[:, 0])).tolist()
    sizes = planned[:, 1].tolist()
    handed = [0] * len(sizes)
    payload = bytearray(int(max(sizes)))
    room = memoryview(payload)
    clock, sleep = time.monotonic_ns, time.sleep
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.connect((address, PORT))
        for number, (due_ns, size) in enumerate(zip(at_ns, sizes, strict=True)):
            payload[:NUMBER_BYTES] = number.to_bytes(NUMBER_BYTES, "big")
            remaining_ns = due_ns - clock()
            if remaining_ns > 0:
                sleep(remaining_ns / 1e9)
            handed[number] = clock()
            connection.send(room[:size])
    np.save(sent, np.array(handed, dtype=np.int64))


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
