"""Frames as they come in by each of the switch's ways to receive them: whole, in their order, with their VLAN tags."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from bench.forwarding import WAYS
from bench.interfaces import Interfaces, interfaces
from bench.tools import RELEASE
from tests.harness.waiting import wait_for

GRPC_PORT = 51117
ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
AUXDATA = struct.Struct("IIIHHHH")
SO_RCVBUFFORCE = 33
TP_STATUS_VLAN_VALID = 1 << 4
SMALL, LARGEST_USUAL, JUMBO = 60, 1514, 9014
PLACES = 5_120
"""Frames that the ring of one of two interfaces has room for."""
AT_ONCE = 20
PROGRAM = """
#include <core.p4>
#include <v1model.p4>
struct headers {}
struct metadata {}
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) { state start { transition accept; } }
control Verify(inout headers hdr, inout metadata meta) { apply {} }
control Cross(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = 3 - standard.ingress_port; }
}
control Out(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply {} }
control Compute(inout headers hdr, inout metadata meta) { apply {} }
control Deparse(packet_out packet, in headers hdr) { apply {} }
V1Switch(P(), Verify(), Cross(), Out(), Compute(), Deparse()) main;
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


class Wire:
    """Both outer ends of a switch that sends out of the one what comes in at the other."""

    def __init__(self, between: Interfaces, switch: subprocess.Popen[bytes]) -> None:
        self.between, self.switch = between, switch

    def passes(self, frames: Sequence[bytes]) -> None:
        """Send all frames at the one end; they come out at the other."""
        with End(self.between.outside_in) as source, End(self.between.outside_out) as sink:
            for first in range(0, len(frames), AT_ONCE):
                some = frames[first : first + AT_ONCE]
                source.send(some)
                assert [sink.receive() for _ in some] == some


class End:
    """An interface, until the end of the block."""

    def __init__(self, interface: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
        self.socket.settimeout(5)

    def __enter__(self) -> End:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self.socket.send(frame)

    def receive(self) -> bytes:
        """The next frame, with its tag, which the kernel tells beside it."""
        frame, [(_, _, told)], _, _ = self.socket.recvmsg(JUMBO + 100, socket.CMSG_SPACE(AUXDATA.size))
        status, *_, tag, protocol = AUXDATA.unpack(told)
        return frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:] if status & TP_STATUS_VLAN_VALID else frame


def numbered(count: int, *sizes: int) -> list[bytes]:
    """Frames that tell their numbers, of these sizes in turn."""
    header = bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=0x88B5))
    return [(header + number.to_bytes(4, "big") + bytes(JUMBO))[: sizes[number % len(sizes)]] for number in range(count)]


@contextmanager
def wire(program: Path, way: str) -> Iterator[Wire]:
    with interfaces() as between:
        for interface in between:
            subprocess.run(["ip", "link", "set", interface, "mtu", "9000"], check=True)
        ports = ["-i", f"1@{between.inside_in}", "-i", f"2@{between.inside_out}"]
        target = ["--", "--grpc-server-addr", f"127.0.0.1:{GRPC_PORT}"]
        log = program.with_suffix(".log")
        log.unlink(missing_ok=True)
        command: list[str | Path] = [
            RELEASE / "simple_switch_grpc",
            "--receive-by",
            way,
            *ports,
            "--log-file",
            log,
            "-L",
            "debug",
            program,
            *target,
        ]
        switch = subprocess.Popen(command)
        try:

            def is_ready() -> bool:
                assert switch.poll() is None, "the switch has ended"
                return log.exists() and "ready" in log.read_text()

            wait_for("the switch", is_ready)
            assert "no ring" not in log.read_text(), "this kernel has no rings: messages would be tried twice"
            yield Wire(between, switch)
            assert switch.poll() is None, "the switch has ended"
        finally:
            switch.terminate()
            switch.wait(10)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("receiving")
    (folder / "wire.p4").write_text(PROGRAM)
    compiled = folder / "wire.json"
    subprocess.run([RELEASE / "p4c-bm2-ss", "-o", compiled, folder / "wire.p4"], check=True)
    return compiled


@pytest.fixture(params=WAYS)
def between(request: pytest.FixtureRequest, program: Path) -> Iterator[Wire]:
    with wire(program, request.param) as running:
        yield running


def test_more_frames_than_the_ring_has_places(between: Wire) -> None:
    between.passes(numbered(PLACES + 500, SMALL, LARGEST_USUAL, 61, 777))


def test_frames_larger_than_a_place_keep_their_turn(between: Wire) -> None:
    between.passes(numbered(300, SMALL, JUMBO, LARGEST_USUAL, 1515, 1600, 4000))


def test_tags_stay_where_they_were(between: Wire) -> None:
    ether = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    tagged = [
        ether / Dot1Q(vlan=7, prio=5, type=0x88B5) / Raw(bytes(64)),
        ether / Dot1AD(vlan=8, type=0x8100) / Dot1Q(vlan=9, type=0x88B5) / Raw(bytes(64)),
        ether / Dot1Q(vlan=7, type=0x88B5) / Raw(bytes(LARGEST_USUAL - 14)),
        ether / Dot1Q(vlan=7, type=0x88B5) / Raw(bytes(8000)),
    ]
    between.passes([bytes(frame) for frame in tagged])


def test_an_interface_that_was_down_receives_again(between: Wire) -> None:
    inside = between.between.inside_in
    for state in ("down", "up"):
        subprocess.run(["ip", "link", "set", inside, state], check=True)
    carrier = Path("/sys/class/net", between.between.outside_in, "carrier")
    wait_for("the carrier", lambda: carrier.read_text().strip() == "1")
    subprocess.run(["ip", "link", "set", inside, "promisc", "on"], check=True)
    between.passes(numbered(3, SMALL))


def test_the_switch_survives_its_interface(between: Wire) -> None:
    subprocess.run(["ip", "link", "del", between.between.outside_in], check=True)
    wait_for("the interface's end", lambda: not Path("/sys/class/net", between.between.inside_in).exists())
    # A frame that comes in at the other end has nowhere to go, and is not the end of the switch.
    with End(between.between.outside_out) as source:
        source.send(numbered(10, SMALL))
    assert between.switch.poll() is None
