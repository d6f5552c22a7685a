"""Settings of a host's interface: the kernel has the ones that Linux's own programs would have made; refusals are in words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest

from common.errors import UserError
from hosts.host_namespaces import HostNamespaces
from topo import rtnetlink
from topo.mininet_nodes import P4Switch, PlannedHost
from topo.tap_devices import make_tap_device

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("ip") is None, reason="namespaces need root and ip: NOT tested")

ADDRESS = IPv4Interface("10.0.0.1/24")
OTHER = IPv4Address("10.0.0.2")
GATEWAY = IPv4Address("10.0.255.254")
MAC, OTHER_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
NEIGHBOURS = [IPv4Address(f"10.1.{number >> 8}.{number & 0xFF}") for number in range(2000)]
SHOWN = (("-details", "address"), ("route", "show", "table", "all"), ("neighbour",), ("rule",))
CARRIER = {"NO-CARRIER", "LOWER_UP", "linkdown"}
BY_PROGRAM = f"""link set dev lo up
link set dev first address {MAC}
address replace {ADDRESS} brd + dev first
address replace 10.0.1.1/16 brd + dev first noprefixroute
link set dev first mtu 1400 up
route replace 10.0.0.0/24 dev first proto kernel scope link src 10.0.0.1 initcwnd 7 quickack 1 table main
route replace 10.0.0.0/24 via {GATEWAY} dev first onlink src 10.0.0.1 initcwnd 10 table 101
rule add from 10.0.0.1 lookup 101
neigh replace {OTHER} lladdr {OTHER_MAC} dev first nud permanent
"""


@pytest.fixture
def two_hosts() -> Iterator[tuple[HostNamespaces, HostNamespaces]]:
    """New namespaces with an interface ``first`` each."""
    hosts = HostNamespaces(), HostNamespaces()
    for host in hosts:
        host.work(lambda: make_tap_device("first"))
    yield hosts
    for host in hosts:
        host.close()


def by_messages() -> None:
    """The same as :data:`BY_PROGRAM`, of the interface that comes after lo."""
    lo, first = 1, 2
    network = ADDRESS.network
    rtnetlink.carry_out(
        [
            rtnetlink.link(lo, is_up=True),
            rtnetlink.link(first, mac=MAC),
            rtnetlink.address(first, ADDRESS),
            rtnetlink.address(first, IPv4Interface("10.0.1.1/16"), has_prefix_route=False),
            rtnetlink.link(first, mtu_bytes=1400, is_up=True),
            rtnetlink.route(first, network, ADDRESS.ip, gateway=None, initial_window_packets=7, quick_ack=True),
            rtnetlink.route(first, network, ADDRESS.ip, gateway=GATEWAY, initial_window_packets=10, quick_ack=False, table=101),
            rtnetlink.rule(ADDRESS.ip, 101),
            rtnetlink.neighbour(first, OTHER, OTHER_MAC),
        ]
    )


def shown() -> list[Any]:
    """All that ``ip`` knows of this thread's namespace, without the carrier, which the kernel notices when it has time."""
    outputs = [subprocess.run(["ip", "-json", *what], capture_output=True, check=True).stdout for what in SHOWN]
    lists = [json.loads(output) for output in outputs]
    for thing in [thing for things in lists for thing in things]:
        thing.pop("operstate", None)
        thing["flags"] = sorted({*thing.get("flags", ())} - CARRIER)
    return lists


def test_messages_do_as_the_program_does(two_hosts: tuple[HostNamespaces, HostNamespaces]) -> None:
    one, other = two_hosts
    one.work(by_messages)
    other.work(lambda: subprocess.run(["ip", "-batch", "-"], input=BY_PROGRAM, text=True, check=True))
    found = one.work(shown)
    assert found == other.work(shown)
    assert MAC in str(found[0])
    assert "initcwnd" in str(found[1])
    assert [neighbour["dst"] for neighbour in found[2]] == [str(OTHER)]


def test_more_settings_than_go_at_once(two_hosts: tuple[HostNamespaces, HostNamespaces]) -> None:
    one, _ = two_hosts
    one.work(lambda: rtnetlink.carry_out([rtnetlink.neighbour(2, of, OTHER_MAC) for of in NEIGHBOURS]))
    assert {neighbour["dst"] for neighbour in one.work(shown)[2]} == {str(of) for of in NEIGHBOURS}


def test_a_refused_setting_is_named(two_hosts: tuple[HostNamespaces, HostNamespaces]) -> None:
    settings = [rtnetlink.neighbour(2, OTHER, OTHER_MAC), rtnetlink.link(2, mtu_bytes=4), rtnetlink.neighbour(9, GATEWAY, OTHER_MAC)]
    with pytest.raises(rtnetlink.RefusedError, match=r"^link 2 mtu 4: Invalid argument$"):
        two_hosts[0].work(lambda: rtnetlink.carry_out(settings))


def test_a_device_that_is_there_already(two_hosts: tuple[HostNamespaces, HostNamespaces]) -> None:
    with pytest.raises(UserError, match="cannot make TAP device first: Device or resource busy"):
        two_hosts[0].work(lambda: make_tap_device("first"))


def test_a_shell_starts_with_its_first_command_and_is_inside() -> None:
    host = PlannedHost("h1", mac=MAC, ip=str(ADDRESS))
    try:
        assert host.shell is None
        host.namespaces.work(lambda: make_tap_device("of-h1"))
        assert "of-h1" in host.cmd("ls /sys/class/net")
        assert "of-h1" in host.popen(["ls", "/sys/class/net"], text=True).communicate()[0]
        assert host.pid == host.namespaces.thread_id
    finally:
        host.terminate()
    assert host.shell is None


def test_a_switch_starts_no_program_and_has_its_loopback_interface() -> None:
    switch = P4Switch("s1", inNamespace=False, dpid="1")
    assert switch.shell is None
    assert [interface.name for interface in switch.intfList()] == ["lo"]
    try:
        assert "lo" in switch.cmd("ls /sys/class/net")
    finally:
        switch.terminate()
    assert switch.shell is None
