"""A program and its packet test."""

from __future__ import annotations

from pathlib import Path

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> x; }
struct headers_t { h_t h; } struct meta_t { }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; } }
control V(inout headers_t h, inout meta_t m) { apply { } }
control MyIngress(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    register<bit<32>>(4) seen;
    action forward(bit<9> port) { s.egress_spec = port; }
    table go { key = { h.h.x : exact; } actions = { forward; NoAction; } size = 16; default_action = NoAction(); }
    apply { seen.write(0, 1); go.apply(); } }
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), V(), MyIngress(), E(), V(), D()) main;
"""
STF = "add go h.h.x:0x07 forward(port:2)\npacket 1 0711\nexpect 2 0711 $\n"


def write(folder: Path) -> None:
    """Write both into a folder, and a program that is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one.p4").write_text(PROGRAM)
    (folder / "one.stf").write_text(STF)
    (folder / "wrong.p4").write_text("header h { bit<8> x }\n")
