"""How many files may be open while nodes are made."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

WHILE_NODES_ARE_MADE = 1024
"""Room for some 250 nodes."""


@contextmanager
def few_open_files(most: int = WHILE_NODES_ARE_MADE) -> Iterator[None]:
    """Lower the soft limit of this process, and of those that it starts meanwhile, inside the block.

    Mininet raises it to 16384, and ``mnexec -c`` of each node then closes every number below it, one by one. With six hosts,
    these are most of the system calls of bringing a testbed up.
    """
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[0] == resource.RLIM_INFINITY or before[0] > most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
