"""A calendar for several user-mode kernels under one clock: Linux' protocol ``time-travel=ext`` (include/uapi/linux/um_timetravel.h).

A kernel asks for the time of its next event and waits. When all wait, the calendar lets each run freely to the end of the window in which
the earliest event is, side by side. No frame crosses to another kernel within a window.
"""

from __future__ import annotations

import argparse
import selectors
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from common.command_end import end_with

MESSAGE = struct.Struct("=IIQ")
"""Operation, number, time in ns."""

NEVER_NS = (1 << 64) - 1


class Operation(IntEnum):
    """The protocol's operations that are used here."""

    ACK = 0
    START = 1
    REQUEST = 2
    WAIT = 3
    GET = 4
    UPDATE = 5
    RUN = 6
    FREE_UNTIL = 7


@dataclass
class Kernel:
    """The calendar's knowledge of one kernel.

    Attributes:
        now_ns: when it was last told to run.
        wanted_ns: its next event.
        waits: until it is told to run.
        number: of the calendar's last message to it.
    """

    connection: socket.socket
    now_ns: int = 0
    wanted_ns: int = NEVER_NS
    waits: bool = False
    number: int = 0

    def hear(self) -> bool:
        """Take in one message and acknowledge it; returns False if the kernel has ended."""
        try:
            message = self.connection.recv(MESSAGE.size, socket.MSG_WAITALL)
        except ConnectionError:
            return False
        if len(message) < MESSAGE.size:
            return False
        operation, number, time_ns = MESSAGE.unpack(message)
        if operation == Operation.ACK:
            return True
        if operation == Operation.REQUEST:
            self.wanted_ns = time_ns
        elif operation == Operation.WAIT:
            self.waits = True
        elif operation == Operation.UPDATE:
            self.now_ns = time_ns
        self._send(Operation.ACK, number, self.now_ns if operation == Operation.GET else 0)
        return True

    def run(self, free_until_ns: int) -> None:
        """Let it run from its next event to a time."""
        self.waits, self.now_ns = False, self.wanted_ns
        for operation, time_ns in ((Operation.FREE_UNTIL, free_until_ns), (Operation.RUN, self.now_ns)):
            self.number += 1
            self._send(operation, self.number, time_ns)

    def _send(self, operation: Operation, number: int, time_ns: int) -> None:
        try:
            self.connection.sendall(MESSAGE.pack(operation, number, time_ns))
        except ConnectionError:
            self.wanted_ns = NEVER_NS  # it has ended; that is seen when it is heard next


def end_of_window(kernels: Sequence[Kernel], window_ns: int) -> int | None:
    """Until when kernels may run; None: not all wait.

    Args:
        kernels: those that have not ended.
        window_ns: a frame takes no less time from one kernel to another.
    """
    if not all(kernel.waits for kernel in kernels):
        return None
    earliest_ns = min(kernel.wanted_ns for kernel in kernels)
    return (earliest_ns // window_ns + 1) * window_ns


def serve(place: Path, count: int, window_ns: int) -> None:
    """Serve kernels until all have ended.

    Args:
        place: of the socket.
        count: of kernels.
        window_ns: length of a window.
    """
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as selector:
        listener.bind(str(place))
        listener.listen()
        print("ready", flush=True)
        kernels = [Kernel(listener.accept()[0]) for _ in range(count)]
        for kernel in kernels:
            selector.register(kernel.connection, selectors.EVENT_READ, kernel)
        while kernels:
            for key, _ in selector.select():
                if not key.data.hear():
                    selector.unregister(key.fileobj)
                    kernels.remove(key.data)
            end_ns = end_of_window(kernels, window_ns) if kernels else None
            if end_ns is not None:
                for kernel in kernels:
                    if kernel.wanted_ns < end_ns:
                        kernel.run(end_ns)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.studies.several_kernels.window_calendar", description=__doc__)
    parser.add_argument("place", type=Path, help="of the socket")
    parser.add_argument("count", type=int, help="of kernels")
    parser.add_argument("window_ns", type=int, help="length of a window")
    options = parser.parse_args()
    serve(options.place, options.count, options.window_ns)


if __name__ == "__main__":
    end_with(main)
