"""Gives every kernel a processor, which it shares only when there are more kernels than processors.

A name among the abstract Unix sockets stands for a processor. The process that has bound it has the processor until it ends, however that
happens. The names are the machine's, so they count between programs and users, and no file is left behind.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

_NAME = "\0nodectl-processor-{processor}-{row}"


@contextmanager
def own_processor() -> Iterator[int]:
    """One of the processors that this program may use: one that as few other kernels as possible have."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
        yield _bind(name)


def _bind(name: socket.socket) -> int:
    processors = sorted(os.sched_getaffinity(0))
    for row in count():
        for processor in processors:
            try:
                name.bind(_NAME.format(processor=processor, row=row))
            except OSError:
                continue  # somebody has it
            return processor
    raise AssertionError
