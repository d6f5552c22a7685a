"""The egress queues of `simple_switch` as programs and senders see them.

The tests look at depths, limits and rates of priorities, and at interfaces that are slower than the switch.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.interfaces import Interfaces, interfaces
from tests.harness.commanded_switch import CommandedSwitch, running
from tests.harness.switches import binaries

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header frame_t {
    bit<96> addresses; bit<16> kind; bit<8> out_by; bit<8> priority; bit<16> number; bit<8> pad;
    bit<16> found; bit<16> left; bit<32> waited;
}
struct headers { frame_t frame; }
struct metadata {}
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.frame); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply {} }
control Choose(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = (bit<9>) hdr.frame.out_by;
        standard.priority = hdr.frame.priority[2:0];
    }
}
control Tell(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply {
        hdr.frame.found = (bit<16>) standard.enq_qdepth;
        hdr.frame.left = (bit<16>) standard.deq_qdepth;
        hdr.frame.waited = standard.deq_timedelta;
    }
}
control Compute(inout headers hdr, inout metadata meta) { apply {} }
control Deparse(packet_out packet, in headers hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), Verify(), Choose(), Tell(), Compute(), Deparse()) main;
"""
KIND = 0x9001
BYTES = 200
ENOUGH = 700
"""Frames: more than a socket, the switch's buffer for it, and the queue have room for."""
QUEUE = 64
"""Packets that wait at a port, as in BMv2."""
RATE = "1mbit"
DISCIPLINES = {
    "htb": [["root", "handle", "1:", "htb", "default", "10"], ["parent", "1:", "classid", "1:10", "htb", "rate", RATE]],
    "tbf": [["root", "tbf", "rate", RATE, "burst", "3000", "limit", "1000000"]],
}

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


class Seen(NamedTuple):
    """A frame that has come out."""

    priority: int
    number: int
    found: int
    left: int
    waited_us: int


def frame(out_by: int, priority: int, number: int) -> bytes:
    head = bytes(12) + KIND.to_bytes(2, "big") + bytes([out_by, priority]) + number.to_bytes(2, "big")
    return head + bytes(BYTES - len(head))


def end(interface: str) -> socket.socket:
    """Frames of this test alone, at an interface."""
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    opened.bind((interface, KIND))
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    return opened


def what_comes(sink: socket.socket, quiet_s: float = 0.5) -> Iterator[Seen]:
    """Until nothing has come for a while."""
    while select.select([sink], [], [], quiet_s)[0]:
        b = sink.recv(2 * BYTES)
        fields = (int.from_bytes(b[first:last], "big") for first, last in ((15, 16), (16, 18), (19, 21), (21, 23), (23, 27)))
        yield Seen(*fields)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queues")
    (folder / "queues.p4").write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", str(folder / "queues.json"), str(folder / "queues.p4")], check=True)
    return folder / "queues.json"


@contextmanager
def switch_between(program: Path, *target: str) -> Iterator[tuple[CommandedSwitch, Interfaces]]:
    with interfaces() as between, running("simple_switch", program, *target) as switch:
        assert switch.cli(f"port_add {between.inside_in} 1", f"port_add {between.inside_out} 2") == ["", ""]
        yield switch, between


def slow_down(interface: str, discipline: str) -> None:
    for number, words in enumerate(DISCIPLINES[discipline]):
        command = ["tc", "qdisc" if number == 0 else "class", "add", "dev", interface, *words]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            pytest.skip(f"this kernel has no {discipline}: {result.stderr.strip()}")


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_slow_interface_fills_the_queue_of_its_port(program: Path, discipline: str) -> None:
    """As BMv2's, whose socket waits. Other ports go on."""
    with switch_between(program) as (_, between), end(between.outside_in) as source, end(between.outside_out) as sink:
        slow_down(between.inside_out, discipline)
        for number in range(ENOUGH):
            source.send(frame(2, 0, number))
        sink.send(frame(1, 0, ENOUGH))
        assert [seen.number for seen in what_comes(source, 0.1)] == [ENOUGH], "the other way goes on"
        before = list(what_comes(sink, 0))
        rest = list(what_comes(sink))
        assert rest, "port 2 has not been slow"
        seen = [one.number for one in before + rest]
        assert seen == sorted(seen)
        depths = [one.found for one in rest]
        assert max(depths) == QUEUE - 1 if len(seen) < ENOUGH else max(depths) > QUEUE / 2, "the queue has grown"
        assert rest[-1].left == 0
        assert rest[-1].waited_us > 10_000
        # The queue alone loses frames, when it is full: a frame that found fewer there was not behind a loss.
        lost_at = next((number for number, one in enumerate(seen) if number != one), len(seen))
        assert len(seen) > QUEUE
        assert all(one.found >= QUEUE - 2 for one in rest if one.number in range(lost_at, lost_at + 3))


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_priorities_before_a_slow_interface(program: Path, discipline: str) -> None:
    with (
        switch_between(program, "--", "--priority-queues", "2") as (_, between),
        end(between.outside_in) as source,
        end(between.outside_out) as sink,
    ):
        slow_down(between.inside_out, discipline)
        for number in range(ENOUGH):
            source.send(frame(2, 0, number))
        for number in range(5):
            source.send(frame(2, 1, number))
        seen = list(what_comes(sink))
    urgent = [one for one in seen if one.priority == 1]
    assert [one.number for one in urgent] == [0, 1, 2, 3, 4]
    assert all(one.found <= one.number for one in urgent), "only those of their own priority count"
    assert len(seen) - 1 - seen.index(urgent[-1]) >= QUEUE / 2, "they go before what waits"


def test_a_blocked_port_may_go(program: Path) -> None:
    with switch_between(program) as (switch, between), end(between.outside_in) as source, end(between.outside_out) as sink:
        slow_down(between.inside_out, "tbf")
        for number in range(ENOUGH):
            source.send(frame(2, 0, number))
        assert switch.cli("port_remove 2") == [""]
        subprocess.run(["tc", "qdisc", "del", "dev", between.inside_out, "root"], check=True)
        assert switch.cli(f"port_add {between.inside_out} 2") == [""]
        list(what_comes(sink, 0.1))
        source.send(frame(2, 0, 9))
        assert [(one.number, one.found) for one in what_comes(sink, 0.2)] == [(9, 0)]


def test_depths_and_limits_of_priorities(program: Path) -> None:
    with switch_between(program, "--", "--priority-queues", "4") as (switch, between):
        settings = ("set_queue_rate 50 2", "set_queue_depth 10 2", "set_queue_depth 5 2 1", "set_queue_rate 10 2 4")
        assert switch.cli(*settings) == ["", "", "", "Error: priority must be 0 to 3, not 4\n"]
        with end(between.outside_in) as source, end(between.outside_out) as sink:
            for priority, count in ((0, 8), (3, 4), (5, 1), (1, 20)):
                for number in range(count):
                    source.send(frame(2, priority, number))
            seen = list(what_comes(sink, 0.3))
    by_priority = {priority: [one for one in seen if one.priority == priority] for priority in range(8)}
    assert [len(by_priority[priority]) for priority in (0, 3, 5)] == [8, 4, 0], "there is no queue for priority 5"
    assert all(one.found <= one.number for priority in (0, 3) for one in by_priority[priority])
    assert max(one.found for one in by_priority[0]) >= 6
    assert 6 <= len(by_priority[1]) < 20
    assert max(one.found for one in by_priority[1]) <= 5
    for priority in (0, 3):
        waited_ms = [one.waited_us / 1000 for one in by_priority[priority]]
        assert waited_ms[-1] > 8 * (len(waited_ms) - 1), "each priority has its own rate"
        assert waited_ms[0] < 8, "and the first leaves at once"


def test_queues_are_set_before_their_port_comes(program: Path) -> None:
    with interfaces() as between, running("simple_switch", program) as switch:
        assert switch.cli("set_queue_rate 20 2", "set_queue_depth 4 2") == ["", ""]
        assert switch.cli(f"port_add {between.inside_in} 1", f"port_add {between.inside_out} 2") == ["", ""]
        with end(between.outside_in) as source, end(between.outside_out) as sink:
            for number in range(12):
                source.send(frame(2, 0, number))
            seen = list(what_comes(sink, 0.3))
            assert 5 <= len(seen) <= 7
            assert seen[-1].waited_us > 25_000
            # Taken away, also from the port that is there.
            assert switch.cli("set_queue_rate 0") == [""]
            source.send(frame(2, 0, 0))
            source.send(frame(2, 0, 1))
            assert [one.number for one in what_comes(sink, 0.2)] == [0, 1]
