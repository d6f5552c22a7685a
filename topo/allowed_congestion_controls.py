"""Makes congestion controls choosable as a host's default: Linux allows namespaces only some, by default its own default and reno."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

PARAMETERS = Path("/proc/sys/net/ipv4")


@contextlib.contextmanager
def all_congestion_controls_allowed(
    watch: Callable[[Path, str], None] = lambda _file, _value: None, parameters: Path = PARAMETERS
) -> Iterator[None]:
    """Allow all that the kernel has now, inside the block. Where that cannot be set, as in a container, all stays as it is.

    Args:
        watch: told of the file and its content before it is changed (the janitor's, for a run that is killed).
        parameters: where the kernel shows its parameters of IPv4.
    """
    allowed = parameters / "tcp_allowed_congestion_control"
    try:
        before = allowed.read_text().strip()
        available = (parameters / "tcp_available_congestion_control").read_text().split()
        is_to_be_set = not set(available) <= set(before.split())
        if is_to_be_set:
            watch(allowed, before)
            allowed.write_text(" ".join(available))
    except OSError:
        is_to_be_set = False
    try:
        yield
    finally:
        if is_to_be_set:
            allowed.write_text(before)
