"""Ports that come to a running switch and go again: `port_add` and `port_remove` of `simple_switch_CLI`."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.interfaces import Interfaces, add_pair, interfaces
from tests.harness.commanded_switch import CommandedSwitch, running
from tests.harness.switches import binaries

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<8> port; bit<88> more; bit<16> kind; }
struct headers { ethernet_t ethernet; }
struct metadata {}
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply {} }
control Choose(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = (bit<9>) hdr.ethernet.port;
        hdr.ethernet.kind = hdr.ethernet.kind + (bit<16>) standard.ingress_port;
    }
}
control Out(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply {} }
control Compute(inout headers hdr, inout metadata meta) { apply {} }
control Deparse(packet_out packet, in headers hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), Verify(), Choose(), Out(), Compute(), Deparse()) main;
"""
FIRST_KIND = 0x9000
SEEN_BY_NOBODY_S = 0.2

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


def refused(reason: str) -> str:
    return f"Invalid device manager operation (ERROR)\n{reason}\n"


def listed(*ports: tuple[int, str, str]) -> str:
    rows = "".join(f"{number:^10}{name:^20}{status:^10}\n" for number, name, status in ports)
    return f"{'port #':^10}{'iface name':^20}{'status':^10}extra info\n{'=' * 50}\n{rows}"


def end(interface: str) -> socket.socket:
    """Frames of this test alone, at an interface."""
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    opened.bind((interface, 3))
    return opened


def passes(between: Interfaces, out_by: int, came_by: int, seconds: float = 5.0) -> bool:
    """Whether a frame for one port comes out of it, and says by which it came in."""
    with end(between.outside_in) as source, end(between.outside_out) as sink:
        sink.settimeout(seconds)
        source.send(bytes([out_by]) + bytes(11) + FIRST_KIND.to_bytes(2, "big") + b"a frame")
        try:
            return sink.recv(100) == bytes([out_by]) + bytes(11) + (FIRST_KIND + came_by).to_bytes(2, "big") + b"a frame"
        except TimeoutError:
            return False


def descriptors(switch: CommandedSwitch) -> int:
    """The number of packet sockets that the switch has open."""
    packet_sockets = {line.split()[-1] for line in Path("/proc/net/packet").read_text().splitlines()[1:]}
    links = [str(link.readlink()) for link in Path(f"/proc/{switch.pid}/fd").iterdir() if link.is_symlink()]
    return sum(link.removeprefix("socket:[").removesuffix("]") in packet_sockets for link in links)


def mappings(switch: CommandedSwitch) -> int:
    """Rings of memory shared with the kernel."""
    return Path(f"/proc/{switch.pid}/maps").read_text().count("socket:")


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[CommandedSwitch]:
    source, program = tmp_path / "choose.p4", tmp_path / "choose.json"
    source.write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", str(program), str(source)], check=True)
    with running("simple_switch", program) as switch:
        yield switch


@pytest.fixture
def between() -> Iterator[Interfaces]:
    with interfaces() as between:
        yield between


def test_they_come_and_go(switch: CommandedSwitch, between: Interfaces) -> None:
    first, second = between.inside_in, between.inside_out
    assert switch.cli("show_ports") == [listed()]
    assert switch.cli(f"port_add {first} 7", f"port_add {second} 3", "show_ports") == [
        "",
        "",
        listed((3, second, "UP"), (7, first, "UP")),
    ]
    assert passes(between, 3, 7)
    assert switch.cli("port_remove 3", "show_ports") == ["", listed((7, first, "UP"))]
    assert not passes(between, 3, 7, SEEN_BY_NOBODY_S)
    assert switch.cli(f"port_add {second} 300", "port_remove 7", f"port_add {first} 3", f"port_add {first} 7") == [
        "",
        "",
        "",
        refused(f"{first} is port 3 already"),
    ]
    assert switch.cli("port_remove 300", f"port_add {second} 7") == ["", ""]
    assert passes(between, 7, 3)


def test_many_times(switch: CommandedSwitch, between: Interfaces) -> None:
    """A port that comes again is not one more: neither memory nor descriptors are lost."""
    first, second = between.inside_in, between.inside_out
    once = [f"port_add {second} 2", "port_remove 2"]
    assert switch.cli(f"port_add {first} 1", *once) == [""] * 3
    held = descriptors(switch), mappings(switch)
    assert held == (1, 1)
    assert switch.cli(*once * 40) == [""] * 80
    assert (descriptors(switch), mappings(switch)) == held
    assert switch.cli(once[0]) == [""]
    assert passes(between, 2, 1)


def test_an_interface_that_is_gone(switch: CommandedSwitch, between: Interfaces) -> None:
    first, second = between.inside_in, between.inside_out
    assert switch.cli(f"port_add {first} 1", f"port_add {second} 2") == ["", ""]
    subprocess.run(["ip", "link", "set", second, "down"], check=True)
    assert switch.cli("show_ports") == [listed((1, first, "UP"), (2, second, "DOWN"))]
    subprocess.run(["ip", "link", "del", second], check=True)
    assert switch.cli("show_ports") == [listed((1, first, "UP"), (2, second, "DOWN"))]
    assert switch.cli("port_remove 2", "port_remove 2") == ["", refused("there is no port 2")]
    [answer] = switch.cli(f"port_add {second} 2")
    assert answer.startswith("Invalid device manager operation (ERROR)\n")
    assert second in answer
    assert switch.cli("show_ports") == [listed((1, first, "UP"))]
    add_pair(second, between.outside_out)
    assert switch.cli(f"port_add {second} 2") == [""]
    assert passes(between, 2, 1)


def test_what_is_refused(switch: CommandedSwitch, between: Interfaces) -> None:
    assert switch.cli(
        "port_add veth0",
        f"port_add {between.inside_in} one",
        f"port_add {between.inside_in} 70000",
        f"port_add {between.inside_in} 1 frames.pcap",
        "port_remove",
        "port_remove 5",
    ) == [
        "Error: Insufficient number of args\n",
        "Error: Bad format for port_num, must be an integer\n",
        "Error: port_num must be 0 to 65535, not 70000\n",
        "Error: Frames of a port that is added are not recorded: leave the path out\n",
        "Error: Wrong number of args, expected 1 but got 0\n",
        refused("there is no port 5"),
    ]
