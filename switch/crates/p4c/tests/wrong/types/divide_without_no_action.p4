#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; bit<8> y; bit<8> q; bit<8> r; }
struct H { b_t b; } struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.b); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action a() { h.b.r = h.b.x; }
    action never() { h.b.r = h.b.x / h.b.y; }
    table t { actions = { a; } default_action = a(); }
    apply {
        s.egress_spec = 1;
        t.apply();
        h.b.q = h.b.x / h.b.y;
        h.b.r = h.b.x % 3;
        if (h.b.x / h.b.y == 14) { h.b.q = 1; }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
