"""Makes congestion controls choosable as a host's default: Linux allows namespaces only some, by default its own default and reno."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

PARAMETERS = Path("/proc/sys/net/ipv4")
ALLOWED = "tcp_allowed_congestion_control"
ATTEMPTS = 100
"""Each but the first one is for a control that has gone between a look at the kernel's list and the write."""


@contextlib.contextmanager
def all_congestion_controls_allowed(
    watch: Callable[[Sequence[str]], None] = lambda _allowed: None, parameters: Path = PARAMETERS
) -> Iterator[None]:
    """Allow all that the kernel has now, inside the block. Where that cannot be set, as in a container, all stays as it is.

    Args:
        watch: told of the controls that are allowed before, for a run that is killed.
        parameters: where the kernel shows its parameters of IPv4.
    """
    with contextlib.ExitStack() as cleanup:
        with contextlib.suppress(OSError):
            before = (parameters / ALLOWED).read_text().split()
            available = _available(parameters)
            if not set(available) <= set(before):
                watch(before)
                allow(available, parameters)
                cleanup.callback(allow, before, parameters)
        yield


def allow(names: Sequence[str], parameters: Path = PARAMETERS) -> None:
    """Allow these congestion controls alone, without those that the kernel has no more: other runs' go with those runs.

    Raises:
        OSError: the list cannot be set, as in a container.
    """
    for attempt in range(ATTEMPTS):
        available = _available(parameters)
        try:
            (parameters / ALLOWED).write_text(" ".join(name for name in names if name in available))
        except FileNotFoundError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def _available(parameters: Path) -> list[str]:
    return (parameters / "tcp_available_congestion_control").read_text().split()
