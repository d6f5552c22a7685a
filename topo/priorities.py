"""Priorities of programs on a machine that is short of processors: words to put before a command.

The links' process gives itself SCHED_FIFO 10. With the embedded switch it is the only one in real time, and leaves enough for all others.
BMv2's processes want most of two processors for themselves. They go before ordinary programs, since they drop packets that they do not
get to. But the hosts and the controller stand for machines of their own, so they go before BMv2: no network has the delay of a message
that waits for BMv2's backlog.
"""

from __future__ import annotations

import subprocess

PROMPTLY_NICE = -10
PROMPTLY = ("nice", "-n", str(PROMPTLY_NICE))
"""Programs on the hosts stand for machines of their own: other programs on this one are not to keep them waiting."""

BMV2_PRIORITY = 5
BESIDE_BMV2_PRIORITY = 6


def for_bmv2() -> tuple[str, ...]:
    """For its processes; nothing where the system does not grant it."""
    return _in_real_time("--fifo", BMV2_PRIORITY)


def for_hosts(*, beside_bmv2: bool) -> tuple[str, ...]:
    """For the hosts' programs."""
    return for_controller(beside_bmv2=beside_bmv2) or PROMPTLY


def for_controller(*, beside_bmv2: bool) -> tuple[str, ...]:
    """For the controller; nothing beside the embedded switch."""
    return _in_real_time("--rr", BESIDE_BMV2_PRIORITY) if beside_bmv2 else ()


def _in_real_time(policy: str, priority: int) -> tuple[str, ...]:
    words = ("chrt", policy, str(priority))
    try:
        is_granted = subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_granted = False
    return words if is_granted else ()
