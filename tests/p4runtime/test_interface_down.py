"""An action that watches a port follows the port's interface down and up. Root only: the test makes a pair of interfaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from finsy.proto import p4r

from tests.harness.waiting import wait_for
from tests.p4runtime.client import Client, Names, exact
from tests.p4runtime.conftest import Program, ip, start_pair, stop_pair
from tests.p4runtime.test_packets import frame, metadata, packet_out, route_to

PROTOCOLS = range(100, 116)
"""As many flows: each goes one of two ways, by chance."""


@pytest.fixture
def interface() -> Iterator[str]:
    """One end of a pair of interfaces; both are up."""
    if os.geteuid() != 0:
        pytest.skip("not root: interfaces that go down are NOT tested")
    ends = [f"ndw{os.getpid()}{side}" for side in "ab"]
    ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
    try:
        for end in ends:
            ip("link", "set", end, "up")
        yield ends[0]
    finally:
        ip("link", "delete", ends[0])


def arrivals(neighbour: Client) -> set[int]:
    """The ports of s2 that frames came back to by way of s1."""
    for protocol in PROTOCOLS:
        neighbour.send(packet=packet_out(frame(protocol=protocol)))
    return {metadata(neighbour.receive("packet"))[1] for _ in PROTOCOLS}


def wait_for_arrivals(neighbour: Client, expected: set[int]) -> None:
    wait_for(f"arrivals at the ports {expected}", lambda: arrivals(neighbour) == expected)


@pytest.mark.parametrize("end", ["own", "other"])
def test_a_watch_port_follows_its_interface(tmp_path: Path, interface: str, program: Program, names: Names, end: str) -> None:
    hops = p4r.TableEntry(table_id=names["the_ingress.hops"], match=[exact(1, 0x0A000001)])
    actions = hops.action.action_profile_action_set.action_profile_actions
    actions.add(action=names.action("the_ingress.forward", 1), weight=1)
    actions.add(action=names.action("the_ingress.forward", 2), weight=1, watch_port=b"\x03")
    changed = interface if end == "own" else f"{interface[:-1]}b"
    process, pair = start_pair(tmp_path, interface)
    try:
        with pair.client(1) as primary, pair.client(2) as neighbour:
            for client in (primary, neighbour):
                client.arbitrate()
                client.set_pipeline(program.config)
            primary.insert(hops)
            neighbour.insert(route_to(names, "the_ingress.to_cpu", 1))
            wait_for_arrivals(neighbour, {1, 2})
            ip("link", "set", changed, "down")
            wait_for_arrivals(neighbour, {1})
            ip("link", "set", changed, "up")
            wait_for_arrivals(neighbour, {1, 2})
    finally:
        assert stop_pair(process) == 0
