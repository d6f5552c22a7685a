"""The steps of packets in the log of `simple_switch`, in BMv2's words."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from bench.interfaces import interfaces
from tests.harness.commanded_switch import running
from tests.harness.switches import binaries
from tests.harness.waiting import wait_for

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header frame_t { bit<96> addresses; bit<16> kind; }
struct headers { frame_t frame; }
struct metadata {}
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.frame); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply {} }
control Choose(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    action forward(bit<9> port) { standard.egress_spec = port; }
    action drop() { mark_to_drop(standard); }
    table kinds { key = { hdr.frame.kind : exact; } actions = { forward; drop; } default_action = drop(); }
    apply { kinds.apply(); }
}
control Out(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply {} }
control Compute(inout headers hdr, inout metadata meta) { apply {} }
control Deparse(packet_out packet, in headers hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), Verify(), Choose(), Out(), Compute(), Deparse()) main;
"""
IN_ORDER = [
    "[0.0] [cxt 0] Processing packet received on port 1",
    "[0.0] [cxt 0] Parser 'parser': start",
    "[0.0] [cxt 0] Extracting header 'frame'",
    "[0.0] [cxt 0] Pipeline 'ingress': start",
    "[0.0] [cxt 0] Applying table 'Choose.kinds'",
    "[0.0] [cxt 0] Table 'Choose.kinds': hit",
    "[0.0] [cxt 0] Action entry is Choose.forward - 2",
    "[0.0] [cxt 0] Egress port is 2",
    "[0.0] [cxt 0] Pipeline 'egress': start",
    "[0.0] [cxt 0] Deparsing header 'frame'",
    "[0.0] [cxt 0] Transmitting packet of size 60 out of port 2",
    "[1.0] [cxt 0] Table 'Choose.kinds': miss",
    "[1.0] [cxt 0] Dropping packet at the end of ingress",
]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="veth interfaces need root")


@pytest.mark.parametrize(
    ("words", "says"), [((), "all"), (("-L", "trace"), "all"), (("-L", "debug"), "debug"), (("-L", "info"), "nothing")]
)
def test_steps_of_packets_are_logged(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    source, program, log = tmp_path / "log.p4", tmp_path / "log.json", tmp_path / "switch.log"
    source.write_text(PROGRAM)
    subprocess.run([str(binaries() / "p4c-bm2-ss"), "-o", str(program), str(source)], check=True)
    with interfaces() as between, running("simple_switch", program, "--log-file", str(log), *words) as switch:
        switch.cli(f"port_add {between.inside_in} 1", f"port_add {between.inside_out} 2", "table_add kinds forward 0x9001 => 2")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender, socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sink:
            sender.bind((between.outside_in, 0))
            sink.bind((between.outside_out, 0x9001))
            sink.settimeout(10)
            for kind in (0x9001, 0x9002):
                sender.send(bytes(12) + kind.to_bytes(2, "big") + bytes(46))
            assert len(sink.recv(100)) == 60
        if says != "nothing":
            wait_for("the log", lambda: "[1.0] [cxt 0] Dropping packet" in log.read_text())
    lines = log.read_text().splitlines()
    wanted = [step for step in IN_ORDER if says == "all" or "Applying" not in step] if says != "nothing" else []
    found = iter(lines)
    for step in wanted:
        assert any(step in line for line in found), f"{step} is not there, or not in its place"
    if says != "all":
        assert not any("Applying table" in line for line in lines)
    if says == "nothing":
        assert not any("[cxt 0]" in line for line in lines)
