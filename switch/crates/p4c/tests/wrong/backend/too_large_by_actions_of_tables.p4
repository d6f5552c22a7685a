#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; }
struct H { b_t b; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action a0() { m.m = m.m + 1; }
    action a1() { a0(); a0(); }
    action a2() { a1(); a1(); }
    action a3() { a2(); a2(); }
    action a4() { a3(); a3(); }
    action a5() { a4(); a4(); }
    action a6() { a5(); a5(); }
    action a7() { a6(); a6(); }
    action a8() { a7(); a7(); }
    action a9() { a8(); a8(); }
    action a10() { a9(); a9(); }
    action a11() { a10(); a10(); }
    action a12() { a11(); a11(); }
    action a13() { a12(); a12(); }
    action a14() { a13(); a13(); }
    action a15() { a14(); a14(); }
    action a16() { a15(); a15(); }
    action a17() { a16(); a16(); }
    action a18() { a17(); a17(); }
    action a19() { a18(); a18(); }
    action a20() { a19(); a19(); }
    action a21() { a20(); a20(); }
    action a22() { a21(); a21(); }
    action a23() { a22(); a22(); }
    action a24() { a23(); a23(); }
    table t { actions = { a24; } default_action = a24; }
    apply {
        t.apply();
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
