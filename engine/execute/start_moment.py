"""The moment at which a run begins: in virtual time the same on the clock inside, however the testbed came up.

Until then, programs start, import what they need and say that they are ready. From then on links draw their losses, the kernel its
random numbers, and hosts take their samples. So nothing that a run depends on goes back to before it (docs/timing.md).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import time

from common.time_mode import is_virtual_time
from common.units import NS_PER_S
from topo.sending_interfaces import INTERFACES_A_SECOND

PERIOD_NS = 2 * NS_PER_S
"""In virtual time, runs begin at multiples of it: many times what a testbed takes to come up, since computing takes no time there. One
with many hosts takes longer, by the kernel's pace, and has a longer period."""

BESIDE_NS = 3_300_000
"""And so much later: no round of any program is then (common/rounds.py), so nobody else wakes up at the same time."""

TIMER_ABSTIME = 1
RNDCLEARPOOL = 0x5206
"""Of linux/random.h. In the kernel of virtual time, later random numbers then no longer depend on earlier ones."""

_libc = ctypes.CDLL(None)


class _Time(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


def wait_for_moment(interfaces: int) -> float | None:
    """Wait until a run may begin.

    Args:
        interfaces: of the network's hosts.

    Returns:
        When it begins, CLOCK_MONOTONIC seconds; None in real time, where it may begin at any time.
    """
    if not is_virtual_time():
        return None
    moment_ns = next_moment_ns(time.monotonic_ns(), interfaces)
    _sleep_until(moment_ns)
    _forget_what_was_drawn()
    return moment_ns / NS_PER_S


def next_moment_ns(now_ns: int, interfaces: int) -> int:
    """When the next run may begin.

    Args:
        now_ns: CLOCK_MONOTONIC.
        interfaces: of the network's hosts.
    """
    period_ns = PERIOD_NS * (1 + interfaces // INTERFACES_A_SECOND)
    return (now_ns // period_ns + 1) * period_ns + BESIDE_NS


def _sleep_until(moment_ns: int) -> None:
    """To the nanosecond; a number of seconds from now would be rounded up sometimes."""
    moment = _Time(*divmod(moment_ns, NS_PER_S))
    while (failed := _libc.clock_nanosleep(time.CLOCK_MONOTONIC, TIMER_ABSTIME, ctypes.byref(moment), None)) == errno.EINTR:
        pass
    if failed:
        raise OSError(failed, os.strerror(failed))


def _forget_what_was_drawn() -> None:
    device = os.open("/dev/urandom", os.O_WRONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(device, RNDCLEARPOOL)
    finally:
        os.close(device)
