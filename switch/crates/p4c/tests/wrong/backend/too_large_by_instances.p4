#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> x; }
control C0(inout bit<8> v) { apply { v = v + 1; } }
control C1(inout bit<8> v) { C0() c; C0() d; apply { c.apply(v); d.apply(v); } }
control C2(inout bit<8> v) { C1() c; C1() d; apply { c.apply(v); d.apply(v); } }
control C3(inout bit<8> v) { C2() c; C2() d; apply { c.apply(v); d.apply(v); } }
control C4(inout bit<8> v) { C3() c; C3() d; apply { c.apply(v); d.apply(v); } }
control C5(inout bit<8> v) { C4() c; C4() d; apply { c.apply(v); d.apply(v); } }
control C6(inout bit<8> v) { C5() c; C5() d; apply { c.apply(v); d.apply(v); } }
control C7(inout bit<8> v) { C6() c; C6() d; apply { c.apply(v); d.apply(v); } }
control C8(inout bit<8> v) { C7() c; C7() d; apply { c.apply(v); d.apply(v); } }
control C9(inout bit<8> v) { C8() c; C8() d; apply { c.apply(v); d.apply(v); } }
control C10(inout bit<8> v) { C9() c; C9() d; apply { c.apply(v); d.apply(v); } }
control C11(inout bit<8> v) { C10() c; C10() d; apply { c.apply(v); d.apply(v); } }
control C12(inout bit<8> v) { C11() c; C11() d; apply { c.apply(v); d.apply(v); } }
control C13(inout bit<8> v) { C12() c; C12() d; apply { c.apply(v); d.apply(v); } }
control C14(inout bit<8> v) { C13() c; C13() d; apply { c.apply(v); d.apply(v); } }
control C15(inout bit<8> v) { C14() c; C14() d; apply { c.apply(v); d.apply(v); } }
control C16(inout bit<8> v) { C15() c; C15() d; apply { c.apply(v); d.apply(v); } }
control C17(inout bit<8> v) { C16() c; C16() d; apply { c.apply(v); d.apply(v); } }
control C18(inout bit<8> v) { C17() c; C17() d; apply { c.apply(v); d.apply(v); } }
control C19(inout bit<8> v) { C18() c; C18() d; apply { c.apply(v); d.apply(v); } }
control C20(inout bit<8> v) { C19() c; C19() d; apply { c.apply(v); d.apply(v); } }
control C21(inout bit<8> v) { C20() c; C20() d; apply { c.apply(v); d.apply(v); } }
control C22(inout bit<8> v) { C21() c; C21() d; apply { c.apply(v); d.apply(v); } }
control C23(inout bit<8> v) { C22() c; C22() d; apply { c.apply(v); d.apply(v); } }
control C24(inout bit<8> v) { C23() c; C23() d; apply { c.apply(v); d.apply(v); } }
struct H { b_t b; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    C24() c;
    apply {
        c.apply(m.m);
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
