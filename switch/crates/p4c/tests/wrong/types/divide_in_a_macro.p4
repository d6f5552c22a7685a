#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; bit<8> y; bit<8> q; bit<8> r; }
struct H { b_t b; } struct M { }
#define DIV(q) bit<8> t = h.b.x / h.b.y; q = h.b.x / h.b.y
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.b); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) { apply { s.egress_spec = 1; DIV(h.b.q); } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
