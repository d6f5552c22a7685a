"""Waiting until hosts' interfaces send: Linux lets a hundred a second begin, however many come up at one time."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping, Sequence

from common.errors import UserError
from hosts.host_namespaces import enter, work_apart
from topo.rtnetlink import DUMP, HEADER, LARGEST_ANSWER, REQUEST, RTM_GETLINK, RTM_NEWLINK, answers, attributes

INTERFACES_A_SECOND = 100
"""``MAX_DO_DEV_PER_LOOP`` of Linux's net/core/link_watch.c."""
LOOK_AGAIN_S = 0.2
PATIENCE_S = 10.0
"""Besides the time that so many interfaces take."""
SENDS = 6
"""The operational state IF_OPER_UP (linux/if.h). In another one an interface loses what it is given, though it has been set up and has a
carrier: that state and its queue discipline come with the same event."""

LINK_BYTES = 16
"""A struct ifinfomsg (linux/rtnetlink.h)."""
GET_LINKS = HEADER.pack(HEADER.size + LINK_BYTES, RTM_GETLINK, REQUEST | DUMP, 1, 0) + bytes(LINK_BYTES)
NAME, OPERATIONAL_STATE = 3, 16


def wait_until_sending(interfaces: Mapping[int, Sequence[str]]) -> None:
    """Wait until all of them send what they are given.

    Args:
        interfaces: their names, by a process in their network namespace.

    Raises:
        UserError: some do not begin in time; or a process has gone.
    """
    try:
        work_apart(lambda: _wait(interfaces))
    except OSError as error:
        raise UserError(f"hosts' interfaces cannot be looked at: {error.strerror}") from error


def _wait(interfaces: Mapping[int, Sequence[str]]) -> None:
    number = sum(map(len, interfaces.values()))
    until_s = time.monotonic() + PATIENCE_S + number / INTERFACES_A_SECOND
    left = interfaces
    while left := {pid: silent for pid, names in left.items() if (silent := _silent(pid, names))}:
        if time.monotonic() > until_s:
            first, *others = [name for names in left.values() for name in names]
            more = f" and {len(others)} more do" if others else " does"
            raise UserError(f"interface {first}{more} not send yet", "the processors may be too busy; try again")
        time.sleep(LOOK_AGAIN_S)


def _silent(pid: int, names: Sequence[str]) -> list[str]:
    states = operational_states(pid)
    return [name for name in names if states.get(name.encode()) != SENDS]


def operational_states(pid: int) -> dict[bytes, int]:
    """Of each interface in a process's network namespace, which this thread enters for good.

    Raises:
        OSError: the process is gone, or this user may not.
    """
    enter(pid, ("net",))
    found: dict[bytes, int] = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as asked:
        asked.send(GET_LINKS)
        while links := [*_links(asked.recv(LARGEST_ANSWER))]:
            found |= {link.get(NAME, b"").rstrip(b"\0"): int.from_bytes(link.get(OPERATIONAL_STATE, b"")) for link in links}
    return found


def _links(answer: bytes) -> Iterator[dict[int, bytes]]:
    """The attributes of each link in an answer of the kernel's; of the last answer, which ends the list, none."""
    return (dict(attributes(body[LINK_BYTES:])) for kind, _, body in answers(answer) if kind == RTM_NEWLINK)
