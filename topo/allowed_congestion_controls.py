"""Makes congestion controls choosable as a host's default: Linux allows namespaces only some, by default its own default and reno."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from topo.kernel_parameters import Watch, changed

PARAMETERS = Path("/proc/sys/net/ipv4")


@contextlib.contextmanager
def all_congestion_controls_allowed(watch: Watch = lambda _file, _value: None, parameters: Path = PARAMETERS) -> Iterator[None]:
    """Allow all that the kernel has now, inside the block. Where that cannot be set, as in a container, all stays as it is.

    Args:
        watch: see :data:`topo.kernel_parameters.Watch`.
        parameters: where the kernel shows its parameters of IPv4.
    """
    allowed = parameters / "tcp_allowed_congestion_control"
    with contextlib.ExitStack() as cleanup:
        with contextlib.suppress(OSError):
            available = (parameters / "tcp_available_congestion_control").read_text().split()
            if not set(available) <= set(allowed.read_text().split()):
                cleanup.enter_context(changed(allowed, " ".join(available), watch))
        yield
