#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; bit<8> y; }
struct H { b_t b; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.b); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    direct_meter<bit<8>>(MeterType.packets) police;
    action a() { police.read(h.b.x); }
    table t { key = { h.b.x: exact; } actions = { a; NoAction; } }
    apply { t.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
